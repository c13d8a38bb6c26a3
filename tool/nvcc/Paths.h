// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Normalizes file names so that they can be compared. For the tool and the compiler launcher.

#ifndef GRAPHPROF_TOOL_NVCC_PATHS_H
#define GRAPHPROF_TOOL_NVCC_PATHS_H

#include <algorithm>
#include <string>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphprof::nvcc {

/// Whether the path goes up: has a component "..".
inline bool goesUp(llvm::StringRef Path) {
  return std::find(llvm::sys::path::begin(Path), llvm::sys::path::end(Path), "..") !=
         llvm::sys::path::end(Path);
}

/// The absolute path, without "." and "..". Keeps links, unless one is followed by a "..", which
/// then leads elsewhere than the text says. The file need not exist.
inline std::string absolute(llvm::StringRef Path) {
  llvm::SmallString<256> Result(Path);
  (void)llvm::sys::fs::make_absolute(Result); // fails only if the working directory is unknown
  const bool GoesUp = goesUp(Result);
  llvm::SmallString<256> Real, RealOfResult;
  const bool Exists = GoesUp && !llvm::sys::fs::real_path(Result, Real);
  llvm::sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  if (Exists && (llvm::sys::fs::real_path(Result, RealOfResult) || Real != RealOfResult))
    return Real.str().str();
  return Result.str().str();
}

/// The same with links resolved, as far as the file exists.
inline std::string realPath(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  return llvm::sys::fs::real_path(Path, Real) ? absolute(Path) : Real.str().str();
}

} // namespace graphprof::nvcc

#endif
