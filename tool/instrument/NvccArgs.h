// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// nvcc's command-line options as clang's, from one table. Options that the table does not know pass
// through: they are clang's own, or clang will say that it does not know them either.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_NVCCARGS_H
#define GRAPHPROF_TOOL_INSTRUMENT_NVCCARGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

/// What of the compile flags matters for parsing the host side. Inputs, outputs and everything that
/// only code generation, the device compiler or the linker would read is gone.
struct ClangArgs {
  std::vector<std::string> Flags;
  std::string Language; ///< of `-x`, in clang's words; empty where the flags do not say
};

llvm::Expected<ClangArgs> translateArgs(llvm::ArrayRef<std::string> Flags);

} // namespace graphprof::instrument

#endif
