// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The options of GCC's and Clang's drivers that a reader of commands must know: those that say what
// the command does, and those of GCC's own with a value as a separate word, because that word could
// be mistaken for an input. ClangOptions has the others.

#ifndef GRAPHPROF_TOOL_NVCC_HOSTOPTIONS_H
#define GRAPHPROF_TOOL_NVCC_HOSTOPTIONS_H

#include "NvccOptions.h"

namespace graphprof::nvcc {

struct HostOption {
  llvm::StringLiteral Name;
  Takes Operand; ///< Nothing; Value: `-Xclang v` only; Joined: `-I dir` and `-Idir`
  Role Means;
  Parse Does; ///< Pass: passed to clang as written
};

llvm::ArrayRef<HostOption> hostOptions();

/// The option of exactly this name, or null.
const HostOption *hostOption(llvm::StringRef Name);

/// As NvccMatch. For a joined option, the value follows its longest matching name.
struct HostMatch {
  const HostOption *Option = nullptr;
  llvm::StringRef Value;
  bool HasValue = false;
};
HostMatch matchHostOption(llvm::StringRef Word);

} // namespace graphprof::nvcc

#endif
