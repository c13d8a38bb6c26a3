// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where the replays in flight are, as text for people and as JSON. Pure.

#ifndef GRAPHPROF_PROCESS_WHERETEXT_H
#define GRAPHPROF_PROCESS_WHERETEXT_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/launch/InFlight.h"

namespace graphprof {

/// Several lines, the last without its end. `nowNs`: on the host's axis.
[[nodiscard]] std::string whereText(std::span<const ReplayInFlight> replays, std::int64_t nowNs);

/// The same as an array of objects, one for each replay.
[[nodiscard]] std::string whereJson(std::span<const ReplayInFlight> replays, std::int64_t nowNs);

/// The operation of a kernel of NCCL's, by its name: "AllReduce"; empty: it is none.
[[nodiscard]] std::string_view ncclOperation(std::string_view kernel);

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_WHERETEXT_H
