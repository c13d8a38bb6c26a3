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
  std::vector<driver::EdgeData> edges;

  bool read(driver::Stream stream) {
    driver::CaptureStatus status{};
    std::uint64_t id = 0;
    driver::Graph graph = nullptr;
    const driver::Node *first = nullptr;
    const driver::EdgeData *data = nullptr;
    std::size_t count = 0;
    if (!driver::ok(driver::cu().streamGetCaptureInfo(stream, &status, &id, &graph, &first, &data,
                                                      &count)) ||
        status != driver::CaptureStatus::Active)
      return false;
    nodes.assign(first, first + count);
    edges.assign(count, driver::EdgeData{});
    if (data)
      edges.assign(data, data + count);
    return true;
  }
  bool set(driver::Stream stream) {
    return driver::ok(driver::cu().streamUpdateCaptureDependencies(
        stream, nodes.data(), edges.data(), nodes.size(), driver::setDependencies));
  }
};

/// Captures what `issue` issues to `stream`, one node, so that it waits for `previous` at most
/// (null: for nothing), and what the stream captures next does not wait for it. `issue` returns
/// whether it worked. Null where something was refused: then the capture is as it was.
template <class Issue>
driver::Node captureAlone(driver::Stream stream, driver::Node previous, Issue issue) {
  CaptureDependencies before, alone, made;
  if (!before.read(stream))
    return nullptr;
  if (previous) {
    alone.nodes = {previous};
    alone.edges.resize(1);
  }
  if (!alone.set(stream))
    return nullptr;
  const bool issued = issue();
  // A refusal is not taken for the last word here: the program's next node would wait for another
  // one than it should, or a node of ours would stay.
  const bool known = issued && (made.read(stream) || made.read(stream)) && made.nodes.size() == 1;
  if (!before.set(stream))
    before.set(stream);
  return known ? made.nodes.front() : nullptr;
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CAPTUREALONE_H
