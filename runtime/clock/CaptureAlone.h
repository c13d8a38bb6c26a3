// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One node captured beside a stream's others. By operations of the stream only: the driver orders
// those of several threads that capture into one graph, which it does not do for changes of the
// graph itself.

#ifndef GRAPHPROF_CLOCK_CAPTUREALONE_H
#define GRAPHPROF_CLOCK_CAPTUREALONE_H

#include <cstdint>
#include <vector>

#include "cuda/Driver.h"

namespace graphprof {

/// What a stream's next node would wait for.
struct CaptureDependencies {
  std::vector<driver::Node> nodes;
  std::vector<driver::EdgeData> edges; ///< to each
};

namespace detail {

inline bool setDependencies(driver::Stream stream, std::size_t count, const driver::Node *nodes,
                            const driver::EdgeData *edges) noexcept {
  // Declared without const, but only read.
  return driver::ok(driver::cu().streamUpdateCaptureDependencies(
      stream, const_cast<driver::Node *>(nodes), edges, count, driver::setDependencies));
}

// The one node that the stream's next one would wait for; null where there is another number of
// them, or the driver does not tell.
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

} // namespace detail

/// Captures what `issue` issues to `stream`, one node, so that it waits for `previous` at most
/// (null: for nothing), and what the stream captures next does not wait for it, but for `now` as it
/// did before. `issue` returns whether it worked, and throws nothing. Null where something was
/// refused: then the capture is as it was.
template <class Issue>
driver::Node captureAlone(driver::Stream stream, const CaptureDependencies &now,
                          driver::Node previous, Issue issue) noexcept {
  const driver::EdgeData whole{};
  if (!detail::setDependencies(stream, previous ? 1 : 0, &previous, &whole))
    return nullptr;
  // A refusal is not taken for the last word from here on: the program's next node would wait for
  // another one than it should, or a node of ours would stay.
  const bool issued = issue();
  driver::Node made = issued ? detail::onlyDependency(stream) : nullptr;
  if (issued && !made)
    made = detail::onlyDependency(stream);
  if (!detail::setDependencies(stream, now.nodes.size(), now.nodes.data(), now.edges.data()))
    detail::setDependencies(stream, now.nodes.size(), now.nodes.data(), now.edges.data());
  return made;
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CAPTUREALONE_H
