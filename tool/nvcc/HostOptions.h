// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The options of GCC's and Clang's drivers that take a value as a word of its own. All other
// options of theirs are single words, so these are all that a parser needs to find the inputs.

#ifndef GRAPHPROF_TOOL_NVCC_HOSTOPTIONS_H
#define GRAPHPROF_TOOL_NVCC_HOSTOPTIONS_H

#include "NvccOptions.h"

namespace graphprof::nvcc {

struct HostOption {
  llvm::StringLiteral Name;
  bool Joined; ///< the value may stand right behind the name: -Idir; `name=value` is no other form
  Role Means;
};

llvm::ArrayRef<HostOption> hostOptions();

/// As for nvcc's; the value of a joined option is what stands behind its longest name.
struct HostMatch {
  const HostOption *Option = nullptr;
  llvm::StringRef Value;
  bool HasValue = false;
};
HostMatch matchHostOption(llvm::StringRef Word);

} // namespace graphprof::nvcc

#endif
