// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Programs that run: host code in which control goes every way that C++ has, in and out of regions,
// and which says where it is. Instrumented, it must say the same, and every place must be in the
// regions that the source puts it in.

#ifndef GRAPHPROF_TEST_FUZZ_PROGRAMS_H
#define GRAPHPROF_TEST_FUZZ_PROGRAMS_H

#include "Random.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphprof::fuzz {

/// `int <name>(cudaStream_t s, int n)`; every annotation in it is one that the tool has to accept.
std::string makeFunction(Random &Pick, std::string_view Name);

/// A source with these functions, by the names f0, f1, ..., and the table of them.
std::string makeProgram(const std::vector<std::string> &Functions);

/// What the original and the instrumented source are linked with: main, and the part of
/// libgraphprof that guards call.
extern const char *const Harness;

} // namespace graphprof::fuzz

#endif
