// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The clang command line that parses the host side of one source, as nvcc would compile it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_COMPILEARGS_H
#define GRAPHPROF_TOOL_INSTRUMENT_COMPILEARGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

/// What the user says about one source: flags as for nvcc or clang, and where the CUDA toolkit is
/// (empty: look for it).
struct CompileFlags {
  std::vector<std::string> Flags;
  std::string CudaPath;
};

/// Fails where a flag lacks its value, the file is no C++ or CUDA source, or no CUDA toolkit is
/// found for a CUDA source whose flags do not bring their own CUDA headers (-nocudainc).
llvm::Expected<std::vector<std::string>> clangCommand(llvm::StringRef Source,
                                                      const CompileFlags &Flags);

} // namespace graphprof::instrument

#endif
