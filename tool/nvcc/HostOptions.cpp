// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "HostOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::nvcc {
namespace {

constexpr HostOption HostTable[] = {
    {"-c", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-S", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-E", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-fsyntax-only", Takes::Nothing, Role::Goal, Parse::Drop},
    {"--help", Takes::Nothing, Role::Goal, Parse::Drop},
    {"--version", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-dumpversion", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-dumpfullversion", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-dumpmachine", Takes::Nothing, Role::Goal, Parse::Drop},
    {"-M", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MM", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MD", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MMD", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MP", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MG", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-MV", Takes::Nothing, Role::Dependencies, Parse::Drop},
    {"-###", Takes::Nothing, Role::DryRun, Parse::Drop},
    {"-save-temps", Takes::Nothing, Role::Keep, Parse::Drop},
    {"--save-temps", Takes::Nothing, Role::Keep, Parse::Drop},
    {"--cuda-device-only", Takes::Nothing, Role::Goal, Parse::Pass},

    {"-o", Takes::Joined, Role::Output, Parse::Drop},
    {"-x", Takes::Joined, Role::Language, Parse::Language},
    {"-I", Takes::Joined, Role::Include, Parse::Pass},
    {"-isystem", Takes::Joined, Role::Include, Parse::Pass},
    {"-iquote", Takes::Joined, Role::Include, Parse::Pass},
    {"-idirafter", Takes::Joined, Role::Include, Parse::Pass},
    {"-D", Takes::Joined, Role::Define, Parse::Pass},
    {"-U", Takes::Joined, Role::Define, Parse::Pass},
    {"-include", Takes::Joined, Role::Define, Parse::Pass},
    {"-imacros", Takes::Joined, Role::Define, Parse::Pass},
    {"-MF", Takes::Joined, Role::Dependencies, Parse::Drop},
    {"-MT", Takes::Joined, Role::Dependencies, Parse::Drop},
    {"-MQ", Takes::Joined, Role::Dependencies, Parse::Drop},
    {"-MJ", Takes::Joined, Role::Nothing, Parse::Drop},
    {"-L", Takes::Joined, Role::Library, Parse::Drop},
    {"-l", Takes::Joined, Role::Library, Parse::Drop},
    {"-T", Takes::Joined, Role::Library, Parse::Drop},
    {"-u", Takes::Value, Role::Library, Parse::Drop},
    {"-z", Takes::Joined, Role::Library, Parse::Drop},
    {"-Xlinker", Takes::Value, Role::Library, Parse::Drop},
    {"-Xassembler", Takes::Value, Role::Nothing, Parse::Drop},
    {"-Xpreprocessor", Takes::Value, Role::Nothing, Parse::Pass},
    {"-Xclang", Takes::Value, Role::Nothing, Parse::Pass},
    {"-Xcuda-fatbinary", Takes::Value, Role::Nothing, Parse::Drop},
    {"-Xcuda-ptxas", Takes::Value, Role::Nothing, Parse::Drop},
    {"-Xarch_device", Takes::Value, Role::Nothing, Parse::Drop},
    {"-Xarch_host", Takes::Value, Role::Nothing, Parse::Pass},
    {"-Xopenmp-target", Takes::Value, Role::Nothing, Parse::Drop},
    {"-mllvm", Takes::Value, Role::Nothing, Parse::Pass},
    {"-target", Takes::Value, Role::Nothing, Parse::Pass},
    {"-resource-dir", Takes::Value, Role::Nothing, Parse::Pass},
    {"-isysroot", Takes::Joined, Role::Nothing, Parse::Pass},
    {"--sysroot", Takes::Value, Role::Nothing, Parse::Pass},
    {"-iprefix", Takes::Joined, Role::Nothing, Parse::Pass},
    {"-iwithprefix", Takes::Joined, Role::Nothing, Parse::Pass},
    {"-iwithprefixbefore", Takes::Joined, Role::Nothing, Parse::Pass},
    {"-imultilib", Takes::Joined, Role::Nothing, Parse::Drop},
    {"-include-pch", Takes::Value, Role::Nothing, Parse::Pass},
    {"-ivfsoverlay", Takes::Joined, Role::Nothing, Parse::Pass},
    {"-B", Takes::Joined, Role::Nothing, Parse::Drop},
    {"-A", Takes::Joined, Role::Nothing, Parse::Drop},
    {"-wrapper", Takes::Value, Role::Nothing, Parse::Drop},
    {"-aux-info", Takes::Value, Role::Nothing, Parse::Drop},
    {"-dumpbase", Takes::Value, Role::Nothing, Parse::Drop},
    {"-dumpbase-ext", Takes::Value, Role::Nothing, Parse::Drop},
    {"-dumpdir", Takes::Value, Role::Nothing, Parse::Drop},
    {"-specs", Takes::Value, Role::Nothing, Parse::Drop},
    {"--param", Takes::Value, Role::Nothing, Parse::Drop},
    {"-gcc-toolchain", Takes::Value, Role::Nothing, Parse::Pass},
    {"--gcc-install-dir", Takes::Value, Role::Nothing, Parse::Pass},
    {"-framework", Takes::Value, Role::Library, Parse::Drop},
    {"-arch", Takes::Value, Role::Nothing, Parse::Drop},
    {"-e", Takes::Value, Role::Library, Parse::Drop},
};

} // namespace

llvm::ArrayRef<HostOption> hostOptions() { return HostTable; }

const HostOption *hostOption(llvm::StringRef Name) {
  const auto *const Found =
      llvm::find_if(HostTable, [=](const HostOption &Each) { return Each.Name == Name; });
  return Found == std::end(HostTable) ? nullptr : Found;
}

HostMatch matchHostOption(llvm::StringRef Word) {
  HostMatch Joined;
  size_t Length = 0;
  for (const HostOption &Option : HostTable) {
    if (Word == Option.Name)
      return {&Option, "", false};
    if (Option.Operand == Takes::Joined && Option.Name.size() > Length &&
        Word.starts_with(Option.Name)) {
      Joined = {&Option, Word.drop_front(Option.Name.size()), true};
      Length = Option.Name.size();
    }
  }
  return Joined;
}

} // namespace graphprof::nvcc
