// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes a failing source small.

#ifndef GRAPHPROF_TEST_FUZZ_MINIMIZE_H
#define GRAPHPROF_TEST_FUZZ_MINIMIZE_H

#include <functional>
#include <string>

namespace graphprof::fuzz {

/// The smallest text found that still fails, by leaving out lines and then tokens. `Fails` is asked
/// at most Tries times.
std::string minimize(std::string Text, const std::function<bool(const std::string &)> &Fails,
                     unsigned Tries = 1500);

} // namespace graphprof::fuzz

#endif
