// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/WarpRing.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "clock/StampLayout.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

static_assert(sizeof(device::Warp) == wordsOfWarp * sizeof(std::uint64_t));
static_assert(sizeof(device::Entry) == sizeof(std::uint64_t));

namespace {

constexpr std::size_t mostWords = std::size_t{2} * 1024 * 1024; // of one replay: 16 MiB
constexpr std::size_t warpRingWords =
    std::size_t{4} * 1024 * 1024; // 32 MiB, unless a few replays need more
constexpr std::size_t fewestReplays = 4, mostReplays = 256;
constexpr unsigned fewestEntries = 32;

std::size_t warpsOf(std::span<const WarpPlan> plans) {
  std::size_t warps = 0;
  for (const WarpPlan &plan : plans)
    warps += plan.warps;
  return warps;
}

std::size_t wordsOf(std::size_t warps, std::size_t entriesPerWarp) {
  return warps * (wordsOfWarp + entriesPerWarp);
}

std::uint64_t wordAt(std::uint64_t *words, std::size_t at) {
  return std::atomic_ref<std::uint64_t>(words[at]).load(std::memory_order_acquire);
}

// Of Warp::state and Entry::what.
unsigned tagIn(unsigned what) { return what >> warpTagShift; }
unsigned numberIn(unsigned what) { return what & ((1U << warpTagShift) - 1); }

unsigned lower(std::uint64_t word) { return static_cast<unsigned>(word); }
unsigned upper(std::uint64_t word) { return static_cast<unsigned>(word >> 32); }

} // namespace

unsigned WarpRing::entriesFor(std::span<const WarpPlan> plans, unsigned wanted) {
  const std::size_t warps = std::max<std::size_t>(1, warpsOf(plans));
  if (wordsOf(warps, std::min(wanted, fewestEntries)) > mostWords)
    return 0;
  return static_cast<unsigned>(std::min<std::size_t>(wanted, mostWords / warps - wordsOfWarp));
}

std::unique_ptr<WarpRing> WarpRing::make(Device &device, std::vector<WarpPlan> plans,
                                         unsigned entriesPerWarp) {
  const std::size_t words = wordsOf(warpsOf(plans), entriesPerWarp);
  const std::size_t depth =
      std::clamp(warpRingWords / std::max<std::size_t>(1, words), fewestReplays, mostReplays);
  const DeviceMemory memory = device.memory().take(wordsOfWarpHeader + words);
  const Pinned ring = memory.address ? device.pinned().take(words * depth) : Pinned();
  if (ring.host)
    return std::unique_ptr<WarpRing>(new WarpRing(device, std::move(plans), entriesPerWarp,
                                                  static_cast<unsigned>(depth), memory, ring));
  if (memory.address)
    device.memory().giveBack(memory);
  return nullptr;
}

WarpRing::WarpRing(Device &device, std::vector<WarpPlan> plans, unsigned entriesPerWarp,
                   unsigned depth, DeviceMemory memory, Pinned ring)
    : device_(device), plans_(std::move(plans)), entriesPerWarp_(entriesPerWarp), depth_(depth),
      memory_(memory), ring_(ring) {
  unsigned first = 0;
  for (const WarpPlan &plan : plans_)
    first_.push_back(std::exchange(first, first + plan.warps));
  first_.push_back(first);
  // It may have been another exec's. The number of what twins write may be any.
  const std::size_t words = wordsOf(first, entriesPerWarp_);
  for (std::size_t slot = 0; slot < depth_ && !ring_.zeroed; ++slot)
    std::fill_n(ring_.host + slot * words, std::size_t{first} * wordsOfWarp, 0);
}

void WarpRing::retire() noexcept {
  device_.pinned().giveBack(ring_);
  device_.memory().giveBack(memory_);
}

