// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ClangOptions.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"

namespace graphprof::nvcc {
namespace {

using namespace clang::options;
using namespace llvm::opt;

#define OPTTABLE_STR_TABLE_CODE
#include "clang/Options/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_VALUES_CODE
#include "clang/Options/Options.inc"
#undef OPTTABLE_VALUES_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "clang/Options/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

#define OPTTABLE_PREFIXES_UNION_CODE
#include "clang/Options/Options.inc"
#undef OPTTABLE_PREFIXES_UNION_CODE

constexpr OptTable::Info Options[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "clang/Options/Options.inc"
#undef OPTION
};

class Table : public PrecomputedOptTable {
public:
  Table()
      : PrecomputedOptTable(OptionStrTable, OptionPrefixesTable, Options, OptionPrefixesUnion) {}
};

} // namespace

ClangMatch matchClangOption(llvm::ArrayRef<std::string> Words) {
  static const Table Known;
  llvm::SmallVector<const char *> Raw;
  for (const std::string &Each : Words)
    Raw.push_back(Each.c_str());
  const InputArgList All(Raw.begin(), Raw.end());
  unsigned Behind = 0;
  const auto Found = Known.ParseOneArg(All, Behind, Visibility(ClangOption));
  ClangMatch Result;
  Result.Words = Behind;
  if (!Found) { // its value is missing
    Result.Known = true;
    Result.Name = Words[0];
    return Result;
  }
  const Option &Its = Found->getOption();
  if (Its.matches(OPT_UNKNOWN) || Its.matches(OPT_INPUT))
    return Result;
  Result.Known = true;
  Result.Name = Its.getPrefixedName().str();
  Result.Values.assign(Found->getValues().begin(), Found->getValues().end());
  return Result;
}

} // namespace graphprof::nvcc
