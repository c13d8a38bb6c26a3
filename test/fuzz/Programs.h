// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Generates runnable programs: host code with all of C++'s control flow, in and out of regions,
// which prints where it is. The instrumented program must print the same, and every place must be
// in the regions of the source.

#ifndef GRAPHPROF_TEST_FUZZ_PROGRAMS_H
#define GRAPHPROF_TEST_FUZZ_PROGRAMS_H

#include "Random.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphprof::fuzz {

/// Makes `int <name>(cudaStream_t s, int n)`. The tool must accept all its annotations.
std::string makeFunction(Random &Pick, std::string_view Name);

/// A source with these functions, named f0, f1, ..., and a table of them.
std::string makeProgram(const std::vector<std::string> &Functions);

/// The code that the original and the instrumented source are linked with: main, and the part of
/// libgraphprof that guards call.
extern const char *const Harness;

} // namespace graphprof::fuzz

#endif
