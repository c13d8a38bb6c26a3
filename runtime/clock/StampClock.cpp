// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/StampClock.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "clock/ExclusiveCapture.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// The size of a ring: half a second of two-millisecond replays with 256 regions, or 80 ms of 20 us
// replays with ten.
constexpr std::size_t ringWords = std::size_t{128} * 1024;
constexpr std::size_t smallestDepth = 16;
constexpr std::size_t largestDepth = 4096;
// Entries begin on 64-byte lines, so that two replays share no line.
constexpr std::size_t lineWords = 8;

driver::KernelNodeParams oneBlock(driver::Kernel kernel, void **parameters, unsigned threads = 1) {
  driver::KernelNodeParams params{};
  params.gridX = params.gridY = params.gridZ = 1;
  params.blockX = threads;
  params.blockY = params.blockZ = 1;
  params.kernel = kernel;
  params.parameters = parameters;
  return params;
}

// The kernels' parameters, in the order of StampKernels.cu.
struct RootParameters {
  driver::DevicePointer control = 0, ring = 0;
  unsigned depth = 1, entryWords = 0;
  driver::DevicePointer memory = 0;
  void *list[5] = {&control, &ring, &depth, &entryWords, &memory};
};
struct StampParameters {
  driver::DevicePointer control = 0;
  unsigned word = 0;
  void *list[2] = {&control, &word};
};
struct FirstParameters {
  driver::DevicePointer control = 0;
  void *list[1] = {&control};
};
struct LastParameters { // of the final kernel, too, but for the word
  driver::DevicePointer control = 0, ring = 0;
  unsigned depth = 1, entryWords = 0, word = 0;
  void *list[5] = {&control, &ring, &depth, &entryWords, &word};
};
struct AroundParameters {
  driver::DevicePointer control = 0, ring = 0;
  unsigned depth = 1, entryWords = 0;
  driver::DevicePointer memory = 0;
  unsigned beginWord = 0, endWord = 0;
  bool opens = false, publishes = false;
  void *list[9] = {&control,   &ring,    &depth, &entryWords, &memory,
                   &beginWord, &endWord, &opens, &publishes};
};
struct CountParameters {
  driver::DevicePointer control = 0;
  unsigned word = 0;
  driver::DevicePointer body = 0;
  void *list[3] = {&control, &word, &body};
};

driver::Node addKernel(driver::Graph graph, std::span<const driver::Node> dependencies,
                       const driver::KernelNodeParams &params) {
  driver::Node node = nullptr;
  return params.kernel && ok(cu().graphAddKernelNode(&node, graph, dependencies.data(),
                                                     dependencies.size(), &params))
             ? node
             : nullptr;
}

// The same with edges that have data.
driver::Node addKernelAt(driver::Graph graph, std::span<const driver::Node> dependencies,
                         std::span<const driver::EdgeData> edges,
                         const driver::KernelNodeParams &params) {
  driver::Node node = nullptr;
  driver::NodeParams all{};
  all.type = driver::NodeType::Kernel;
  all.kernel = params;
  return params.kernel && ok(cu().graphAddNode(&node, graph, dependencies.data(), edges.data(),
                                               dependencies.size(), &all))
             ? node
             : nullptr;
}

// A programmatic edge lets the node wait on the device for the kernel's end (waitsOnDevice()). For
// joined stamps, an ordinary edge on the same port costs a third of that (H200).
driver::EdgeData dataOf(StampEdge edge, bool isJoined) {
  driver::EdgeData data{};
  const bool isAtLaunch = edge == StampEdge::LaunchCompletion || edge == StampEdge::WaitsBeside;
  data.fromPort = isAtLaunch ? driver::portLaunchOrder : driver::portProgrammatic;
  data.type = isAtLaunch && isJoined ? driver::edgeOrdinary : driver::edgeProgrammatic;
  return data;
}

// Sets what a timing node runs. Its block stays as it was made.
bool setKernel(driver::Node node, driver::Kernel kernel, void **parameters) {
  driver::KernelNodeParams made{};
  if (!ok(cu().graphKernelNodeGetParams(node, &made)))
    return false;
  const driver::KernelNodeParams params = oneBlock(kernel, parameters, made.blockX);
  return ok(cu().graphKernelNodeSetParams(node, &params));
}

StampEdge edgeAt(std::span<const StampEdge> edges, std::size_t boundary) {
  return boundary < edges.size() ? edges[boundary] : StampEdge::Completion;
}

bool launchSingle(driver::Function function, driver::Stream stream, void **parameters) {
  return ok(cu().launchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
}

} // namespace

