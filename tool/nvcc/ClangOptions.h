// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many words an option of clang's driver takes, and which option it is another name of, from
// clang's own table. GCC's driver shares most of these options; those of its own that take a
// separate word are in HostOptions.

#ifndef GRAPHPROF_TOOL_NVCC_CLANGOPTIONS_H
#define GRAPHPROF_TOOL_NVCC_CLANGOPTIONS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace graphprof::nvcc {

struct ClangMatch {
  bool Known = false;
  std::string Name;   ///< without its value; for another name, such as `--output`, `-o`
  unsigned Words = 1; ///< with separate values; more than there are if a value is missing
  std::vector<std::string> Values; ///< separate or not
};

/// Matches the first of these words.
ClangMatch matchClangOption(llvm::ArrayRef<std::string> Words);

} // namespace graphprof::nvcc

#endif
