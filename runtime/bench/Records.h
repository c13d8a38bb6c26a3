// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes records of a measurement for the outputs: of its samples, and of nothing else that it ran.

#ifndef GRAPHPROF_BENCH_RECORDS_H
#define GRAPHPROF_BENCH_RECORDS_H

#include <cstdint>
#include <vector>

#include "bench/HeldReplays.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// If graphprof records, hands each sample to the outputs as a region outside graphs with that
/// name. The exact begin of each run is unknown, so they follow each other from `beganNs` on.
/// Returns where the last one ends.
std::int64_t record(const bench_result &result, int device, std::int64_t beganNs) noexcept;

/// If graphprof records, hands the replays of samples of stamps to the outputs, in launch order.
void record(std::vector<HeldReplay> replays) noexcept;

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_RECORDS_H
