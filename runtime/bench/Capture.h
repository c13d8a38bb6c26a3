// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures calls into a graph, and finds out why a capture failed: the driver only says that it was
// invalidated.

#ifndef GRAPHPROF_BENCH_CAPTURE_H
#define GRAPHPROF_BENCH_CAPTURE_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/Gpu.h"
#include "bench/Work.h"

namespace graphprof::bench_detail {

/// Owns a graph, unless whoever captured it does.
class CapturedGraph {
public:
  CapturedGraph() = default;
  explicit CapturedGraph(driver::Graph graph, bool owned = true) : graph_(graph), owned_(owned) {}
  CapturedGraph(CapturedGraph &&other) noexcept;
  CapturedGraph &operator=(CapturedGraph &&other) noexcept;
  ~CapturedGraph();
  [[nodiscard]] driver::Graph get() const { return graph_; }

private:
  driver::Graph graph_ = nullptr;
  bool owned_ = true;
};

/// Captures what `issue` issues to the stream for `work`. If `timed`, the regions that are open
/// meanwhile belong to the graph. Throws bench_error with the fault, or what `issue` throws; the
/// capture has ended then.
[[nodiscard]] CapturedGraph capture(Gpu &gpu, const Work &work, bool timed,
                                    const std::function<void()> &issue);

/// What one call captures.
struct Captured {
  std::size_t nodes = 0;
  std::vector<std::string> names; ///< of the nodes that do work
  std::vector<std::string> warnings;
};
[[nodiscard]] Captured inspect(driver::Graph graph, const Work &work);

/// May a call begin before the previous one has ended? `graph` contains several calls of
/// `nodesOfCall` nodes each.
[[nodiscard]] bool callsOverlap(driver::Graph graph, std::size_t nodesOfCall);

/// Makes what is captured next wait for everything before it, whatever its own edges say.
void separate(Gpu &gpu);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_CAPTURE_H
