// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Changes sources: on the tree, by exchanging parts of the same kind, and on the text, arbitrarily.

#ifndef GRAPHPROF_TEST_FUZZ_MUTATIONS_H
#define GRAPHPROF_TEST_FUZZ_MUTATIONS_H

#include "Grammar.h"

namespace graphprof::fuzz {

struct Case {
  std::string Text;
  unsigned Mutations = 0; ///< made on the way
};

/// Makes the source of a seed.
Case makeCase(std::uint64_t Seed);

} // namespace graphprof::fuzz

#endif
