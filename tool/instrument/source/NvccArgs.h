// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compile flags, nvcc's or another compiler's, as clang's. What becomes of nvcc's options stands in
// tool/nvcc/NvccOptions.cpp; options of GCC's that clang rejects are known here. Options that
// neither knows pass through: they are clang's own, or clang will say that it does not know them.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_NVCCARGS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_NVCCARGS_H

#include "nvcc/Command.h"

namespace graphprof::instrument {

/// What of the compile flags matters for parsing the host side. Inputs, outputs and everything that
/// only code generation, the device compiler or the linker would read is gone.
struct ClangArgs {
  std::vector<std::string> Flags;
  std::string Language; ///< of `-x`, in clang's words; empty where the flags do not say
};

/// The flags may begin with the compiler's name, as they do in a compilation database, also behind
/// a launcher's. Without it they may be nvcc's, clang's or both.
llvm::Expected<ClangArgs> translateArgs(llvm::ArrayRef<std::string> Flags,
                                        const nvcc::Surroundings &Around = {});

} // namespace graphprof::instrument

#endif
