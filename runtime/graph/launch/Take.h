// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one launch of an exec records.

#ifndef GRAPHPROF_GRAPH_LAUNCH_TAKE_H
#define GRAPHPROF_GRAPH_LAUNCH_TAKE_H

#include <cstdint>

#include "graph/timing/OwnEnds.h"

namespace graphprof {

/// What one launch records.
struct Take {
  enum class What : std::uint8_t {
    Nothing,
    Bare, ///< the replay's begin and end only, to compare with
    Part, ///< `part` of `parts`
    Whole,
    Twins, ///< the whole graph, but with the timed twins of kernels (KernelTwins.h)
  };
  What what = What::Whole;
  std::uint32_t part = 0, parts = 1;
  OwnEnds ends = OwnEnds::None; ///< of a part: whose own ends are stamped, too
  /// Drawn as all launches of its exec are. Others are recorded only to be compared: their records
  /// must not enter averages.
  bool isSample = true;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_TAKE_H
