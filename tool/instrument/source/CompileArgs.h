// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the clang command line that parses the host side of one source as nvcc would compile it.

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
  std::vector<std::string> Flags;    ///< the user's flags, for nvcc or clang
  std::string CudaPath;              ///< the toolkit; empty: search for it
  std::vector<std::string> Recorded; ///< the command of a compilation database, with its compiler
  std::string Directory;             ///< where it runs; empty: here
};

struct ClangCommand {
  std::vector<std::string> Words;
  std::vector<std::string> Ignored; ///< the user's flags that are not known
};

/// Fails if a flag lacks its value or rules out parsing, an options file cannot be read, the file
/// is not a C, C++ or CUDA source, or no CUDA toolkit is found for a CUDA source. Flags with
/// -nocudainc bring their own CUDA headers and need no toolkit.
llvm::Expected<ClangCommand> clangCommand(llvm::StringRef Source, const CompileFlags &Flags);

/// Clang's own headers and libraries, of the libclang-cpp that this process runs with. It may
/// differ from the one that the tool was built with. Empty if there are none.
std::string findResourceDirectory();

/// Names and paths of the newest gcc's own headers that clang lacks and can read, such as <omp.h>.
/// Sources that nvcc compiles with g++ may include them.
std::vector<std::pair<std::string, std::string>> gccHeadersThatClangLacks();

} // namespace graphprof::instrument

#endif