bool isStampKernel(driver::Node kernel) {
  driver::KernelNodeParams params{};
  if (!ok(cu().graphKernelNodeGetParams(kernel, &params)))
    return false;
  const char *name = nullptr;
  const bool named = params.function ? ok(cu().functionGetName(&name, params.function))
                                     : ok(cu().kernelGetName(&name, params.kernel));
  return named && std::string_view(name).starts_with("graphprof_");
}

bool StampClock::prepare() {
  Device *device = currentDevice();
  return device && device->loadStamps();
}

// Until a buffer is bound, the control is null and the kernels do nothing.
driver::Node StampClock::captureRoot(driver::Stream stream, const CaptureDependencies &now) {
  RootParameters parameters;
  return captureAlone(stream, now, nullptr, [&] {
    const Device *device = currentDevice();
    return device && launchSingle(device->stamps().rootFunction, stream, parameters.list);
  });
}

driver::Node StampClock::captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                                         driver::Node previous) {
  StampParameters parameters;
  return captureAlone(stream, now, previous, [&] {
    const Device *device = currentDevice();
    return device && launchSingle(device->stamps().stampFunction, stream, parameters.list);
  });
}

driver::Node StampClock::addRoot(Device &device, driver::Graph graph, unsigned threads) {
  RootParameters parameters;
  return addKernel(graph, {}, oneBlock(device.stamps().root, parameters.list, threads));
}

driver::Node StampClock::addFirst(Device &device, driver::Graph graph, driver::Node root) {
  FirstParameters parameters;
  return addKernel(graph, {&root, 1}, oneBlock(device.stamps().first, parameters.list));
}

driver::Node StampClock::addBoundary(Device &device, driver::Graph graph,
                                     std::span<const driver::Node> frontier, unsigned threads) {
  StampParameters parameters;
  return addKernel(graph, frontier, oneBlock(device.stamps().stamp, parameters.list, threads));
}

EdgeSupport StampClock::edges(Device &device) {
  EdgeSupport support;
  if (completionOnly_)
    return support;
  if (const std::optional<StampLags> lags = device.edgeTrial().lags()) {
    support.launchCompletion = true;
    support.lags = *lags;
  }
  support.programmatic = device.stamps().waiting && device.stamps().triggering;
  support.around = support.launchCompletion && device.stamps().around;
  return support;
}

// A stamp has the lowest priority by default, so never a higher one than the kernel.
driver::Node StampClock::addAt(Device &device, driver::Graph graph, StampEdge edge, bool isJoined,
                               driver::Node kernel, std::span<const driver::Node> previous,
                               unsigned threads) {
  StampParameters parameters;
  std::vector<driver::Node> dependencies = {kernel};
  dependencies.insert(dependencies.end(), previous.begin(), previous.end());
  std::vector<driver::EdgeData> edges(dependencies.size());
  edges.front() = dataOf(edge, isJoined);
  return addKernelAt(graph, dependencies, edges,
                     oneBlock(device.stamps().at(edge), parameters.list, threads));
}

driver::Node StampClock::addRootAt(Device &device, driver::Graph graph, bool isJoined,
                                   driver::Node kernel, unsigned threads) {
  RootParameters parameters;
  const driver::EdgeData data = dataOf(StampEdge::LaunchCompletion, isJoined);
  return addKernelAt(graph, {&kernel, 1}, {&data, 1},
                     oneBlock(device.stamps().root, parameters.list, threads));
}

bool StampClock::isTiming(driver::Node node) const {
  driver::NodeType type{};
  return ok(cu().graphNodeGetType(node, &type)) && type == driver::NodeType::Kernel &&
         isStampKernel(node);
}

// If the last stamp comes behind everything, as when a region ends with the capture, it also
// publishes. That saves a kernel at the end of each replay.
bool StampClock::finish(Device &device, driver::Graph profiled,
                        std::span<const driver::Node> timing, std::span<const driver::Node> sinks,
                        driver::Node &final) {
  if (timing.size() > 1 && sinks.size() == 1 && sinks[0] == timing.back()) {
    final = timing.back();
    return true;
  }
  LastParameters parameters;
  final =
      addKernel(profiled, sinks, oneBlock(device.stamps().final, parameters.list, stampThreads));
  return final != nullptr;
}

driver::Node StampClock::addCount(Device &device, driver::Graph graph,
                                  std::span<const driver::Node> dependencies) {
  CountParameters parameters;
  return addKernel(graph, dependencies, oneBlock(device.stamps().count, parameters.list));
}

driver::Node StampClock::addTwinsEnd(Device &device, driver::Graph profiled,
                                     std::span<const driver::Node> sinks) {
  driver::DevicePointer control = 0, memory = 0, ring = 0; // until a buffer is bound
  unsigned depth = 1, warps = 0, entries = 0;
  void *parameters[] = {&control, &memory, &ring, &depth, &warps, &entries};
  return addKernel(profiled, sinks,
                   oneBlock(device.stamps().publishWarps, parameters, publishThreads));
}

