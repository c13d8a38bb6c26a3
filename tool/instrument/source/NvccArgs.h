// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Translates the compile flags of nvcc or another compiler for clang. tool/nvcc/NvccOptions.cpp
// says what becomes of nvcc's options; options of GCC that clang rejects are known here. Other
// options of clang's pass through, and clang reports those that it does not know.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_NVCCARGS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_NVCCARGS_H

#include "nvcc/Command.h"

namespace graphprof::instrument {

/// The compile flags that matter for parsing the host side. Inputs, outputs, and options for code
/// generation, the device compiler or the linker are removed.
struct ClangArgs {
  std::vector<std::string> Flags;
  std::string Language; ///< for clang's `-x`; empty if the flags do not say
  std::string Compiler; ///< the compiler's name, if the flags begin with it
  /// Flags of an nvcc command that are in no table, as those of a newer nvcc. They are left out.
  std::vector<std::string> Unknown;
};

/// The flags may begin with the compiler's name, or a launcher and the compiler's name, as in a
/// compilation database. Without a name they may be nvcc's, clang's, or both.
llvm::Expected<ClangArgs> translateArgs(llvm::ArrayRef<std::string> Flags,
                                        const nvcc::Surroundings &Around = {});

} // namespace graphprof::instrument

#endif