bool WarpRing::bindTwin(driver::Node node, std::size_t twin) const {
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  const driver::DevicePointer warps = memory_.address + wordsOfWarpHeader * bytes,
                              entries = warps + std::size_t{first_.back()} * wordsOfWarp * bytes;
  const auto at = [](driver::DevicePointer address) {
    return reinterpret_cast<void *>(address); // NOLINT(performance-no-int-to-ptr): the device's
  };
  device::Recording recording{};
  recording.sequence = static_cast<const unsigned long long *>(at(memory_.address));
  recording.warps =
      static_cast<device::Warp *>(at(warps + std::size_t{first_[twin]} * wordsOfWarp * bytes));
  recording.entries = static_cast<device::Entry *>(
      at(entries + std::size_t{first_[twin]} * entriesPerWarp_ * bytes));
  recording.depth = 1;
  recording.warpsPerReplay = plans_[twin].warps;
  recording.entriesPerWarp = entriesPerWarp_;
  recording.everyBlock = plans_[twin].everyBlock;
  recording.warpsPerBlock = plans_[twin].warpsPerBlock;
  driver::KernelNodeParams params{};
  if (!ok(cu().graphKernelNodeGetParams(node, &params)) || !params.parameters)
    return false;
  std::vector<void *> parameters(params.parameters,
                                 params.parameters + plans_[twin].parameters + 1);
  parameters.front() = &recording;
  params.parameters = parameters.data();
  return ok(cu().graphKernelNodeSetParams(node, &params));
}

bool WarpRing::bind(const TwinNodes &nodes, driver::DevicePointer control) const {
  for (std::size_t twin = 0; twin < plans_.size(); ++twin)
    if (!bindTwin(nodes.twins[twin], twin))
      return false;
  driver::DevicePointer memory = memory_.address, ring = ring_.device;
  unsigned depth = depth_, warps = first_.back(), entries = entriesPerWarp_;
  void *parameters[] = {&control, &memory, &ring, &depth, &warps, &entries};
  driver::KernelNodeParams params{};
  if (!ok(cu().graphKernelNodeGetParams(nodes.publishing, &params)))
    return false;
  params.parameters = parameters;
  return ok(cu().graphKernelNodeSetParams(nodes.publishing, &params));
}

std::size_t WarpRing::read(std::uint64_t sequence, std::size_t twin,
                           std::vector<WarpReading> &into) const {
  std::size_t lost = 0;
  for (unsigned number = 0; number < plans_[twin].warps; ++number) {
    WarpReading reading;
    switch (readWarp(sequence, twin, number, reading)) {
    case Written::Yes:
      into.push_back(std::move(reading));
      break;
    case Written::Overwritten:
      ++lost;
      break;
    case Written::No:
      break;
    }
  }
  return lost;
}

WarpRing::Written WarpRing::readWarp(std::uint64_t sequence, std::size_t twin, unsigned number,
                                     WarpReading &reading) const {
  const unsigned tag = device::tagOf(sequence);
  const WarpPlan &plan = plans_[twin];
  const std::size_t warps = first_.back(), warp = std::size_t{first_[twin]} + number;
  std::uint64_t *const slot = ring_.host + sequence % depth_ * wordsOf(warps, entriesPerWarp_);
  std::uint64_t *const own = slot + warp * wordsOfWarp; // a device::Warp
  std::uint64_t *const entries = slot + warps * wordsOfWarp + warp * entriesPerWarp_;
  const std::uint64_t state = wordAt(own, 3);
  if (lower(state) == 0)
    return Written::No;
  const unsigned count = numberIn(lower(state)), kept = std::min(count, entriesPerWarp_);
  reading.block = number / plan.warpsPerBlock * plan.everyBlock;
  reading.warp = number % plan.warpsPerBlock;
  reading.multiprocessor = upper(state);
  reading.beginNs = wordAt(own, 0);
  reading.endNs = wordAt(own, 1);
  reading.cycles = upper(wordAt(own, 2)) - lower(wordAt(own, 2));
  reading.beginClock = lower(wordAt(own, 2));
  reading.beyond = count - kept;
  reading.entries.reserve(kept);
  bool isWhole = tagIn(lower(state)) == tag;
  for (unsigned i = 0; i < kept && isWhole; ++i) {
    const std::uint64_t word = wordAt(entries, i);
    isWhole = tagIn(upper(word)) == tag;
    reading.entries.push_back({lower(word), numberIn(upper(word))});
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return isWhole && wordAt(own, 3) == state ? Written::Yes : Written::Overwritten;
}

} // namespace graphprof
