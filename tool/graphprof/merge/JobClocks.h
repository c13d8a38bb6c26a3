// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One clock for all ranks of a job. Ranks of one host have the host's clock already. Those of
// different hosts are aligned through collectives, which all ranks leave at nearly the same time:
// the difference of the ends is the difference of the clocks. How far the ends lie apart behind
// that, says how exactly the clock is known.

#ifndef GRAPHPROF_TOOL_MERGE_JOBCLOCKS_H
#define GRAPHPROF_TOOL_MERGE_JOBCLOCKS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Job.h"
#include "Matching.h"

namespace graphprof {

/// A clock that some ranks share.
struct JobClock {
  std::string host;               ///< empty: not known
  std::vector<std::size_t> ranks; ///< by their places
  bool known = false;             ///< whether it is aligned with the first one
  std::uint64_t collectives = 0;  ///< by which it was aligned; 0: it is the first one
  std::int64_t aheadNs = 0;       ///< of the first clock, at `fromNs`
  double driftNsPerS = 0;         ///< from the first to the last of these collectives
  double driftWithinNsPerS = 0;   ///< how exactly that is known
  std::int64_t fromNs = 0;        ///< by this clock
  struct Node {
    double atNs, aheadNs; ///< since `fromNs`; on top of `aheadNs`
  };
  std::vector<Node> nodes; ///< between two of them its course is a line

  /// A time of this clock, by the first one.
  [[nodiscard]] std::int64_t toFirst(std::int64_t ns) const;
};

class JobClocks {
public:
  /// How far a device's times may be off its host's clock, if nothing shows that it is more: of
  /// stamps, and of events (docs/internals.md, "Clocks").
  static constexpr double stampNs = 1'000, eventNs = 2'000;
  /// Ranks of one host whose collectives end further apart than this have clocks of their own.
  static constexpr std::int64_t notOneClockNs = 10'000;

  JobClocks(const Job &job, const Matching &matching);

  [[nodiscard]] const std::vector<JobClock> &clocks() const { return clocks_; }
  [[nodiscard]] const JobClock &of(std::size_t rank) const { return clocks_[clockOf_[rank]]; }
  /// A time of the rank's, by the first clock. Its clock must be known.
  [[nodiscard]] std::int64_t toFirst(std::size_t rank, std::int64_t ns) const {
    return of(rank).toFirst(ns);
  }
  /// Nine of ten ends of the rank's collectives lie within this of the other ranks', and a
  /// device's times are not better known than this.
  [[nodiscard]] double uncertaintyNs(std::size_t rank) const { return uncertaintyNs_[rank]; }
  /// Where each of these ranks has a clock, and the clocks are known.
  [[nodiscard]] bool comparable(const Occurrence &occurrence) const;
  [[nodiscard]] const std::vector<std::string> &remarks() const { return remarks_; }

private:
  struct Sample {
    std::int64_t atNs, aheadNs;
  };

  void assign();
  void separate(const Matching &matching);
  bool alignSome(const Matching &matching);
  static void follow(JobClock &clock, std::vector<Sample> samples);
  void measure(const Matching &matching);

  const Job &job_;
  std::vector<JobClock> clocks_;
  std::vector<std::size_t> clockOf_; // by the rank's place
  std::vector<double> uncertaintyNs_;
  std::vector<std::string> remarks_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_JOBCLOCKS_H
