// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides how the L2 cache is made cold for a callable. Does not run it.

#ifndef GRAPHPROF_BENCH_COLDNESS_H
#define GRAPHPROF_BENCH_COLDNESS_H

#include <cstddef>
#include <string>
#include <vector>

#include "bench/Copies.h"
#include "bench/Gpu.h"
#include "bench/Work.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

struct Coldness {
  cold_l2 method = cold_l2::automatic; ///< automatic: the cache is not made cold
  Rotation rotation;                   ///< for cold_l2::rotation
  std::string why;                     ///< why it is flushed although nobody asked for that

  [[nodiscard]] bool flushes() const { return method == cold_l2::flush; }
};

/// Decides for each of `works`, which are compared with each other: if one must be flushed, all
/// are, because a cache after a flush is not like one after other copies. `calls`: in one run.
/// Throws bench_error if the options ask for what cannot be done.
[[nodiscard]] std::vector<Coldness> coldnessOf(const Gpu &gpu,
                                               const std::vector<const Work *> &works,
                                               const bench_options &options, int calls);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_COLDNESS_H
