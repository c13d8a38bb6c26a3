// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The measurement behind all functions of graphprof/bench.h, and that of graphprof/capi.h.

#ifndef GRAPHPROF_BENCH_MEASURED_H
#define GRAPHPROF_BENCH_MEASURED_H

#include <cstdint>
#include <vector>

#include "bench/Work.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

using Works = std::vector<const Work *>;

/// What a sample of stamps is.
enum class SampleOf : std::uint8_t {
  Call, ///< each call by itself
  Run,  ///< the mean of a run's calls, as if the run had been timed as a whole
};

/// Measures `works` in turns, and gives each one's result. Throws bench_error, and what the
/// callables throw.
[[nodiscard]] bench_comparison measured(const Works &works, const bench_options &given,
                                        bench_timer timer, SampleOf sampleOf);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_MEASURED_H
