// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Frontier.h"

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

Frontier::Status Frontier::read(driver::Stream stream, Frontier &frontier) {
  driver::CaptureStatus status{};
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  if (!ok(cu().streamGetCaptureInfo(stream, &status, &frontier.captureId, &frontier.graph, &nodes,
                                    &edges, &count)))
    return Status::Refused;
  if (status == driver::CaptureStatus::None)
    return Status::Eager;
  if (status != driver::CaptureStatus::Active)
    return Status::Refused;
  frontier.nodes.assign(nodes, nodes + count);
  if (edges)
    frontier.edges.assign(edges, edges + count);
  else
    frontier.edges.assign(count, driver::EdgeData{});
  return Status::Capturing;
}

} // namespace graphprof
