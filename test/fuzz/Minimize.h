// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Minimizes a failing source.

#ifndef GRAPHPROF_TEST_FUZZ_MINIMIZE_H
#define GRAPHPROF_TEST_FUZZ_MINIMIZE_H

#include <functional>
#include <string>

namespace graphprof::fuzz {

/// Removes lines and then tokens, and returns the smallest text that still fails. Calls `Fails` at
/// most Tries times.
std::string minimize(std::string Text, const std::function<bool(const std::string &)> &Fails,
                     unsigned Tries = 1500);

} // namespace graphprof::fuzz

#endif
