// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What statistics do with cold replays: one rule for all outputs. Whether a replay is cold is
// decided before (graph/launch/RecordBuilder.h).
//
// A statistic is of warm replays. Something that ran in cold replays only, such as a graph that is
// launched once, is shown by those, and every output marks it as cold. Warm and cold executions are
// never in one figure.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_BYWARMTH_H
#define GRAPHPROF_OUTPUT_STATISTICS_BYWARMTH_H

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/data/Replay.h"

namespace graphprof {

/// What runs outside graphs is warm.
[[nodiscard]] inline bool ranCold(const Replay &replay) { return replay.exec != 0 && replay.cold; }

/// The figures of one thing, such as a region: those of warm replays, and those of cold ones.
/// `Figures` has a member empty(): it ran in none of them, measured or not.
template <class Figures> struct ByWarmth {
  Figures warm, cold;

  [[nodiscard]] Figures &of(const Replay &replay) { return ranCold(replay) ? cold : warm; }
  /// Whether the cold ones are shown.
  [[nodiscard]] bool isCold() const { return warm.empty() && !cold.empty(); }
  [[nodiscard]] const Figures &shown() const { return isCold() ? cold : warm; }
  [[nodiscard]] Figures &shown() { return isCold() ? cold : warm; }
};

/// What marks something as cold in texts, behind its name or figure.
inline constexpr const char *coldMark = " (cold)";

/// The line below a table. `replays`: how many were cold, at least one; `shown`: some rows are
/// marked as cold.
[[nodiscard]] inline std::string coldLine(std::uint64_t replays, bool shown) {
  return fmt::format("{} left out{}: some code ran for the first time{}\n",
                     counted(replays, "cold replay", "cold replays"),
                     shown ? ", except for what ran in no warm one" : "",
                     shown ? "; launch each graph again" : "");
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_BYWARMTH_H
