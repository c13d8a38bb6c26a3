// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions outside graphs: each gets a pair of pooled events, or the host's clock if its stream is
// unknown. An outermost region and all regions inside it form a group, which is handed on as a
// whole, in the order in which they began.

#ifndef GRAPHPROF_GRAPH_HARVEST_EAGER_H
#define GRAPHPROF_GRAPH_HARVEST_EAGER_H

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "CacheLine.h"
#include "clock/Device.h"
#include "clock/EventCache.h"
#include "graph/launch/Handover.h"
#include "graph/launch/PendingLaunches.h"
#include "graph/launch/StreamOrder.h"
#include "graphprof/record.h"

namespace graphprof {

class ContextOfEach;
class ReplaySink;
class Services;

struct EagerRegion {
  const Site *site = nullptr;
  std::vector<Value> context;
  int depth = 0;
  Device *device = nullptr; ///< null: host time only
  std::uint64_t stream = 0; ///< its id
  driver::Event begin = nullptr, end = nullptr;
  std::int64_t step = -1;       ///< the step in which it began
  std::int64_t hostBeginNs = 0; ///< set with a device, too
  std::int64_t hostEndNs = 0;   ///< likewise; 0 if the Scope ended on another thread
  std::size_t groupSize = 0;    ///< in the queue: the size of the group, in its first region

  /// Resets everything but keeps the memory of the context.
  void clear() {
    std::vector<Value> memory = std::exchange(context, {});
    *this = {};
    memory.clear();
    context.swap(memory);
  }
};

/// Groups whose events were not read yet. The program's threads push them. The harvest thread reads
/// many in one change of context, because its driver calls delay the program's threads.
class EagerQueue {
public:
  EagerQueue(Services &services, ReplaySink &sink) : services_(services), sink_(sink) {}

  /// Takes the group, or counts it as lost if too many regions are outstanding or memory is short.
  /// If it is taken, the caller's regions hold the memory of earlier ones afterwards.
  void push(std::span<EagerRegion> group) noexcept;
  /// Up to which group harvest() hands on.
  struct Until {
    std::int64_t beforeNs = INT64_MAX; ///< the first that was begun then or later
    /// The first that was begun behind one of these, in its stream: that replay comes before it,
    /// and has happened, too, if the group's events have.
    std::span<const PendingLaunches::Oldest> launches;
  };
  /// Hands to the sink, in order, every group whose events have happened. Returns how many regions
  /// are still outstanding.
  std::size_t harvest(StreamOrder &order, const Until &until);
  /// How many regions are outstanding. During harvest() this includes a group that is being handed
  /// on.
  [[nodiscard]] std::size_t outstanding();
  /// Is a group outstanding that began before `hostNs`?
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// How many regions were ever taken.
  [[nodiscard]] std::uint64_t taken();
  /// How many of them have been handed on, in the order in which they were taken. For the harvest.
  [[nodiscard]] std::uint64_t handedOn() const { return handedOn_; }
  /// Discards what is outstanding and returns how many regions that was. Not during harvest().
  std::size_t abandon();

private:
  /// A group in the queue.
  using Group = std::span<const EagerRegion>;
  /// The times of a region's record.
  struct Times {
    std::int64_t beginNs;
    std::int64_t durationNs; // -1: not measured
  };
  /// Returns false and does nothing if more than `most` regions would be outstanding.
  bool take(std::span<EagerRegion> group, std::size_t most);
  /// The first group of `regions`, which must not be empty.
  [[nodiscard]] static Group firstOf(Group regions) {
    return regions.first(regions.front().groupSize);
  }
  /// Reads the times of the first groups of `regions` into times_, a bounded number at a time.
  /// Returns the regions of the groups whose events have happened.
  Group read(Group regions, const Until &until);
  /// Appends the group's times to times_. Returns false and appends nothing if its events have not
  /// happened.
  bool readGroup(Group group, ContextOfEach &context);
  /// nullopt: its events have not happened.
  static std::optional<Times> timesOf(const EagerRegion &region, ContextOfEach &context);
  void consume(Group group, std::span<const Times> times, StreamOrder &order);

  Services &services_;
  ReplaySink &sink_;
  Handover<EagerRegion> regions_;
  std::uint64_t taken_ GUARDED_BY(regions_.mutex()) = 0;
  // Used by the harvest only.
  alignas(cacheLine) EventCache returned_;
  std::uint64_t handedOn_ = 0;
  std::vector<Times> times_; // of the groups that were read last, in order
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_EAGER_H
