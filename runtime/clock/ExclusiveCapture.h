// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures one node apart from the stream's other nodes. Uses operations of the stream only: if
// several threads capture into one graph, the driver orders these, but not changes of the graph
// itself.

#ifndef GRAPHPROF_CLOCK_EXCLUSIVECAPTURE_H
#define GRAPHPROF_CLOCK_EXCLUSIVECAPTURE_H

#include <cstdint>
#include <vector>

#include "cuda/Driver.h"

namespace graphprof {

/// What the next node of a stream would wait for.
struct CaptureDependencies {
  std::vector<driver::Node> nodes;
  std::vector<driver::EdgeData> edges; ///< one for each node
};

namespace internal {

inline bool setDependencies(driver::Stream stream, std::size_t count, const driver::Node *nodes,
                            const driver::EdgeData *edges) noexcept {
  // CUDA declares these without const, but only reads them.
  return driver::ok(driver::cu().streamUpdateCaptureDependencies(
      stream, const_cast<driver::Node *>(nodes), edges, count, driver::setDependencies));
}

// The only node that the stream's next node would wait for. Null if there are several or none, or
// the driver does not tell.
inline driver::Node onlyDependency(driver::Stream stream) noexcept {
  driver::CaptureStatus status{};
  std::uint64_t id = 0;
  driver::Graph graph = nullptr;
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  const bool told = driver::ok(
      driver::cu().streamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
  return told && count == 1 ? nodes[0] : nullptr;
}

} // namespace internal

/// Captures the one node that `issue` issues to `stream`. It waits only for `previous` (null: for
/// nothing), and what the stream captures next waits for `now`, as before. `issue` returns whether
/// it worked, and does not throw. Returns null if something was refused; the capture is unchanged
/// then.
template <class Issue>
driver::Node captureAlone(driver::Stream stream, const CaptureDependencies &now,
                          driver::Node previous, Issue issue) noexcept {
  const driver::EdgeData whole{};
  if (!internal::setDependencies(stream, previous ? 1 : 0, &previous, &whole))
    return nullptr;
  // From here on a refused call is tried again. Otherwise the program's next node would wait for
  // the wrong node, or a node of graphprof's would stay.
  const bool issued = issue();
  driver::Node made = issued ? internal::onlyDependency(stream) : nullptr;
  if (issued && !made)
    made = internal::onlyDependency(stream);
  if (!internal::setDependencies(stream, now.nodes.size(), now.nodes.data(), now.edges.data()))
    internal::setDependencies(stream, now.nodes.size(), now.nodes.data(), now.edges.data());
  return made;
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EXCLUSIVECAPTURE_H
