// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EdgeTrial.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "Deadline.h"
#include "clock/Device.h"
#include "clock/StampClock.h"
#include "clock/StampLayout.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t kernels = 17;
constexpr std::size_t boundaries = kernels + 1; // the root's, and one behind each kernel
constexpr int launches = 3;                     // the last one is read, because it is warm
constexpr std::int64_t lengthNs = 4'000;

driver::KernelNodeParams singleThread(driver::Kernel kernel, void **parameters) {
  driver::KernelNodeParams params{};
  params.gridX = params.gridY = params.gridZ = 1;
  params.blockX = params.blockY = params.blockZ = 1;
  params.kernel = kernel;
  params.parameters = parameters;
  return params;
}

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.empty() ? 0 : *middle;
}

} // namespace

struct EdgeTrial::Run {
  explicit Run(Device &on) : device(on) {}
  ~Run() {
    if (exec)
      cu().graphExecDestroy(exec);
    if (graph)
      cu().graphDestroy(graph);
    if (stream)
      cu().streamDestroy(stream);
    // Memory to which a kernel may still write must not be reused.
    if (finished && memory.host)
      device.pinned().giveBack(memory);
    if (finished && buffer)
      buffer->retire();
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  bool make();
  bool launch();

  Device &device;
  StampClock clock{device.all(), std::size_t{2} * launches};
  std::shared_ptr<ReplayBuffer> buffer;
  Pinned memory; // when each kernel began, by the device's timer
  driver::Stream stream = nullptr;
  driver::Graph graph = nullptr;
  driver::Exec exec = nullptr;
  bool finished = false;
};

bool EdgeTrial::Run::make() {
  if (!ok(cu().graphCreate(&graph, 0)))
    return false;
  std::array<driver::Node, boundaries> timing{};
  std::array<StampEdge, boundaries> edges{};
  const driver::Node root = clock.addRoot(device, graph, 1);
  timing[0] = root ? clock.addFirst(device, graph, root) : nullptr;
  driver::Node before = root;
  for (std::size_t kernel = 0; kernel < kernels && timing[kernel]; ++kernel) {
    driver::DevicePointer told = memory.device + kernel * sizeof(std::uint64_t);
    unsigned long long lasts = lengthNs;
    void *parameters[] = {&told, &lasts};
    const auto params = singleThread(device.stamps().span, parameters);
    driver::Node node = nullptr;
    if (!ok(cu().graphAddKernelNode(&node, graph, &before, 1, &params)))
      return false;
    before = node;
    if (kernel > 0 && isAtLaunch(kernel)) {
      edges[kernel] = StampEdge::LaunchCompletion;
      timing[kernel] = clock.addAt(device, graph, edges[kernel], false, node,
                                   {&timing[kernel - 1], 1}, stampThreads);
    }
    if (!timing[kernel])
      return false;
    const bool isLast = kernel + 1 == kernels;
    if (device.stamps().around && (isLast || isShared(kernel + 1))) {
      edges[kernel + 1] = StampEdge::SharedWithBegin;
      timing[kernel + 1] = timing[kernel];
    } else if (isLast || !isAtLaunch(kernel + 1)) {
      const std::array<driver::Node, 2> behind = {node, timing[kernel]};
      timing[kernel + 1] = clock.addBoundary(device, graph, behind, 1);
    } else {
      timing[kernel + 1] = timing[kernel]; // until the next kernel is made
    }
  }
  driver::Node final = nullptr;
  return timing.back() && clock.finish(device, graph, timing, {&timing.back(), 1}, final) &&
         buffer->bind({root, timing, final, edges}) && ok(cu().graphInstantiate(&exec, graph, 0));
}

bool EdgeTrial::Run::launch() {
  buffer = clock.makeBuffer({boundaries});
  memory = device.pinned().take(kernels);
  if (!buffer || !memory.host ||
      !ok(cu().streamCreateWithPriority(&stream, driver::streamNonBlocking, 0)) || !make())
    return false;
  for (int i = 0; i < launches; ++i) {
    if (!ok(cu().graphLaunch(exec, stream)))
      return false;
    buffer->launched();
  }
  return true;
}

EdgeTrial::EdgeTrial(Device &device) : device_(device) {}
EdgeTrial::~EdgeTrial() = default;

std::optional<EdgeTrial::Outcome> EdgeTrial::outcome() {
  const MutexLock lock(mutex_);
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return std::nullopt;
  if (!tried_) {
    tried_ = true;
    if (!begin())
      return std::nullopt;
    Deadline deadline{std::chrono::nanoseconds(patienceNs)};
    while (!look() && !deadline.isOver())
      ;
  } else if (run_) {
    look();
  }
  return outcome_;
}

bool EdgeTrial::begin() {
  auto run = std::make_unique<Run>(device_);
  if (!run->launch())
    return false; // the replay may still run, so its memory is not given back
  run_ = std::move(run);
  return true;
}

bool EdgeTrial::look() {
  if (!run_->buffer->finished())
    return false;
  run_->finished = true;
  const Alignment::StampAxis axis = device_.alignment().stampAxis();
  Replay replay{std::vector<std::int64_t>(boundaries), {}, device_.stamps().around != nullptr};
  if (run_->buffer->read(run_->buffer->nextSequence() - 1, replay.stampsNs, {}) ==
      ReplayBuffer::State::Ready) {
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      const std::atomic_ref<std::uint64_t> told(run_->memory.host[kernel]);
      replay.beginsNs.push_back(axis.toHost(told.load(std::memory_order_relaxed)));
    }
    outcome_ = outcomeOf(replay, lengthNs);
  }
  run_.reset();
  return true;
}

std::optional<EdgeTrial::Outcome> EdgeTrial::outcomeOf(const Replay &replay,
                                                       std::int64_t lengthNs) {
  std::vector<std::int64_t> launch, end, gap, around, aroundGap;
  for (std::size_t kernel = 1; kernel < replay.beginsNs.size(); ++kernel) {
    const std::int64_t beginNs = replay.beginsNs[kernel], stampNs = replay.stampsNs[kernel];
    const std::int64_t endNs = replay.beginsNs[kernel - 1] + lengthNs; // of the previous kernel
    if (isAtLaunch(kernel)) {
      launch.push_back(stampNs - beginNs);
    } else if (replay.sharesNodes && isShared(kernel)) {
      around.push_back(stampNs - endNs);
      aroundGap.push_back(beginNs - endNs);
    } else {
      end.push_back(stampNs - endNs);
      gap.push_back(beginNs - endNs);
    }
  }
  if (launch.empty())
    return std::nullopt;
  // If others use the device, some are late, but not most.
  const StampLags lags{.launchNs = median(launch),
                       .endNs = median(end),
                       .gapNs = median(gap),
                       .rootNs = replay.stampsNs[0] - replay.beginsNs[0],
                       .aroundNs = median(around),
                       .aroundGapNs = median(aroundGap),
                       .lastNs = replay.stampsNs.back() - (replay.beginsNs.back() + lengthNs)};
  const bool isEarly = lags.launchNs < lengthNs / 2;
  const bool isBehind =
      std::all_of(launch.begin(), launch.end(), [](std::int64_t lateNs) { return lateNs >= 0; });
  return Outcome{lags, isEarly && isBehind};
}

} // namespace graphprof