std::shared_ptr<ReplayBuffer> StampClock::makeBuffer(const BufferNeeds &needs) {
  Device *device = currentDevice();
  if (!device)
    return nullptr;
  const std::size_t words = wordStamps + needs.boundaries + wordsOfBody * needs.bodies + 1;
  const std::size_t entryWords = (words + lineWords - 1) / lineWords * lineWords;
  const std::size_t depth =
      ringDepth_ ? ringDepth_ : std::clamp(ringWords / entryWords, smallestDepth, largestDepth);
  const StampControls::Control control =
      needs.ofBody ? StampControls::Control{device->controls().takeForBody(), 0}
                   : device->controls().take();
  if (control.index == StampControls::none)
    return nullptr;
  const Pinned memory = device->pinned().take(entryWords * depth);
  const DeviceMemory entry =
      memory.host && needs.nodes >= longGraph ? device->entries().take(entryWords) : DeviceMemory();
  std::unique_ptr<WarpRing> warps;
  try {
    if (memory.host && !needs.twins.empty())
      warps = WarpRing::make(*device, needs.twins, needs.entriesPerWarp);
    if (memory.host && (warps || needs.twins.empty()))
      return std::make_shared<StampRing>(*device, control, memory, entry, needs,
                                         static_cast<std::uint32_t>(entryWords),
                                         static_cast<std::uint32_t>(depth), std::move(warps));
  } catch (...) { // no memory
    if (warps)
      warps->retire();
  }
  if (entry.address)
    device->entries().giveBack(entry);
  if (memory.host)
    device->pinned().giveBack(memory);
  needs.ofBody ? device->controls().giveBackOfBody(control.index)
               : device->controls().giveBack(control);
  return nullptr;
}

StampRing::StampRing(Device &device, StampControls::Control control, Pinned memory,
                     DeviceMemory entry, const BufferNeeds &needs, std::uint32_t entryWords,
                     std::uint32_t depth, std::unique_ptr<WarpRing> warps)
    : device_(device), control_(control), memory_(memory), entry_(entry), needs_(needs),
      entryWords_(entryWords), depth_(depth), warps_(std::move(warps)), newest_(control.sequence) {
  // The memory may have been another ring's, so marks every entry as neither begun nor ended. Times
  // that remain are older than any that will be written.
  for (std::size_t entry = 0; entry < depth && !memory.zeroed; ++entry) {
    std::uint64_t *const words = memory.host + entry * entryWords;
    words[wordBegin] = words[wordEnd] = words[wordStamps] = 0;
  }
}

// A node for a kernel's begin and end, or for its end alone (`begin` == `end`: the begin goes where
// nobody reads it, so that a stamp of an end means an end at any time). It may also be the root,
// and the node that publishes.
bool StampRing::bindAround(const ClockNodes &nodes, std::size_t begin, std::size_t end) {
  const driver::Node node = nodes.boundaries[end];
  AroundParameters around;
  around.control = device_.controls().address(control_.index);
  around.ring = memory_.device;
  around.depth = depth_;
  around.entryWords = entryWords_;
  around.memory = entry_.address;
  around.opens = node == nodes.root;
  around.beginWord = static_cast<unsigned>(begin == end ? spareWord() : wordStamps + begin);
  around.endWord = static_cast<unsigned>(wordStamps + end);
  around.publishes = node == nodes.final;
  if (around.publishes)
    unorderedWord_ = around.endWord;
  return setKernel(node, device_.stamps().around, around.list);
}

bool StampRing::bindRoot(const ClockNodes &nodes) {
  const driver::DevicePointer control = device_.controls().address(control_.index);
  RootParameters root;
  root.control = control;
  root.ring = memory_.device;
  root.depth = depth_;
  root.entryWords = entryWords_;
  root.memory = entry_.address;
  const bool isFirst = nodes.root == nodes.boundaries[0];
  if (!setKernel(nodes.root, isFirst ? device_.stamps().root : device_.stamps().open, root.list))
    return false;
  FirstParameters first;
  first.control = control;
  return isFirst || setKernel(nodes.boundaries[0], device_.stamps().first, first.list);
}

