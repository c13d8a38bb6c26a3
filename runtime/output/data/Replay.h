// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A replay as outputs get it: plain data that refers to what its records share.

#ifndef GRAPHPROF_OUTPUT_DATA_REPLAY_H
#define GRAPHPROF_OUTPUT_DATA_REPLAY_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graphprof/record.h"
#include "output/data/GraphName.h"
#include "output/data/GraphNodes.h"

namespace graphprof {

/// One launch of an exec and what was measured in it. If exec is 0, one outermost region outside
/// graphs.
struct Replay {
  std::uint64_t graph = 0;   ///< running number of the captured graph, from 1
  std::uint64_t exec = 0;    ///< running number of the exec, from 1
  std::uint64_t number = 0;  ///< running number of the launch of this exec, from 0
  int device = -1;           ///< CUDA ordinal, -1: none
  std::uint64_t stream = 0;  ///< the launching stream's id
  std::int64_t launchNs = 0; ///< host time of the launch, since the Unix epoch
  std::int64_t beginNs = 0;  ///< when its first nodes begin, since the Unix epoch
  std::int64_t endNs = 0;    ///< the end of its last node, or the last boundary that was reached
  /// Some of its code ran for the first time: it is the exec's first replay, or the first that runs
  /// a conditional node's body. Its records say the same.
  bool cold = false;
  std::int64_t step = -1;          ///< the step of its launch (graphprof/step.h); -1: none
  std::span<const Record> records; ///< in capture order; valid during the call
  /// Replays with the same layout have the same regions in the same order, and differ only in their
  /// times. So what an output finds out about a region holds for all of them. 0: no such layout.
  std::uint64_t layout = 0;
  /// Of a part of a graph, which has no records of the others: by Record::region, which of the
  /// nodes of its name at its place each is in the whole graph (Places). Empty: as the records
  /// tell.
  std::span<const std::uint32_t> places;   // valid during the call
  std::shared_ptr<const GraphNodes> drawn; ///< its graph, if an output wants it; or null
  GraphCounts counts;                      ///< of its graph
  /// What it serves: the name of the launch or, without one, of its graph. Null: neither has one.
  std::shared_ptr<const GraphName> serves;
  /// The driver's ids of the program's graph and exec, from CUDA 13.1 on; 0: it told none. Nobody
  /// else knows the exec that graphprof launches instead.
  std::uint32_t cudaGraph = 0, cudaExec = 0;
  /// Likewise of its nodes, by Record::region; GraphNodes::none: of none. Null: no node is timed.
  std::shared_ptr<const std::vector<std::uint32_t>> cudaNodes;

  /// How outputs call what was launched.
  [[nodiscard]] std::string shownGraph() const {
    return graphprof::shownGraph(serves.get(), graph);
  }
  /// Were its first and last boundary reached? If not, beginNs and endNs are meaningless.
  [[nodiscard]] bool spanKnown() const { return beginNs > 0 && endNs >= beginNs; }
  /// The length of a replay, from its first node's begin to its last node's end: the one that all
  /// outputs mean. -1: it is not known, or this is no replay.
  [[nodiscard]] std::int64_t lengthNs() const {
    return exec != 0 && spanKnown() && endNs > beginNs ? endNs - beginNs : -1;
  }
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_REPLAY_H
