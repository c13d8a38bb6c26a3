// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the errors in a compiler's messages: nvcc's and those of gcc and clang.

#ifndef GRAPHPROF_TOOL_LAUNCHER_ERRORPLACES_H
#define GRAPHPROF_TOOL_LAUNCHER_ERRORPLACES_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphprof::launcher {

struct ErrorPlace {
  std::string File; ///< as the compiler names it
  std::string Line;
  std::string Message;
};

std::vector<ErrorPlace> errorPlaces(llvm::StringRef Messages);

} // namespace graphprof::launcher

#endif
