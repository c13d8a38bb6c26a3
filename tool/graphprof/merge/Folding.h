// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which collectives share a row: those whose paths differ in numbers only, and whose figures agree.
// A layer that is held up is a row of its own among layers that are not.

#ifndef GRAPHPROF_TOOL_MERGE_FOLDING_H
#define GRAPHPROF_TOOL_MERGE_FOLDING_H

#include <cstddef>
#include <cstdint>
#include <deque>

#include "Split.h"

namespace graphprof {

/// In the order of the first of each.
[[nodiscard]] std::deque<CollectiveRow> folded(std::deque<CollectiveRow> rows);

/// Whether one of so many ranks was it `times` of `all` times more often than chance explains, were
/// it each time any of them: in less than one of a hundred jobs.
[[nodiscard]] bool beyondChance(std::uint64_t times, std::uint64_t all, std::size_t ranks);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_FOLDING_H
