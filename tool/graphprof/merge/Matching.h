// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which replay of one rank is which of another, and which collectives in them are one. Does not
// look at clocks: execs are matched by what is in them, their replays by their numbers, collectives
// by their paths and iterations.

#ifndef GRAPHPROF_TOOL_MERGE_MATCHING_H
#define GRAPHPROF_TOOL_MERGE_MATCHING_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "Job.h"

namespace graphprof {

/// Ranks, by their places in Job::ranks(), that take part in a collective together.
using RankGroup = std::vector<std::size_t>;

/// One launch on all ranks that have its exec.
struct MatchedLaunch {
  std::size_t exec;                   ///< which matched exec
  std::uint64_t number;               ///< of the launch
  std::int64_t step;                  ///< -1: none, or not the same on all ranks
  bool cold;                          ///< on one of them
  std::vector<const RankReplay *> of; ///< by the rank's place; null: it does not have the exec
};

/// A collective in which all of `ranks` were measured.
struct Occurrence {
  std::uint32_t path; ///< its number
  const MatchedLaunch *launch;
  std::span<const std::size_t> ranks;    ///< two or more, in ascending order
  std::span<const CollectiveSpan> spans; ///< one each
};

/// What could not be matched.
struct Unmatched {
  std::uint64_t replays = 0; ///< that are not in the recordings of all ranks that have the exec
  std::uint64_t replaysAlone = 0; ///< of execs that one rank has only
  std::uint64_t collectives = 0;  ///< in matched replays, but not on all ranks
  std::uint64_t notMeasured = 0;  ///< on at least one rank
  std::uint64_t sends = 0;        ///< records of sends and receives among more than two ranks
  std::uint64_t twice = 0;        ///< replays that are in two files of a process; one is left out
};

class Matching {
public:
  /// `groups`: which ranks talk to each other; empty: all that have the exec. Refers to `job`.
  Matching(const Job &job, std::vector<RankGroup> groups);

  /// In the order in which the first rank that has them began.
  [[nodiscard]] const std::vector<MatchedLaunch> &launches() const { return launches_; }
  [[nodiscard]] std::size_t execs() const { return execs_; }
  /// Those in which each rank waits for every other.
  void forEach(const std::function<void(const Occurrence &)> &take) const;
  /// The others (Flow). Sends and receives only between two ranks: the first of one is matched with
  /// the first of the other, and so on.
  void forEachOneWay(const std::function<void(const Occurrence &)> &take) const;
  [[nodiscard]] const Unmatched &unmatched() const { return unmatched_; }
  /// How many replays each rank has, by its place; of those that other ranks have, too.
  [[nodiscard]] const std::vector<std::uint64_t> &replays() const { return replays_; }

private:
  using Place = std::pair<std::size_t, std::uint64_t>; // a rank's place, and its exec

  void visitAll(bool waitForAll, const std::function<void(const Occurrence &)> &take) const;
  void matchExecs();
  void matchReplays();
  void visit(const MatchedLaunch &launch, const std::function<void(const Occurrence &)> &take,
             Unmatched &unmatched) const;

  const Job &job_;
  std::vector<RankGroup> groups_;
  std::map<Place, std::size_t> execOf_;
  std::size_t execs_ = 0;
  std::vector<MatchedLaunch> launches_;
  std::vector<std::uint64_t> replays_;
  Unmatched unmatched_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_MATCHING_H
