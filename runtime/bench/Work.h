// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is measured, as the measurement sees it: a callable of a C++ program, or one of another
// language (capi/Benchmarks.cpp), which makes copies of its arguments and captures graphs itself,
// because its memory is managed by an allocator that has to know.

#ifndef GRAPHPROF_BENCH_WORK_H
#define GRAPHPROF_BENCH_WORK_H

#include <cstddef>
#include <functional>
#include <utility>

#include "cuda/DriverApi.h"
#include "graphprof/detail/bench_work.h"

namespace graphprof::bench_detail {

/// All functions may throw.
struct Work : detail::BenchWork {
  explicit Work(detail::BenchWork work) : BenchWork(std::move(work)) {}

  /// Makes copies of the arguments, so that there are so many with the originals. Empty:
  /// graphprof does, and `call` gets their addresses.
  std::function<void(int copies)> makeCopies;
  /// Calls it with a copy of the arguments; 0: the originals. Set with `makeCopies`.
  std::function<void(driver::Stream stream, std::size_t copy)> callWith;
  /// Captures what `issue` issues to the stream. Returns the graph, which it keeps. Empty:
  /// graphprof captures.
  std::function<driver::Graph(driver::Stream stream, const std::function<void()> &issue)> capture;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_WORK_H
