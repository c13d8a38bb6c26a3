// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graph of one side is which of the other, and what runs in one only. Does not judge.

#ifndef GRAPHPROF_TOOL_DIFF_GRAPHS_H
#define GRAPHPROF_TOOL_DIFF_GRAPHS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "Match.h"
#include "Side.h"

namespace graphprof {

class MatchedGraphs {
public:
  /// `matches`: of all subjects; those of graphs are replaced. Graphs with one name are the same,
  /// and never those with different ones; otherwise those that have most in common, whatever their
  /// numbers.
  MatchedGraphs(const Side &before, const Side &after, std::vector<Match> &matches);

  /// What differs between the replays of two graphs: what came and went, with its time, and what
  /// runs another number of times. Empty: nothing is known to.
  [[nodiscard]] std::string difference(const Subject &before, const Subject &after) const;

private:
  [[nodiscard]] double inCommon(std::uint64_t before, std::uint64_t after) const;
  [[nodiscard]] std::string repeated(std::uint64_t before, std::uint64_t after) const;
  [[nodiscard]] std::string otherCounts(std::uint64_t ofBefore, std::uint64_t ofAfter) const;

  const Side &before_, &after_;
  // The match of each subject that is no graph of the left side, and of the right one.
  std::map<std::size_t, std::size_t> ofBefore_, ofAfter_;
};

/// Whether they run another number of times a replay.
[[nodiscard]] bool runOtherwise(const Subject &before, const Subject &after);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_GRAPHS_H
