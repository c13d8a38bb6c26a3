// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was measured, as records for the outputs.

#ifndef GRAPHPROF_BENCH_RECORDS_H
#define GRAPHPROF_BENCH_RECORDS_H

#include <cstdint>

#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// Hands each sample to the outputs, while graphprof records, as a region of that name outside
/// graphs; one behind the other from `beganNs` on, for when each ran exactly is not known. Samples
/// of stamps have records already.
void record(const bench_result &result, int device, std::int64_t beganNs) noexcept;

/// A program of benchmarks shows its own table: the one of regions is shown only where
/// GRAPHPROF_OUTPUT asks for it.
void withoutTable() noexcept;

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_RECORDS_H
