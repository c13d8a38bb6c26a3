// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The pair: the program's own exec (plain), and what times its launches (ExecTiming.h), of which
// there is one at a time. It chooses that way, repeats to it what the program does to its exec, and
// destroys it when it is over. For a graph that is timed in place, plain and profiled exec are the
// same. LaunchedReplays takes care of the launched replays, LaunchOrder of their order.
//
// When it is destroyed, no more launches come. It is retired when every launched replay is
// harvested.
//
// Threads and races:
// - The program's threads call everything except harvest(), under the pair's lock. It is held
//   during the driver's launch, so that launches and sequences have the same order.
// - The harvest thread takes another lock, to copy the notes of launches, and makes no CUDA call
//   under it. Launches can be long, and neither side waits for the other. Reading the ring needs no
//   lock.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PAIR_H
#define GRAPHPROF_GRAPH_LAUNCH_PAIR_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "CacheLine.h"
#include "Expected.h"
#include "Mutex.h"
#include "cuda/Occupancy.h"
#include "graph/launch/ExecContext.h"
#include "graph/launch/ExecLifetime.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/ExecTiming.h"
#include "graph/launch/LaunchOrder.h"
#include "graph/launch/LaunchedReplays.h"
#include "graph/launch/PairAnswers.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class GraphMemory;
class Services;

class Pair : public std::enable_shared_from_this<Pair> {
public:
  /// What is known of an exec's launches before it has a pair.
  enum class LaunchHistory : std::uint8_t { New, MayRun };
  /// For the program's exec made with `flags`, of which `lifetime` tells the end; null: nothing
  /// does.
  Pair(Services &services, GraphMemory &memory, ExecLimit &limit, driver::Exec plain,
       unsigned long long flags, LaunchHistory past, std::shared_ptr<ExecLifetime> lifetime);
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;

  /// Whether the program's exec is gone, even unseen. Then its handle may belong to another exec.
  [[nodiscard]] bool isGone() const noexcept { return lifetime_ && lifetime_->isDestroyed(); }
  [[nodiscard]] const std::shared_ptr<ExecLifetime> &lifetime() const { return lifetime_; }

  /// From now on the profiled exec is that of `registry`. It is made when it is needed. A failure
  /// if there can be none; then launches stay plain. `switched`: nodes of the program's exec were
  /// enabled or disabled.
  Expected<void> make(const std::shared_ptr<Registry> &registry, bool switched) EXCLUDES(mutex_);

  /// Whether a launch may be recorded, or is made by the program's exec whatever is recorded.
  enum class Records : std::uint8_t { AsAsked, Never };
  /// Fills `*shown`, if given, with the launch; not for a launch into a capture, which CUDA
  /// refuses. What the program throws while it launches goes on to it; the exec is not timed any
  /// more then.
  internal::Launch launch(Edge &edge, driver::Stream stream, std::int64_t step,
                          HostLaunch *hostLaunch, Records records = Records::AsAsked)
      EXCLUDES(mutex_);
  void launchedPlain(driver::Stream stream) EXCLUDES(mutex_);

  /// The program updated its exec from the graph of `registry` (null: one without regions). A
  /// failure if the profiled exec can neither follow nor be replaced.
  Expected<void> update(const std::shared_ptr<Registry> &registry, bool switched) EXCLUDES(mutex_);
  void upload(driver::Stream stream) EXCLUDES(mutex_);
  [[nodiscard]] internal::Twin twin(driver::Node node) EXCLUDES(mutex_);
  /// The program changed a node of its exec, and the twin was changed the same way. `kernel` is
  /// what a kernel node runs now; null: unknown.
  void nodeChanged(driver::Node node, const char *kernel) EXCLUDES(mutex_);
  /// The program gives a kernel node of its exec another function or grid. If that leaves no room
  /// for a stamp at its begin, the stamp's times are lost from now on. If there is room again
  /// later, they are read again. As long as it waits for a stamp and may not do so (Joins.h),
  /// launches are not timed.
  void kernelChanging(driver::Node node, const driver::Grid &grid) EXCLUDES(mutex_);
  /// The program enables or disables a node of its exec. One that is disabled must not wait for a
  /// stamp either.
  void switching(driver::Node node, bool isOn) EXCLUDES(mutex_);
  /// A child node of the program's exec got a copy of `child` with the registry `registry` (null:
  /// no regions). If the profiled exec cannot follow, launches are plain from now on.
  internal::ChildChange setChild(driver::Node node, driver::Graph child,
                                 const std::shared_ptr<Registry> &registry) EXCLUDES(mutex_);
  /// A child node of the exec, which is timed in place, is about to get a graph with these timing
  /// nodes.
  void bindChild(driver::Node node, std::span<const driver::Node> timing) EXCLUDES(mutex_);
  /// The profiled exec no longer does what the program's does, so launches are plain from now on.
  /// Returns whether there was a profiled exec.
  bool drop() noexcept EXCLUDES(mutex_);
  /// Some change of some exec was not followed. The same, unless the exec is timed in place: then
  /// it is the program's own, unchanged.
  void dropIfRepeating() noexcept EXCLUDES(mutex_);
  /// A change of the program's exec was not followed. Launches are plain from now on. If the exec
  /// is timed in place, nobody reads what it writes. Returns whether it was timed until now.
  bool invalidate() noexcept EXCLUDES(mutex_);
  /// The program destroys its exec.
  void destroy() noexcept EXCLUDES(mutex_);