bool StampRing::bind(const ClockNodes &nodes) {
  std::unordered_map<driver::Node, std::size_t> begins; // each node's first boundary
  std::unordered_set<driver::Node> around;
  for (std::size_t end = 0; end < nodes.edges.size(); ++end) {
    const auto begin = begins.try_emplace(nodes.boundaries[end], end).first;
    if (!waitsOnDevice(nodes.edges[end]))
      continue;
    around.insert(begin->first);
    if (!bindAround(nodes, begin->second, end))
      return false;
  }
  if (!around.contains(nodes.root) && !bindRoot(nodes))
    return false;

  const driver::DevicePointer control = device_.controls().address(control_.index);
  if (warps_ && !(nodes.twins && warps_->bind(*nodes.twins, control)))
    return false;
  StampParameters stamp;
  stamp.control = control;
  LastParameters last;
  last.control = control;
  last.ring = memory_.device;
  last.depth = depth_;
  last.entryWords = entryWords_;
  for (std::size_t k = 1; k < nodes.boundaries.size(); ++k) {
    stamp.word = last.word = static_cast<unsigned>(wordStamps + k);
    const driver::Node node = nodes.boundaries[k];
    if (around.contains(node))
      continue;
    if (!(node == nodes.final
              ? setKernel(node, device_.stamps().last, last.list)
              : setKernel(node, device_.stamps().at(edgeAt(nodes.edges, k)), stamp.list)))
      return false;
  }
  if (std::find(nodes.boundaries.begin(), nodes.boundaries.end(), nodes.final) !=
      nodes.boundaries.end())
    return true;
  return setKernel(nodes.final, device_.stamps().final, last.list);
}

bool StampRing::bindStamps(std::span<const driver::Node> nodes, std::size_t first,
                           std::span<const StampEdge> edges) {
  StampParameters stamp;
  stamp.control = device_.controls().address(control_.index);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    stamp.word = static_cast<unsigned>(wordStamps + first + i);
    if (!setKernel(nodes[i], device_.stamps().at(edgeAt(edges, i)), stamp.list))
      return false;
  }
  return true;
}

bool StampRing::bindCount(driver::Node node, std::size_t index, const ReplayBuffer &body) {
  CountParameters count;
  count.control = device_.controls().address(control_.index);
  count.word = static_cast<unsigned>(bodyWord(index));
  // Buffers of one graph come from one clock.
  count.body = device_.controls().address(static_cast<const StampRing &>(body).control_.index);
  return setKernel(node, device_.stamps().count, count.list);
}

// Waits on the device for the final kernel's mark. Needs neither the old stream nor an event in it.
bool StampRing::order(driver::Stream stream) {
  const std::uint64_t newest = newest_;
  const std::uint64_t word = entryOffset(newest) + wordEnd;
  return ok(cu().streamWaitValue64(stream, memory_.device + word * sizeof(std::uint64_t), newest,
                                   driver::waitValueGreaterEqual));
}

ReplayBuffer::State StampRing::read(std::uint64_t sequence, std::span<std::int64_t> times,
                                    std::span<Iterations> bodies) {
  std::uint64_t *const entry = memory_.host + entryOffset(sequence);
  const std::atomic_ref<std::uint64_t> begin(entry[wordBegin]);
  const std::atomic_ref<std::uint64_t> end(entry[wordEnd]);

  if (begin.load(std::memory_order_acquire) > sequence)
    return State::Lost;
  if (end.load(std::memory_order_acquire) != sequence)
    return end.load(std::memory_order_relaxed) > sequence ? State::Lost : State::Pending;

  const auto word = [entry](std::size_t at) { return wordOf(entry, at); };
  if (!showsLastStamp(entry))
    return State::Pending;

  const Alignment::StampAxis axis = device_.alignment().stampAxis();
  std::uint64_t opened = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::uint64_t stamp = word(wordStamps + k);
    if (k == 0)
      opened = stamp;
    // A stamp older than the root's is from an earlier replay: this one did not reach the boundary.
    times[k] = stamp < opened ? unreached : axis.toHost(stamp);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[i] = {word(bodyWord(i)), word(bodyWord(i) + 1)};
  std::atomic_thread_fence(std::memory_order_acquire);
  return begin.load(std::memory_order_relaxed) == sequence ? State::Ready : State::Lost;
}

std::int64_t StampRing::hostNs(std::uint64_t deviceNs) {
  return device_.alignment().stampAxis().toHost(deviceNs);
}

bool StampRing::finished() {
  const std::uint64_t newest = newest_;
  std::uint64_t *const entry = memory_.host + entryOffset(newest);
  const std::uint64_t ended =
      std::atomic_ref<std::uint64_t>(entry[wordEnd]).load(std::memory_order_acquire);
  return ended > newest || (ended == newest && showsLastStamp(entry));
}

bool StampRing::showsLastStamp(std::uint64_t *entry) const {
  const std::uint32_t last = unorderedWord_;
  return last == 0 || wordOf(entry, last) >= wordOf(entry, wordStamps);
}

void StampRing::retire() {
  needs_.ofBody ? device_.controls().giveBackOfBody(control_.index)
                : device_.controls().giveBack({control_.index, newest_});
  device_.pinned().giveBack(memory_);
  if (entry_.address)
    device_.entries().giveBack(entry_);
  if (warps_)
    warps_->retire();
  warps_.reset();
}

} // namespace graphprof
