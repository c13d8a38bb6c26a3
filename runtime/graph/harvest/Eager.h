// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions outside graphs: a pooled pair of events around each, or the host's clock where the stream
// is unknown. An outermost region and all that ran inside it make one group, handed on together, in
// the order in which they began.

#ifndef GRAPHPROF_GRAPH_HARVEST_EAGER_H
#define GRAPHPROF_GRAPH_HARVEST_EAGER_H

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "CacheLine.h"
#include "clock/Device.h"
#include "clock/EventCache.h"
#include "graph/launch/Handover.h"
#include "graphprof/record.h"

namespace graphprof {

class ContextOfEach;
class Session;

struct EagerRegion {
  const Site *site = nullptr;
  std::vector<Value> context;
  int depth = 0;
  Device *device = nullptr; ///< null: host time only
  std::uint64_t stream = 0; ///< id
  driver::Event begin = nullptr, end = nullptr;
  std::int64_t step = -1;       ///< in which it began
  std::int64_t hostBeginNs = 0; ///< also with a device
  std::int64_t hostEndNs = 0;   ///< without one; 0 where the Scope ended elsewhere
  std::size_t groupSize = 0;    ///< in the queue: of a group's first region how many it has

  /// As new, but for the memory of its context.
  void clear() {
    std::vector<Value> memory = std::exchange(context, {});
    *this = {};
    memory.clear();
    context.swap(memory);
  }
};

/// Groups whose events have not been read. Pushed by the program's threads, harvested by the
/// harvest thread, many in one change of context: what it asks the driver, the program's threads
/// wait for.
class EagerQueue {
public:
  /// Takes the group, or counts it as lost where too many regions are out or memory is short. The
  /// caller's regions hold what earlier ones have left then.
  void push(std::span<EagerRegion> group, Session &session) noexcept;
  /// Hands on every group whose events have happened, in order; returns how many are still out.
  std::size_t harvest(Session &session);
  /// How many regions are still out. Beside harvest() a group that it hands on counts too.
  [[nodiscard]] std::size_t outstanding();
  /// Is there a group out that began before `hostNs`?
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// Gives up on what is still out; returns how many regions. Not beside harvest().
  std::size_t abandon();

private:
  /// Of the queue's.
  using Group = std::span<const EagerRegion>;
  /// What a region's record says of its time.
  struct Times {
    std::int64_t beginNs;
    std::int64_t durationNs; // -1: not measured
  };
  /// False, and nothing, where more than `most` regions would be out.
  bool take(std::span<EagerRegion> group, std::size_t most);
  /// The first group of `regions`, which are some.
  [[nodiscard]] static Group firstOf(Group regions) {
    return regions.first(regions.front().groupSize);
  }
  /// Reads into times_ those of the first groups of `regions`, not too many; returns the regions of
  /// the groups whose events have happened.
  Group read(Group regions);
  /// Appends the group's to times_; false, and nothing, where its events have not happened.
  bool readGroup(Group group, ContextOfEach &context);
  /// Nullopt: its events have not happened.
  static std::optional<Times> timesOf(const EagerRegion &region, ContextOfEach &context);
  static void consume(Group group, std::span<const Times> times, Session &session);

  Handover<EagerRegion> regions_;
  // The harvest's own
  alignas(cacheLine) EventCache returned_;
  std::vector<Times> times_; // of the groups that were read last, in order
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_EAGER_H
