// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compiles and runs programs, original and instrumented, and compares their output.

#ifndef GRAPHPROF_TEST_FUZZ_RUNS_H
#define GRAPHPROF_TEST_FUZZ_RUNS_H

#include "Subject.h"

#include <cstdint>

namespace graphprof::fuzz {

struct RunCounts {
  unsigned Functions = 0;
  unsigned Regions = 0;
  unsigned Lines = 0; ///< of output that were compared
  unsigned Failures = 0;
};

/// Runs Count functions, many in each program. Prints what goes wrong.
RunCounts runPrograms(const Subject &Tool, llvm::StringRef Root, std::uint64_t Seed,
                      std::uint64_t Count);

} // namespace graphprof::fuzz

#endif
