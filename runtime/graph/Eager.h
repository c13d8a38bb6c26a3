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
};

/// Groups whose events have not been read. Pushed by the program's threads, harvested by the
/// harvest thread.
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
  static void returnEvents(const EagerRegion &region);
  static bool happened(const EagerRegion &region);
  static void consume(std::vector<EagerRegion> &group, Session &session);

  std::mutex mutex_; // guards all below
  std::deque<std::vector<EagerRegion>> groups_;
  std::size_t size_ = 0;                        // regions in groups_
  std::vector<std::vector<EagerRegion>> spare_; // empty groups that keep their memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_EAGER_H