  /// The host's time of the newest recorded launch, or of the making of the profiled exec.
  [[nodiscard]] std::int64_t lastLaunchNs() const noexcept {
    return shared_.lastNs.load(std::memory_order_relaxed);
  }
  /// Another pair needs the place of the profiled exec (ExecLimit). Destroys it if its last launch
  /// was before that time and it can be made again. Its replays stay. Returns false if it stays, or
  /// if another thread uses the pair just now.
  bool makeRoom(std::int64_t launchedBeforeNs) noexcept EXCLUDES(mutex_);

  /// What was launched and is not harvested yet.
  [[nodiscard]] LaunchedReplays &replays() noexcept { return shared_.replays; }
  /// Destroyed with nothing outstanding: nothing more will come from this pair.
  [[nodiscard]] bool finished() EXCLUDES(mutex_);
  /// Where it is timed; null: not yet.
  [[nodiscard]] Device *device() EXCLUDES(mutex_);
  /// May a recorded replay be outstanding that was launched before `hostNs`, a time in the past?
  [[nodiscard]] bool outBefore(std::int64_t hostNs) EXCLUDES(mutex_);
  /// The number of the timed graph; 0: none.
  [[nodiscard]] std::uint64_t graph() EXCLUDES(mutex_);
  /// Too many destroyed execs wait for the harvest, this one among them. If everything has
  /// finished, counts what was not read and gives back the rings. Returns how many replays that
  /// were; nullopt if it is not possible now. Not on the harvest thread.
  std::optional<std::size_t> giveUp() EXCLUDES(mutex_);

private:
  [[nodiscard]] ExecTiming &timing() REQUIRES(mutex_) { return timing_ ? *timing_ : untimed_; }
  /// The way in which launches of an exec made from the graph of `registry` are timed from now on.
  static Expected<std::unique_ptr<ExecTiming>>
  choose(ExecContext &context, const std::shared_ptr<Registry> &registry, bool switched);
  /// `stream` goes into a command list, where nothing is timed: the program makes the launch.
  internal::Launch leaveToCommandList(bool recording) REQUIRES(mutex_);
  /// Lets another way replace the present one before that use. Does not throw: the program's launch
  /// will happen, or its change has.
  void prepare(ExecTiming::Need need) noexcept REQUIRES(mutex_);
  /// Launches are plain from now on.
  void forget() noexcept REQUIRES(mutex_);
  void forgetIfOver() noexcept REQUIRES(mutex_);
  /// Call this when nothing is outstanding.
  void retireBuffers() REQUIRES(mutex_);

  Services &services_;
  const std::uint64_t number_; // from 1
  const std::shared_ptr<ExecLifetime> lifetime_;
  SharedLaunches shared_;

  // Held during the driver's launch.
  alignas(cacheLine) Mutex mutex_;
  ExecContext context_ GUARDED_BY(mutex_);
  std::unique_ptr<ExecTiming> timing_ GUARDED_BY(mutex_) PT_GUARDED_BY(mutex_); // null: untimed_
  ExecTiming untimed_ GUARDED_BY(mutex_);
  std::uint64_t launches_ GUARDED_BY(mutex_) = 0;
  bool destroyed_ GUARDED_BY(mutex_) = false;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_PAIR_H
