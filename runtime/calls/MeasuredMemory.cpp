// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/MeasuredMemory.h"

#include "graph/registry/TimedGraph.h"
#include "graph/topology/Frontier.h"

namespace graphprof::internal {

namespace {

// A graph that is not timed has no number yet.
std::uint64_t numberOf(driver::Exec exec) {
  const auto pair = process().execs.pairOf(exec);
  const std::uint64_t number = pair ? pair->graph() : 0;
  return number != 0 ? number : nextGraphNumber();
}

} // namespace

CaptureBeginMemory::CaptureBeginMemory(driver::Stream stream) noexcept
    : memory_(measuredMemory()), stream_(stream) {
  if (!memory_)
    return;
  (void)guarded([&] {
    Frontier frontier;
    if (Frontier::readCapture(stream, frontier) == Frontier::Status::Capturing)
      memory_->captureBegan(stream, frontier.graph);
  });
  own_.emplace(memory_);
}

CaptureBeginMemory::~CaptureBeginMemory() {
  if (own_)
    memory_->addOwn(stream_, own_->end().bytes);
}

CallEndMemory::CallEndMemory(GraphMemory::What what, driver::Exec exec,
                             driver::Graph graph) noexcept
    : memory_(measuredMemory()), what_(what), exec_(exec), graph_(graph) {
  if (!memory_)
    return;
  memory_->ends();
  if (exec_)
    own_.emplace(memory_);
  else
    memory_->failed();
}

CallEndMemory::~CallEndMemory() {
  if (!own_)
    return;
  memory_->ownExecUsed(); // where it was made for an upload
  const std::int64_t ownBytes = own_->end().bytes;
  if (what_ == GraphMemory::What::Instantiate)
    (void)guarded([&] { memory_->instantiated(exec_, graph_, numberOf(exec_), ownBytes); });
  else
    memory_->done(what_, memory_->numberOf(exec_), ownBytes);
  memory_->handOn();
}

// Declared in Guarded.h.
void prepareContext() noexcept {
  ifTracking([] {
    GraphMemory *const memory = measuredMemory();
    Device *const device = memory ? process().devices.current() : nullptr;
    GraphMemory::OwnPart own(device && !device->isPrepared() ? memory : nullptr);
    process().graphs.prepareContext();
    if (!memory)
      return;
    memory->own(own.end(), 0);
    memory->handOn();
  });
}

} // namespace graphprof::internal
