// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The event clock: external events in the captured stream, as PyTorch programs record them by hand.
// It needs no device code and works where stamps cannot. It costs more, because every event splits
// the graph.

#ifndef GRAPHPROF_CLOCK_EVENTCLOCK_H
#define GRAPHPROF_CLOCK_EVENTCLOCK_H

#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"

namespace graphprof {

class EventClock final : public GraphClock {
public:
  /// `banks`: how many replays may be outstanding and can still be read; 0: as many as a bound on
  /// events allows.
  EventClock(Devices &devices, std::size_t banks) : GraphClock(devices), banks_(banks) {}

  [[nodiscard]] Clock kind() const override { return Clock::Event; }
  bool prepare() override { return currentDevice() != nullptr; }
  driver::Node captureRoot(driver::Stream stream, const CaptureDependencies &now) override;
  driver::Node captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                               driver::Node previous) override;
  /// An event for which nothing waits is recorded late.
  [[nodiscard]] bool blocksFollowers() const override { return true; }
  [[nodiscard]] bool reportsEnd() const override { return true; }
  driver::Node addRoot(Device &device, driver::Graph graph, unsigned threads) override;
  driver::Node addFirst(Device &, driver::Graph, driver::Node root) override { return root; }
  driver::Node addBoundary(Device &device, driver::Graph graph,
                           std::span<const driver::Node> frontier, unsigned threads) override;
  EdgeSupport edges(Device &) override { return {}; }
  driver::Node addAt(Device &, driver::Graph, StampEdge, bool, driver::Node,
                     std::span<const driver::Node>, unsigned) override {
    return nullptr;
  }
  driver::Node addRootAt(Device &, driver::Graph, bool, driver::Node, unsigned) override {
    return nullptr;
  }
  [[nodiscard]] bool isTiming(driver::Node node) const override;
  bool finish(Device &device, driver::Graph profiled, std::span<const driver::Node> timing,
              std::span<const driver::Node> sinks, driver::Node &final) override;
  /// cudaGraphInstantiate refuses a body with an event node.
  [[nodiscard]] bool timesBodies() const override { return false; }
  /// An event node splits a graph.
  [[nodiscard]] bool timesChildren() const override { return false; }
  driver::Node addCount(Device &, driver::Graph, std::span<const driver::Node>) override {
    return nullptr;
  }
  std::shared_ptr<ReplayBuffer> makeBuffer(const BufferNeeds &needs) override;

private:
  const std::size_t banks_;
};

/// Banks of events, one for each outstanding replay. Before each launch, the exec's event nodes are
/// set to a free bank, so that replays can overlap. (cudaGraphExecEventRecordNodeSetEvent affects
/// later launches only.) If no bank is free, the launch gets the spare bank, which is never read:
/// that replay is lost. A launch that is not timed gets the spare bank, too.
class EventBanks final : public ReplayBuffer {
public:
  EventBanks(Device &device, std::size_t boundaries, std::size_t maxBanks);

  bool bind(const ClockNodes &nodes) override;
  bool bindStamps(std::span<const driver::Node>, std::size_t, std::span<const StampEdge>) override {
    onSpare_ = false; // the next launch sets every node
    return true;
  }
  bool bindCount(driver::Node, std::size_t, const ReplayBuffer &) override { return false; }
  void attach(const ClockNodes &nodes) override;
  bool arm(driver::Exec exec, bool timed) noexcept override;
  std::uint64_t launched() noexcept override;
  void skip(std::uint64_t sequence) noexcept override;
  [[nodiscard]] std::uint64_t nextSequence() const override { return sequence_ + 1; }
  bool order(driver::Stream stream) override;
  State read(std::uint64_t sequence, std::span<std::int64_t> times,
             std::span<Iterations> bodies) override;
  [[nodiscard]] std::uint64_t depth() const override { return maxBanks_; }
  bool finished() override;
  void retire() override;

private:
  using Bank = std::vector<driver::Event>; // one event for each node
  bool fill(Bank &bank);
  Bank *takeBank(bool timed) noexcept;
  Bank *makeBank() REQUIRES(mutex_); // null if CUDA refuses

  Device &device_;
  const std::size_t boundaries_;
  const std::size_t maxBanks_;
  std::vector<driver::Node>
      nodes_; // of the graph that the exec was made from, by boundary; the final node last
  std::uint64_t sequence_ = 0;
  Bank spare_;
  bool onSpare_ = false; // the nodes hold the spare bank

  Mutex mutex_; // the harvest thread takes it, too
  std::vector<std::unique_ptr<Bank>> all_ GUARDED_BY(mutex_);
  // Has capacity for all banks, like outstanding_, so that giving back needs no memory.
  std::vector<Bank *> free_ GUARDED_BY(mutex_);
  // The bank of the next or the last launch; null: the spare bank.
  Bank *armed_ GUARDED_BY(mutex_) = nullptr;
  bool launched_ GUARDED_BY(mutex_) = false; // that launch has happened
  struct Outstanding {
    std::uint64_t sequence;
    Bank *bank;
    bool skipped;
  };
  // Launches that have a bank, oldest first.
  std::vector<Outstanding> outstanding_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EVENTCLOCK_H
