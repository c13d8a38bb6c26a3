// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The clang command line that parses the host side of one source, as nvcc would compile it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_COMPILEARGS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_COMPILEARGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace graphprof::instrument {

/// What is known about the compilation of one source.
struct CompileFlags {
  std::vector<std::string> Flags;    ///< the user's, as for nvcc or clang
  std::string CudaPath;              ///< of the toolkit; empty: look for it
  std::vector<std::string> Recorded; ///< the command of a compilation database, with its compiler
  std::string Directory;             ///< where it runs; empty: here
};

/// Fails where a flag lacks its value or excludes parsing, an options file cannot be read, the file
/// is no C++ or CUDA source, or no CUDA toolkit is found for a CUDA source whose flags do not bring
/// their own CUDA headers (-nocudainc).
llvm::Expected<std::vector<std::string>> clangCommand(llvm::StringRef Source,
                                                      const CompileFlags &Flags);

/// Names and paths of the newest gcc's own headers that clang has not, such as <omp.h>, which a
/// source that nvcc compiles with g++ includes. Others of gcc's own clang cannot read.
std::vector<std::pair<std::string, std::string>> gccHeadersThatClangLacks();

} // namespace graphprof::instrument

#endif
