// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Calls captured into a graph, and where that fails, why: the driver says no more than that a
// capture was invalidated.

#ifndef GRAPHPROF_BENCH_CAPTURE_H
#define GRAPHPROF_BENCH_CAPTURE_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/Gpu.h"
#include "graphprof/detail/bench_work.h"

namespace graphprof::bench_detail {

/// A graph, destroyed with it.
class CapturedGraph {
public:
  CapturedGraph() = default;
  explicit CapturedGraph(driver::Graph graph) : graph_(graph) {}
  CapturedGraph(CapturedGraph &&other) noexcept;
  CapturedGraph &operator=(CapturedGraph &&other) noexcept;
  ~CapturedGraph();
  [[nodiscard]] driver::Graph get() const { return graph_; }

private:
  driver::Graph graph_ = nullptr;
};

/// Captures what `issue` issues to the stream on behalf of `work`; with `timed` the regions that
/// are open meanwhile are the graph's. Throws bench_error with the fault that it found out, and
/// what `issue` throws; the stream is not being captured then.
[[nodiscard]] CapturedGraph capture(Gpu &gpu, const detail::BenchWork &work, bool timed,
                                    const std::function<void()> &issue);

/// What one call captures.
struct Captured {
  std::size_t nodes = 0;
  std::vector<std::string> names; ///< of nodes that do work
  std::vector<std::string> warnings;
};
[[nodiscard]] Captured inspect(driver::Graph graph, const detail::BenchWork &work);

/// May a call begin before the one before it has ended? In `graph` are several, of `nodesOfCall`
/// nodes each.
[[nodiscard]] bool callsOverlap(driver::Graph graph, std::size_t nodesOfCall);

/// Has what is captured next wait for all that came before, whatever it asks for.
void separate(Gpu &gpu);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_CAPTURE_H
