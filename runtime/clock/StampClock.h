// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The stamp clock: timestamp kernels on a side chain. Each waits for a boundary's frontier and for
// the previous stamp. No node of the program waits for a stamp, so the program's critical path does
// not change, and a launch takes as long as before. (The exceptions, and why no program hangs on
// them: graph/timing/Joins.h.) The times go to a ring in pinned memory and are read without a CUDA
// call.

#ifndef GRAPHPROF_CLOCK_STAMPCLOCK_H
#define GRAPHPROF_CLOCK_STAMPCLOCK_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "CacheLine.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "clock/StampLayout.h"
#include "clock/WarpRing.h"

namespace graphprof {

/// Does this kernel node run a kernel of graphprof's?
[[nodiscard]] bool isStampKernel(driver::Node kernel);

class StampClock final : public GraphClock {
public:
  /// `ringDepth`: how many replays a ring holds; 0: depends on the size of an entry.
  /// `completionOnly`: stamps use no other edge. `withoutKernels`: see there; outlives this.
  StampClock(Devices &devices, std::size_t ringDepth, bool completionOnly = false,
             GraphClock *withoutKernels = nullptr)
      : GraphClock(devices), ringDepth_(ringDepth), completionOnly_(completionOnly),
        withoutKernels_(withoutKernels) {}

  [[nodiscard]] Clock kind() const override { return Clock::Stamp; }
  bool prepare() override;
  driver::Node captureRoot(driver::Stream stream, const CaptureDependencies &now) override;
  driver::Node captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                               driver::Node previous) override;
  [[nodiscard]] bool blocksFollowers() const override { return false; }
  [[nodiscard]] bool reportsEnd() const override { return false; }
  [[nodiscard]] GraphClock *withoutKernels() const override { return withoutKernels_; }
  driver::Node addRoot(Device &device, driver::Graph graph, unsigned threads) override;
  driver::Node addFirst(Device &device, driver::Graph graph, driver::Node root) override;
  driver::Node addBoundary(Device &device, driver::Graph graph,
                           std::span<const driver::Node> frontier, unsigned threads) override;
  EdgeSupport edges(Device &device) override;
  driver::Node addAt(Device &device, driver::Graph graph, StampEdge edge, bool isJoined,
                     driver::Node kernel, std::span<const driver::Node> previous,
                     unsigned threads) override;
  driver::Node addRootAt(Device &device, driver::Graph graph, bool isJoined, driver::Node kernel,
                         unsigned threads) override;
  [[nodiscard]] bool isTiming(driver::Node node) const override;
  bool finish(Device &device, driver::Graph profiled, std::span<const driver::Node> timing,
              std::span<const driver::Node> sinks, driver::Node &final) override;
  [[nodiscard]] bool takesTwins() const override { return true; }
  driver::Node addTwinsEnd(Device &device, driver::Graph profiled,
                           std::span<const driver::Node> sinks) override;
  [[nodiscard]] bool timesBodies() const override { return true; }
  [[nodiscard]] bool timesChildren() const override { return true; }
  driver::Node addCount(Device &device, driver::Graph graph,
                        std::span<const driver::Node> dependencies) override;
  std::shared_ptr<ReplayBuffer> makeBuffer(const BufferNeeds &needs) override;

private:
  const std::size_t ringDepth_;
  const bool completionOnly_;
  GraphClock *const withoutKernels_;
};

/// A ring of entries in pinned memory, filled by the stamp kernels. In long graphs the stamps of a
/// replay go to device memory, and the replay's last kernel copies them to the ring.
///
/// The race with the device: the device does not see that the ring is full, and overwrites the
/// oldest entry. The root writes the replay's sequence first, and the final kernel writes it last.
/// read() accepts an entry only between the two, and checks the first again after copying, so it
/// never returns an entry that is partly overwritten. If the last stamp is of a node around the
/// last kernel, the mark may be visible before it; then read() waits for a stamp that is not older
/// than the entry's first.
class StampRing final : public ReplayBuffer {
public:
  /// `entry`: what the stamps of a replay write; address 0: the ring itself. `warps`: for the twins
  /// of kernels; null: there are none.
  StampRing(Device &device, StampControls::Control control, Pinned memory, DeviceMemory entry,
            const BufferNeeds &needs, std::uint32_t entryWords, std::uint32_t depth,
            std::unique_ptr<WarpRing> warps);

  bool bind(const ClockNodes &nodes) override;
  bool bindRoot(const ClockNodes &nodes);
  bool bindAround(const ClockNodes &nodes, std::size_t begin, std::size_t end);
  bool bindStamps(std::span<const driver::Node> nodes, std::size_t first,
                  std::span<const StampEdge> edges) override;
  bool bindCount(driver::Node node, std::size_t index, const ReplayBuffer &body) override;
  void attach(const ClockNodes &) override {}
  bool arm(driver::Exec, bool) noexcept override { return true; }
  std::uint64_t launched() noexcept override { return ++newest_; }
  void skip(std::uint64_t) noexcept override {}
  [[nodiscard]] std::uint64_t nextSequence() const override { return newest_ + 1; }
  bool order(driver::Stream stream) override;
  State read(std::uint64_t sequence, std::span<std::int64_t> times,
             std::span<Iterations> bodies) override;
  Progress look(std::uint64_t sequence, std::span<std::int64_t> times, Deadline &deadline) override;
  std::size_t readWarps(std::uint64_t sequence, std::size_t twin,
                        std::vector<WarpReading> &into) override {
    return warps_ ? warps_->read(sequence, twin, into) : 0;
  }
  [[nodiscard]] std::int64_t hostNs(std::uint64_t deviceNs) override;
  [[nodiscard]] std::uint64_t depth() const override { return depth_; }
  bool finished() override;
  void retire() override;

private:
  [[nodiscard]] std::uint64_t entryOffset(std::uint64_t sequence) const {
    return std::uint64_t{stampEntry(sequence, depth_)} * entryWords_;
  }
  [[nodiscard]] std::size_t bodyWord(std::size_t index) const {
    return wordStamps + needs_.boundaries + wordsOfBody * index;
  }
  /// The device may write it meanwhile.
  [[nodiscard]] static std::uint64_t wordOf(std::uint64_t *entry, std::size_t at) {
    return std::atomic_ref<std::uint64_t>(entry[at]).load(std::memory_order_relaxed);
  }
  /// What nobody reads.
  [[nodiscard]] std::size_t spareWord() const { return bodyWord(needs_.bodies); }

  /// The first stamp of the launch before this one; 0: it is not in the ring any more.
  [[nodiscard]] std::uint64_t firstStampBefore(std::uint64_t sequence) const;
  /// Whether the last stamp of a published entry is visible, too.
  [[nodiscard]] bool showsLastStamp(std::uint64_t *entry) const;

  Device &device_;
  const StampControls::Control control_;
  Pinned memory_;
  const DeviceMemory entry_;
  const BufferNeeds needs_;
  const std::uint32_t entryWords_;
  const std::uint32_t depth_;
  std::unique_ptr<WarpRing> warps_; // until retire()
  // The newest launch's sequence; unknown for a body. The harvest asks whether this launch has
  // finished, and another exec may have the place of one whose last launch it waits for.
  alignas(cacheLine) std::atomic<std::uint64_t> newest_;
  std::atomic<std::uint32_t> unorderedWord_ = 0; // of the stamp that may be late; 0: none
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPCLOCK_H
