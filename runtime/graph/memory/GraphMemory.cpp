// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/memory/GraphMemory.h"

#include <utility>
#include <vector>

#include "Thrown.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/topology/Nodes.h"
#include "output/data/ReplaySink.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// What this thread's call took so far.
struct OfThread {
  Stretches::Stretch stretch;
  Stretches::Taken taken;
  bool isTaken = false;
  std::int64_t ownBytes = 0;
  // The first launch of an exec, between launches() and launched().
  Stretches::Stretch launch;
  // That of an exec of graphprof's, of the graph of this number.
  Stretches::Stretch ownLaunch;
  std::uint64_t ownNumber = 0;
};
constinit thread_local OfThread ofThread;

// The nodes that allocate, with those of child graphs.
void addAllocations(driver::Graph graph, GraphMemoryStep &step) {
  const auto nodes = nodesOf(graph);
  if (!nodes)
    return;
  for (const driver::Node node : *nodes) {
    driver::NodeType type{};
    if (!ok(cu().graphNodeGetType(node, &type)))
      continue;
    if (type == driver::NodeType::Graph) {
      driver::Graph child = nullptr;
      if (ok(cu().graphChildGraphNodeGetGraph(node, &child)))
        addAllocations(child, step);
    } else if (type == driver::NodeType::MemAlloc) {
      driver::AllocationNodeParams params{};
      if (!ok(cu().graphMemAllocNodeGetParams(node, &params)))
        continue;
      ++step.allocations;
      step.allocatedBytes += params.bytes;
    }
  }
}

GraphMemoryStep stepOf(GraphMemoryStep::What what, const Stretches::Taken &taken,
                       std::uint64_t number) {
  GraphMemoryStep step;
  step.what = what;
  step.graph = number;
  step.device = taken.device;
  step.timeNs = hostNowNs();
  step.bytes = taken.bytes;
  step.poolBytes = taken.poolBytes;
  step.overlaps = taken.overlaps;
  return step;
}

} // namespace

GraphMemory::GraphMemory(Services &services, ReplaySink &sink) noexcept
    : isOn_(services.config().graphMemory), counters_(services.counters), sink_(sink) {}

template <class Work> void GraphMemory::keep(Work work) noexcept {
  if (!survived(work))
    ++counters_.dropped;
}

GraphMemoryTotals GraphMemory::totals() const {
  const MutexLock lock(mutex_);
  return totals_;
}

GraphMemory::OwnPart::OwnPart(GraphMemory *memory) noexcept : memory_(memory) {
  if (memory_)
    stretch_ = memory_->stretches_.begin(false);
}

GraphMemory::OwnPart::~OwnPart() {
  if (memory_)
    memory_->stretches_.drop(stretch_);
}

Stretches::Taken GraphMemory::OwnPart::end() noexcept {
  return memory_ ? memory_->stretches_.end(stretch_).value_or(Stretches::Taken())
                 : Stretches::Taken();
}

void GraphMemory::add(const GraphMemoryStep &step) noexcept {
  const MutexLock lock(mutex_);
  switch (step.what) {
  case What::Capture:
    ++totals_.captures;
    totals_.captureBytes += step.bytes;
    break;
  case What::Instantiate:
    ++totals_.execs;
    totals_.instantiateBytes += step.bytes;
    break;
  case What::FirstLaunch:
    totals_.firstLaunchBytes += step.bytes;
    break;
  case What::Update:
  case What::Upload:
    totals_.otherBytes += step.bytes;
    break;
  case What::Own:
    totals_.ownBytes += step.bytes;
    break;
  }
  totals_.poolBytes += step.poolBytes;
  keep([&] {
    mutex_.assertHeld();
    done_.push_back(step);
  });
}

void GraphMemory::handOn() noexcept {
  std::vector<GraphMemoryStep> done;
  {
    const MutexLock lock(mutex_);
    done.swap(done_);
  }
  for (const GraphMemoryStep &step : done)
    sink_.consume(step);
}

void GraphMemory::add(What what, const Stretches::Taken &taken, std::uint64_t number) noexcept {
  add(stepOf(what, taken, number));
}

void GraphMemory::own(const Stretches::Taken &taken, std::uint64_t graph) noexcept {
  if (taken.device >= 0 && taken.bytes != 0)
    add(What::Own, taken, graph);
}

void GraphMemory::add(const Captured &captured, std::uint64_t number) noexcept {
  GraphMemoryStep step = captured.step;
  step.graph = number;
  if (step.device >= 0)
    add(step);
  own({step.device, captured.ownBytes}, number);
}

void GraphMemory::captureBegan(driver::Stream stream, driver::Graph graph) noexcept {
  const driver::ContextOf current(stream);
  Captured captured;
  captured.graph = graph;
  captured.stretch = stretches_.begin(false);
  Captured before; // a capture whose end was not seen, as of a stream that is gone
  bool isKept = false;
  keep([&] {
    const MutexLock lock(mutex_);
    before = std::exchange(capturing_[stream], captured);
    isKept = true;
  });
  stretches_.drop(isKept ? before.stretch : captured.stretch);
}

void GraphMemory::addOwn(driver::Stream stream, std::int64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  if (const auto found = capturing_.find(stream); found != capturing_.end())
    found->second.ownBytes += bytes;
}

void GraphMemory::allocated(driver::Stream stream, std::size_t bytes) noexcept {
  const MutexLock lock(mutex_);
  const auto found = capturing_.find(stream);
  if (found == capturing_.end())
    return;
  ++found->second.step.allocations;
  found->second.step.allocatedBytes += bytes;
}

