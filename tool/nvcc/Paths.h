// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names of files, for comparing them: the tool's and the compiler launcher's.

#ifndef GRAPHPROF_TOOL_NVCC_PATHS_H
#define GRAPHPROF_TOOL_NVCC_PATHS_H

#include <string>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphprof::nvcc {

/// From the root, without "." and "..". Links are kept, and the file need not be there.
inline std::string absolute(llvm::StringRef Path) {
  llvm::SmallString<256> Result(Path);
  (void)llvm::sys::fs::make_absolute(Result); // fails only where nothing could be read anyway
  llvm::sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

/// The same through all links, as far as the file is there.
inline std::string realPath(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  return llvm::sys::fs::real_path(Path, Real) ? absolute(Path) : Real.str().str();
}

} // namespace graphprof::nvcc

#endif
