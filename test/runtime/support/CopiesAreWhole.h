// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A test program with this source in it compares each graph that graphprof rebuilds or clones with
// the program's, whatever its tests are about, and fails where they differ.

#ifndef GRAPHPROF_TEST_SUPPORT_COPIESAREWHOLE_H
#define GRAPHPROF_TEST_SUPPORT_COPIESAREWHOLE_H

#include <cstdint>

namespace graphprof::test {

/// How many were compared so far.
std::uint64_t comparedCopies();

/// While this lives, copies are not compared: where time is measured.
class CopiesUnwatched {
public:
  CopiesUnwatched();
  ~CopiesUnwatched();
  CopiesUnwatched(const CopiesUnwatched &) = delete;
  CopiesUnwatched &operator=(const CopiesUnwatched &) = delete;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_COPIESAREWHOLE_H
