// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Adds timing nodes to a finished graph: the clone that becomes a profiled graph. It knows where
// boundaries are wanted, and makes one of those that are wanted twice; why they are wanted it does
// not know.

#ifndef GRAPHPROF_GRAPH_MARKER_H
#define GRAPHPROF_GRAPH_MARKER_H

#include <cstdint>
#include <map>
#include <vector>

#include "clock/Clock.h"
#include "graph/Registry.h"
#include "graph/Shape.h"

namespace graphprof {

class Marker {
public:
  /// Into the graph of `into`, a clone of the one that `shape` is of. What is made is added to the
  /// timing nodes there, which may hold some already.
  Marker(GraphClock &clock, const Shape &shape, Registry::Profile &into)
      : clock_(clock), shape_(shape), into_(into) {}

  /// Adds the root: a replay begins with it, everything waits for it.
  bool addRoot();

  /// There is a boundary behind `behind` already, with that number.
  void has(const Nodes &behind, std::uint32_t index) { index_.insert_or_assign(behind, index); }
  /// A boundary behind `behind` is wanted.
  void want(const Nodes &behind) {
    if (!behind.empty())
      index_.emplace(behind, Region::unfinished);
  }
  [[nodiscard]] bool knows(const Nodes &behind) const {
    return behind.empty() || index_.contains(behind);
  }
  [[nodiscard]] std::uint32_t indexOf(const Nodes &behind) const;

  /// Adds the boundaries that are wanted and not there, as leaves: each hangs on nothing but what
  /// it follows, and holds up nothing but where the clock needs that. In a finished graph chains of
  /// them lag: regions read 2.4 us off on an H200, leaves 0.1, for which a launch takes a
  /// microsecond longer for each. False where the driver refuses one.
  bool addLeaves();

private:
  bool add(const Nodes &behind);
  bool link(driver::Node from, const Nodes &to);
  /// The twins of what waits for all of `behind`.
  [[nodiscard]] Nodes waitingForAll(const Nodes &behind) const;
  /// The boundaries that are to be made, in the order of what they follow.
  [[nodiscard]] std::vector<const Nodes *> missing() const;

  GraphClock &clock_;
  const Shape &shape_;
  Registry::Profile &into_;
  std::map<Nodes, std::uint32_t> index_; // unfinished: to be made
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_MARKER_H
