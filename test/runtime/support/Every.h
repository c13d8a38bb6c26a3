// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Thins out tests with very many cases: with GRAPHPROF_TEST_EVERY=7 they run every seventh case,
// without it all. See test/run for the values in use.

#ifndef GRAPHPROF_TEST_SUPPORT_EVERY_H
#define GRAPHPROF_TEST_SUPPORT_EVERY_H

#include <algorithm>
#include <cstdlib>

namespace graphprof::test {

/// At least 1.
inline unsigned long every() {
  const char *const wish = std::getenv("GRAPHPROF_TEST_EVERY");
  return wish ? std::max(1UL, std::strtoul(wish, nullptr, 10)) : 1;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_EVERY_H
