// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions outside graphs: a pooled pair of events around each, or the host's clock where the stream
// is unknown. An outermost region and all that ran inside it make one group, handed on together, in
// the order in which they began.

#ifndef GRAPHPROF_GRAPH_EAGER_H
#define GRAPHPROF_GRAPH_EAGER_H

#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "clock/Device.h"
#include "clock/EventCache.h"
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
};

/// Groups whose events have not been read. Pushed by the program's threads, harvested by the
/// harvest thread, many under one lock and in one change of context: what it asks the driver, the
/// program's threads wait for.
class EagerQueue {
public:
  /// Counts the group as lost where too many regions are out. Returns an empty group for the next
  /// one, with the memory of an earlier one where there is some. What that one's regions held is
  /// freed here, by a thread that allocates it, and the harvest only reads regions: else a region
  /// would wait for the harvest's processor, in the allocator and for each of its lines.
  std::vector<EagerRegion> push(std::vector<EagerRegion> group, Session &session);
  /// Hands on every group whose events have happened, in order; returns how many are still out.
  std::size_t harvest(Session &session);
  /// How many regions are still out. Beside harvest() the group in its hands counts too.
  [[nodiscard]] std::size_t outstanding();
  /// Is there a group out that began before `hostNs`?
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// Gives up on what is still out; returns how many regions. Not beside harvest().
  std::size_t abandon();

private:
  using Group = std::vector<EagerRegion>;
  /// What a region's record says of its time.
  struct Times {
    std::int64_t beginNs;
    std::int64_t durationNs; // -1: not measured
  };
  /// Puts a spare group in its place; false, and nothing, where more than `most` regions would be
  /// out.
  bool take(Group &group, std::size_t most);
  /// The oldest groups, which stay in the queue: others only push behind them.
  [[nodiscard]] std::vector<Group *> oldest();
  /// Reads into times_ the first of `groups` whose events have happened; returns how many those
  /// are.
  std::size_t read(const std::vector<Group *> &groups);
  /// Takes the oldest `count` groups off the queue; returns how many regions are still out.
  std::size_t finished(std::size_t count);
  static Times timesOf(const EagerRegion &region, ContextOfEach &context);
  static void consume(const Group &group, std::span<const Times> times, Session &session);

  // The harvest's own
  EventCache returned_;
  std::vector<Times> times_; // of the groups that were read last, in order
  std::vector<Group> done_;  // that are not kept

  std::mutex mutex_; // guards all below
  std::deque<Group> groups_;
  std::size_t size_ = 0;     // regions in groups_
  std::vector<Group> spare_; // done ones, for their memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_EAGER_H
