// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which timing nodes wait for which. Each waits for the newest ones on the paths to it, so that a
// region's end is never read before its begin, even across streams. Knows numbers, not graphs.

#ifndef GRAPHPROF_GRAPH_TIMING_SIDECHAIN_H
#define GRAPHPROF_GRAPH_TIMING_SIDECHAIN_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/topology/JaggedArray.h"
#include "graph/topology/Newest.h"

namespace graphprof {

class SideChain {
public:
  /// The newest boundaries on the paths to a node, none of which waits for another. There are
  /// several if streams with boundaries forked and joined.
  using Front = std::size_t;

  /// How many boundaries are kept. If there are more, the oldest are left out; then only the order
  /// of what is measured behind those is lost.
  static constexpr std::size_t MaxFront = 16;

  /// Contains boundary 0, with which everything begins.
  SideChain();

  /// Behind boundary 0 only.
  [[nodiscard]] static Front begin() { return 0; }
  /// Behind this boundary only.
  [[nodiscard]] Front behind(std::uint32_t boundary) const { return alone_[boundary]; }
  /// Behind all of them.
  [[nodiscard]] Front join(std::span<const Front> fronts);
  [[nodiscard]] Front join(Front one, Front other) {
    const Front both[] = {one, other};
    return join(both);
  }
  [[nodiscard]] std::span<const std::uint32_t> boundaries(Front front) const {
    return fronts_[front];
  }
  /// Adds the next boundary, by number. It waits for those of `previous`.
  void add(Front previous);

private:
  Newest newest_;
  JaggedArray<std::uint32_t> fronts_; // each is sorted
  std::vector<Front> alone_;          // by boundary
  std::vector<std::size_t> joinedIn_; // by front: the join that it was in last
  std::size_t join_ = 0;
  std::vector<Front> joined_;       // of join(); members to keep their memory
  std::vector<std::uint32_t> both_; // likewise
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_SIDECHAIN_H
