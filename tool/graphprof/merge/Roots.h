// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which rank is the root of a broadcast or a reduction, or sends to the other. The kernel's name
// does not say it. It follows from when ranks began and ended: who receives cannot end before the
// one whose data it needs has begun. So
//     a rank that began after another had ended is not the root of a broadcast, and does not send;
//     a rank that ended before another began is not the root of a reduction.
// The root is the one rank that is left. A path has one root in all of its executions, because a
// graph is captured with it.

#ifndef GRAPHPROF_TOOL_MERGE_ROOTS_H
#define GRAPHPROF_TOOL_MERGE_ROOTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "JobClocks.h"
#include "Matching.h"

namespace graphprof {

/// What the user says: the rank, by its number, is the root of the collectives with these paths.
struct SaidRoot {
  std::string text; ///< as given: "0", "weights=0"
  std::regex paths;
  std::int64_t rank = 0;
};

class Roots {
public:
  /// A rank is excluded if as many executions speak against it. Each does so by more than both
  /// clocks are known by; a single one may be an error of theirs.
  static constexpr std::uint64_t leastEvidence = 3;
  static constexpr std::size_t none = SIZE_MAX;

  Roots(const Job &job, const Matching &matching, const JobClocks &clocks,
        const std::vector<SaidRoot> &said);

  /// The place of the rank; none: not known.
  [[nodiscard]] std::size_t of(const Occurrence &occurrence) const;
  /// Whether executions speak against what the user says, or against every rank.
  [[nodiscard]] bool contradicts(const Occurrence &occurrence) const;

private:
  struct Evidence {
    std::vector<std::uint64_t> against; // by the place in the occurrence
    std::size_t root = none;            // likewise a place in Job::ranks()
    bool contradicts = false;
  };
  using Key = std::pair<std::uint32_t, std::vector<std::size_t>>; // the path, and who takes part

  [[nodiscard]] const Evidence &evidenceOf(const Occurrence &occurrence) const;
  std::map<Key, Evidence> evidence_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_ROOTS_H