driver::Graph GraphMemory::captureEnded(driver::Stream stream, bool succeeded) noexcept {
  Captured captured;
  {
    const MutexLock lock(mutex_);
    const auto found = capturing_.find(stream);
    if (found == capturing_.end())
      return nullptr;
    captured = found->second;
    capturing_.erase(found);
  }
  if (const auto taken = stretches_.end(captured.stretch)) {
    GraphMemoryStep step = stepOf(What::Capture, *taken, 0);
    step.allocations = captured.step.allocations;
    step.allocatedBytes = captured.step.allocatedBytes;
    captured.step = step;
  }
  if (!succeeded) {
    add(captured, 0);
    return nullptr;
  }
  // One of a graph whose destruction was not seen, or another capture into the same graph.
  if (const auto before = take(captured.graph))
    add(*before, 0);
  keep([&] {
    const MutexLock lock(mutex_);
    captured_.insert_or_assign(captured.graph, captured);
  });
  return captured.graph;
}

void GraphMemory::addOwn(driver::Graph graph, std::int64_t bytes) noexcept {
  const MutexLock lock(mutex_);
  if (const auto found = captured_.find(graph); found != captured_.end())
    found->second.ownBytes += bytes;
}

std::optional<GraphMemory::Captured> GraphMemory::take(driver::Graph graph) noexcept {
  const MutexLock lock(mutex_);
  const auto found = captured_.find(graph);
  if (found == captured_.end())
    return std::nullopt;
  const Captured captured = found->second;
  captured_.erase(found);
  return captured;
}

void GraphMemory::graphGoes(driver::Graph graph) noexcept {
  if (const auto captured = take(graph))
    add(*captured, 0);
}

void GraphMemory::finish() noexcept {
  while (true) {
    driver::Graph graph = nullptr;
    {
      const MutexLock lock(mutex_);
      if (captured_.empty())
        break;
      graph = captured_.begin()->first;
    }
    graphGoes(graph);
  }
  handOn();
}

void GraphMemory::begins(std::int64_t ownBytes) noexcept {
  stretches_.drop(ofThread.stretch); // of a call whose end was not seen
  ofThread.isTaken = false;
  ofThread.ownBytes = ownBytes;
  ofThread.stretch = stretches_.begin(true);
}

void GraphMemory::ends() noexcept {
  const auto taken = stretches_.end(ofThread.stretch);
  ofThread.isTaken = taken.has_value();
  if (taken)
    ofThread.taken = *taken;
}

void GraphMemory::failed() noexcept { ofThread.isTaken = false; }

void GraphMemory::done(What what, std::uint64_t number, std::int64_t ownBytes) noexcept {
  if (!std::exchange(ofThread.isTaken, false))
    return;
  add(what, ofThread.taken, number);
  own({ofThread.taken.device, std::exchange(ofThread.ownBytes, 0) + ownBytes}, number);
}

void GraphMemory::instantiated(driver::Exec exec, driver::Graph graph, std::uint64_t number,
                               std::int64_t ownBytes) noexcept {
  if (const auto captured = take(graph))
    add(*captured, number);
  execGoes(exec); // whose destruction was not seen
  keep([&] {
    const MutexLock lock(mutex_);
    execs_.emplace(exec, Exec{number, false});
    ++waiting_;
  });
  if (!std::exchange(ofThread.isTaken, false))
    return;
  GraphMemoryStep step = stepOf(What::Instantiate, ofThread.taken, number);
  (void)survived([&] { addAllocations(graph, step); });
  add(step);
  own({step.device, std::exchange(ofThread.ownBytes, 0) + ownBytes}, number);
}

std::uint64_t GraphMemory::numberOf(driver::Exec exec) noexcept {
  const MutexLock lock(mutex_);
  const auto found = execs_.find(exec);
  return found == execs_.end() ? 0 : found->second.number;
}

bool GraphMemory::launches(driver::Exec exec, driver::Stream stream) noexcept {
  stretches_.drop(ofThread.launch); // of a launch that the driver refused
  stretches_.drop(ofThread.ownLaunch);
  if (waiting_.load(std::memory_order_relaxed) == 0)
    return false;
  {
    const MutexLock lock(mutex_);
    const auto found = execs_.find(exec);
    if (found == execs_.end() || found->second.launched)
      return false;
  }
  driver::CaptureStatus status = driver::CaptureStatus::None;
  if (!ok(cu().streamIsCapturing(stream, &status)) || status != driver::CaptureStatus::None)
    return false;
  const driver::ContextOf current(stream);
  ofThread.launch = stretches_.begin(true);
  return true;
}

void GraphMemory::launched(driver::Exec exec) noexcept {
  const auto taken = stretches_.end(ofThread.launch);
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    const auto found = execs_.find(exec);
    if (found == execs_.end() || found->second.launched)
      return;
    found->second.launched = true;
    --waiting_;
    number = found->second.number;
  }
  if (taken)
    add(What::FirstLaunch, *taken, number);
}

void GraphMemory::execGoes(driver::Exec exec) noexcept {
  const MutexLock lock(mutex_);
  const auto found = execs_.find(exec);
  if (found == execs_.end())
    return;
  waiting_ -= found->second.launched ? 0 : 1;
  execs_.erase(found);
}

void GraphMemory::ownExecMade(std::uint64_t number) noexcept {
  stretches_.drop(ofThread.ownLaunch);
  ofThread.ownNumber = number;
  ofThread.ownLaunch = stretches_.begin(false);
}

void GraphMemory::ownExecUsed() noexcept {
  if (const auto taken = stretches_.end(ofThread.ownLaunch))
    own(*taken, ofThread.ownNumber);
}

} // namespace graphprof
