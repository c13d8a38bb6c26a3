// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a profiler does between two steps, from their actions: torch.profiler's table.
//
//   from \ to       | NONE         | WARMUP     | RECORD        | RECORD_AND_SAVE | the end
//   ----------------+--------------+------------+---------------+-----------------+-----------
//   NONE            |              | prepare    | prepare start | prepare start   |
//   WARMUP          | ! start stop |            | start         | start           | start stop
//   RECORD          | ! stop       | ! stop     |               |                 | stop ready
//   RECORD_AND_SAVE | stop ready   | stop ready | stop ready    | stop ready      | stop ready
//                   |              | prepare    | prepare start | prepare start   |
//
// "!" warns, "ready" hands the trace to the program. Does not know what these do.

#ifndef GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H
#define GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graphprof/schedule.h"

namespace graphprof {

/// The message about a schedule without warm-up; torch.profiler warns, too.
inline constexpr const char *withoutWarmup = "a schedule without warmup: the first replays that it "
                                             "records may be cold, or left out; use warmup=1";

enum class Move : std::uint8_t { None, Prepare, Start, Stop, Ready };

struct Transition {
  std::array<Move, 4> moves{}; ///< in order; None at the end
  std::string_view warning;    ///< empty: none

  [[nodiscard]] bool has(Move move) const {
    return std::find(moves.begin(), moves.end(), move) != moves.end();
  }
};

/// `to` is empty at the end. A value that is not a ProfilerAction counts as NONE, because a
/// program's schedule may return anything.
[[nodiscard]] Transition transition(ProfilerAction from, std::optional<ProfilerAction> to) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_TRANSITIONS_H
