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
  /// Behind both.
  [[nodiscard]] Front join(Front one, Front other);
  [[nodiscard]] std::span<const std::uint32_t> boundaries(Front front) const {
    return fronts_[front];
  }
  /// Adds the next boundary, by number. It waits for those of `previous`.
  void add(Front previous);

private:
  [[nodiscard]] bool waits(std::uint32_t boundary, std::uint32_t forAnother);
  /// Keeps only those of `both_` for which no other one waits.
  void keepNewest();

  JaggedArray<std::uint32_t> fronts_;         // each is sorted
  std::vector<Front> alone_, previous_;       // by boundary
  std::vector<std::uint32_t> both_, pending_; // of join() and waits(); members to keep their memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_SIDECHAIN_H
