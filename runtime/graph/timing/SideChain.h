// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which timing nodes wait for which: each for the newest ones on the ways to it, so that a region's
// end is never read before its begin, through whatever streams the region runs. Numbers only; knows
// nothing of graphs.

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
  /// The newest boundaries on the ways to a node, none of which waits for another of them. Streams
  /// that boundaries were in, forked apart and joined, make more than one.
  using Front = std::size_t;

  /// How many newest boundaries are kept; of more the oldest are left out, and with them only that
  /// what is measured behind them is measured in their order.
  static constexpr std::size_t MaxFront = 16;

  /// With the boundary that everything begins with, number 0.
  SideChain();

  /// Behind boundary 0 alone.
  [[nodiscard]] static Front begin() { return 0; }
  /// Behind this boundary alone.
  [[nodiscard]] Front behind(std::uint32_t boundary) const { return alone_[boundary]; }
  /// Behind both.
  [[nodiscard]] Front join(Front one, Front other);
  [[nodiscard]] std::span<const std::uint32_t> boundaries(Front front) const {
    return fronts_[front];
  }
  /// The next boundary, by number, which waits for those of `previous`.
  void add(Front previous);

private:
  [[nodiscard]] bool waits(std::uint32_t boundary, std::uint32_t forAnother);
  /// Leaves those of `both_` for which no other of them waits.
  void keepNewest();

  JaggedArray<std::uint32_t> fronts_;         // each sorted
  std::vector<Front> alone_, previous_;       // by boundary
  std::vector<std::uint32_t> both_, pending_; // of join() and waits(): kept for their memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_SIDECHAIN_H
