// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Frontier.h"

#include "cuda/Driver.h"
#include "graph/topology/CommandLists.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// What a stream is behind, as the driver lists it.
struct Behind {
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
};

Frontier::Status ask(driver::Stream stream, Frontier &frontier, Behind &behind) {
  driver::CaptureStatus status{};
  if (CommandLists::take(stream))
    return Frontier::Status::Refused;
  if (!ok(cu().streamGetCaptureInfo(stream, &status, &frontier.captureId, &frontier.graph,
                                    &behind.nodes, &behind.edges, &behind.count)))
    return Frontier::Status::Refused;
  if (status == driver::CaptureStatus::None)
    return Frontier::Status::Eager;
  return status == driver::CaptureStatus::Active ? Frontier::Status::Capturing
                                                 : Frontier::Status::Refused;
}

} // namespace

Frontier::Status Frontier::read(driver::Stream stream, Frontier &frontier) {
  Behind behind;
  const Status status = ask(stream, frontier, behind);
  if (status != Status::Capturing)
    return status;
  frontier.nodes.assign(behind.nodes, behind.nodes + behind.count);
  if (behind.edges)
    frontier.edges.assign(behind.edges, behind.edges + behind.count);
  else
    frontier.edges.assign(behind.count, driver::EdgeData{});
  return status;
}

Frontier::Status Frontier::readCapture(driver::Stream stream, Frontier &frontier) {
  Behind unread;
  return ask(stream, frontier, unread);
}

} // namespace graphprof
