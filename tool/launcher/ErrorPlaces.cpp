// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ErrorPlaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

#include <tuple>

namespace graphprof::launcher {
namespace {

struct Named {
  ErrorPlace At;
  bool IsError = false;
};

/// The places that the lines name, in their order. In nvcc's, "at line 3" of a template's use is of
/// the file that the error is in.
std::vector<Named> namedPlaces(llvm::StringRef Messages) {
  const llvm::Regex OfNvcc(R"(^(.+)\(([0-9]+)\): ([a-z]+)( #[^:]*)?: (.*)$)");
  const llvm::Regex UseOfNvcc(R"( at line ([0-9]+)( of (.+))?$)");
  const llvm::Regex OfHost(R"(^(.+):([0-9]+):[0-9]+: +((fatal )?([a-z]+): )?(.*)$)");
  std::vector<Named> Result;
  std::string Own;
  while (!Messages.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Messages) = Messages.split('\n');
    llvm::SmallVector<llvm::StringRef, 7> Parts;
    if (OfNvcc.match(Line, &Parts)) {
      Own = Parts[1];
      Result.push_back({{Own, Parts[2].str(), Parts[5].str()}, Parts[3] == "error"});
    } else if (OfHost.match(Line, &Parts)) {
      Result.push_back({{Parts[1].str(), Parts[2].str(), Parts[6].str()}, Parts[5] == "error"});
    } else if (UseOfNvcc.match(Line, &Parts)) {
      Result.push_back({{Parts[3].empty() ? Own : Parts[3].str(), Parts[1].str(), Line.str()}});
    }
  }
  return Result;
}

} // namespace

std::vector<ErrorPlace> errorPlaces(llvm::StringRef Messages, Places Where) {
  const std::vector<Named> All = namedPlaces(Messages);
  const auto First = llvm::find_if(All, [](const Named &Each) { return Each.IsError; });
  if (First == All.end())
    return {};
  if (Where == Places::Whole)
    return {{"", "0", First->At.Message}};
  std::vector<ErrorPlace> Result;
  for (const Named &Each : All) {
    const bool IsKnown = llvm::any_of(Result, [&](const ErrorPlace &Other) {
      return Other.File == Each.At.File && Other.Line == Each.At.Line;
    });
    if (IsKnown || (Where == Places::Errors && !Each.IsError))
      continue;
    Result.push_back(Each.At);
    if (!Each.IsError)
      Result.back().Message = First->At.Message;
  }
  return Result;
}

bool rejectsOnlyAnnotations(llvm::StringRef Messages) {
  constexpr llvm::StringLiteral Marks[] = {"attribute namespace \"graphprof\"", // nvcc's
                                           "[-Werror=attributes]", ",-Wunknown-attributes]"};
  bool Any = false;
  for (const Named &Each : namedPlaces(Messages)) {
    const llvm::StringRef Text = Each.At.Message;
    if (Each.IsError &&
        llvm::none_of(Marks, [&](llvm::StringRef Mark) { return Text.contains(Mark); }))
      return false;
    Any |= Each.IsError;
  }
  return Any;
}

} // namespace graphprof::launcher
