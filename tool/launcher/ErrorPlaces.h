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
  std::string File; ///< as the compiler names it; empty: anywhere
  std::string Line;
  std::string Message; ///< the error's
};

enum class Places {
  Errors, ///< where the errors are
  Named,  ///< also what is noted with them, such as where a template is used
  Whole,  ///< one place that stands for all, with the first error
};

/// Each place once. None: there are no errors.
std::vector<ErrorPlace> errorPlaces(llvm::StringRef Messages, Places Where);

/// Whether the only errors are that the compiler does not know annotations, as with -Werror.
bool rejectsOnlyAnnotations(llvm::StringRef Messages);

} // namespace graphprof::launcher

#endif
