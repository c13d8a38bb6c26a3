// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a profiler does between two steps, from their actions: torch.profiler's table.
//
//   from \ to        | NONE        | WARMUP      | RECORD  | RECORD_AND_SAVE | the end
//   -----------------+-------------+-------------+---------+-----------------+--------
//   NONE             |             | P           | P S     | P S             |
//   WARMUP           | (warns) S X |             | S       | S               | S X
//   RECORD           | (warns) X   | (warns) X   |         |                 | X T
//   RECORD_AND_SAVE  | X T         | X T P       | X T P S | X T P S         | X T
//
// P prepare, S start, X stop, T trace ready. Does not know what these do.

#ifndef GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H
#define GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H

#include <optional>
#include <string_view>

#include "graphprof/schedule.h"

namespace graphprof {

/// The message about a schedule without warm-up; torch.profiler warns, too.
inline constexpr const char *withoutWarmup = "a schedule without warmup: the first replays that it "
                                             "records may be cold, or left out; use warmup=1";

struct Transition {
  std::string_view moves;   ///< letters P, S, X and T, in order
  std::string_view warning; ///< empty: none
};

/// `to` is empty at the end. A value that is not a ProfilerAction counts as NONE, because a
/// program's schedule may return anything.
[[nodiscard]] Transition transition(ProfilerAction from, std::optional<ProfilerAction> to) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H
