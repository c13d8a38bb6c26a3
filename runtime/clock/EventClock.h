// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The event clock: external events recorded in the captured stream, as PyTorch programs
// do it by hand. It needs no device code and works where stamps cannot; it costs more, because
// every event splits the graph.

#ifndef GRAPHPROF_CLOCK_EVENTCLOCK_H
#define GRAPHPROF_CLOCK_EVENTCLOCK_H

#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"

namespace graphprof {

class EventClock final : public GraphClock {
public:
  /// `banks`: replays that may be outstanding and still be read; 0: a bound on the number of events
  /// decides.
  explicit EventClock(std::size_t banks) : banks_(banks) {}

  [[nodiscard]] Clock kind() const override { return Clock::Event; }
  bool prepare() override { return Device::current() != nullptr; }
  driver::Node captureRoot(driver::Stream stream, const CaptureDependencies &now) override;
  driver::Node captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                               driver::Node previous) override;
  /// An event that nothing waits for is recorded late.
  [[nodiscard]] bool holdsUp() const override { return true; }
  [[nodiscard]] bool tellsTheEnd() const override { return true; }
  driver::Node addRoot(Device &device, driver::Graph graph) override;
  driver::Node addFirst(Device &, driver::Graph, driver::Node root) override { return root; }
  driver::Node addBoundary(Device &device, driver::Graph graph,
                           std::span<const driver::Node> frontier) override;
  EdgeSupport edges(Device &) override { return {}; }
  driver::Node addAt(Device &, driver::Graph, StampEdge, bool, driver::Node,
                     std::span<const driver::Node>) override {
    return nullptr;
  }
  driver::Node addRootAt(Device &, driver::Graph, bool, driver::Node) override { return nullptr; }
  [[nodiscard]] bool isTiming(driver::Node node) const override;
  bool finish(Device &device, driver::Graph profiled, std::span<const driver::Node> timing,
              std::span<const driver::Node> sinks, driver::Node &final) override;
  /// cudaGraphInstantiate refuses a body that holds an event's node.
  [[nodiscard]] bool timesBodies() const override { return false; }
  /// An event's node splits a graph.
  [[nodiscard]] bool timesChildren() const override { return false; }
  driver::Node addCount(Device &, driver::Graph, std::span<const driver::Node>) override {
    return nullptr;
  }
  std::shared_ptr<ReplayBuffer> makeBuffer(const BufferNeeds &needs) override;

private:
  const std::size_t banks_;
};

/// Banks of events, one a replay that is outstanding: before each launch the exec's event nodes are
/// set to a free bank (cudaGraphExecEventRecordNodeSetEvent affects later launches only), so that
/// replays overlap. When no bank is free the launch goes to the spare bank, which is never read:
/// that replay is lost. So does a launch that is not to be timed.
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
  using Bank = std::vector<driver::Event>; // one a node
  bool fill(Bank &bank);
  Bank *takeBank(bool timed) noexcept;
  Bank *makeBank() REQUIRES(mutex_); // null where CUDA refuses

  Device &device_;
  const std::size_t boundaries_;
  const std::size_t maxBanks_;
  std::vector<driver::Node>
      nodes_; // of the graph that the exec came from, by boundary; the final one last
  std::uint64_t sequence_ = 0;
  Bank spare_;
  bool onSpare_ = false; // the nodes are set to the spare bank

  Mutex mutex_; // the harvest thread takes it too
  std::vector<std::unique_ptr<Bank>> all_ GUARDED_BY(mutex_);
  // as outstanding_, with room for all: giving back needs no memory
  std::vector<Bank *> free_ GUARDED_BY(mutex_);
  // of the launch that comes, or was last; null: the spare one
  Bank *armed_ GUARDED_BY(mutex_) = nullptr;
  bool launched_ GUARDED_BY(mutex_) = false; // that launch was
  struct Outstanding {
    std::uint64_t sequence;
    Bank *bank;
    bool skipped;
  };
  // launches that have a bank, oldest first
  std::vector<Outstanding> outstanding_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EVENTCLOCK_H
