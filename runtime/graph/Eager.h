// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions outside graphs: a pooled pair of events around each, or the host's clock where the stream
// is unknown. An outermost region and all that ran inside it make one group, handed on together, in
// the order in which they began.

#ifndef GRAPHPROF_GRAPH_EAGER_H
#define GRAPHPROF_GRAPH_EAGER_H

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "clock/Device.h"
#include "clock/EventCache.h"
#include "graphprof/record.h"

namespace graphprof {

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
  std::int64_t beginNs = 0;     ///< what becomes of its record, once its events were read
  std::int64_t durationNs = -1; ///< likewise
};

/// Groups whose events have not been read. Pushed by the program's threads, harvested by the
/// harvest thread, many under one lock and in one change of context: what it asks the driver, the
/// program's threads wait for.
class EagerQueue {
public:
  /// Counts the group as lost where too many regions are out. Returns an empty group for the next
  /// one, with memory of an earlier one where there is some.
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
  /// The oldest groups, which stay in the queue: others only push behind them.
  [[nodiscard]] std::vector<Group *> oldest();
  /// Reads the events of the first of `groups` that have happened; returns how many those are.
  std::size_t read(const std::vector<Group *> &groups);
  /// Takes the oldest `count` groups off the queue; returns how many regions are still out.
  std::size_t finished(std::size_t count);
  static void consume(const Group &group, Session &session);

  EventCache returned_;        // of the harvest
  std::vector<Group> emptied_; // by the harvest, for those that push

  std::mutex mutex_; // guards all below
  std::deque<Group> groups_;
  std::size_t size_ = 0;     // regions in groups_
  std::vector<Group> spare_; // empty groups that keep their memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_EAGER_H
