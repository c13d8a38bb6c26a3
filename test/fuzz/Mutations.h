// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Changes to a source: on the tree, where parts of a kind change places, and on the text, where
// anything goes.

#ifndef GRAPHPROF_TEST_FUZZ_MUTATIONS_H
#define GRAPHPROF_TEST_FUZZ_MUTATIONS_H

#include "Grammar.h"

namespace graphprof::fuzz {

struct Case {
  std::string Text;
  unsigned Mutations = 0; ///< made on the way
};

/// The source that a seed stands for.
Case makeCase(std::uint64_t Seed);

} // namespace graphprof::fuzz

#endif
