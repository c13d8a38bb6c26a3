// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ErrorPlaces.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

namespace graphprof::launcher {

std::vector<ErrorPlace> errorPlaces(llvm::StringRef Messages) {
  const llvm::Regex OfNvcc(R"(^(.+)\(([0-9]+)\): error( #[^:]*)?: (.*)$)");
  const llvm::Regex OfHost(R"(^(.+):([0-9]+):[0-9]+: (fatal )?error: (.*)$)");
  std::vector<ErrorPlace> Result;
  while (!Messages.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Messages) = Messages.split('\n');
    llvm::SmallVector<llvm::StringRef, 5> Parts;
    if (OfNvcc.match(Line, &Parts) || OfHost.match(Line, &Parts))
      Result.push_back({Parts[1].str(), Parts[2].str(), Parts[4].str()});
  }
  return Result;
}

} // namespace graphprof::launcher
