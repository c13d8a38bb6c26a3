// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The name of an output in one cycle of a schedule. Does not know outputs.

#ifndef GRAPHPROF_SESSION_CYCLENAME_H
#define GRAPHPROF_SESSION_CYCLENAME_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphprof {

/// `item` with `{cycle}` replaced by the number of the cycle, from 1.
[[nodiscard]] std::string withCycle(std::string_view item, std::uint64_t cycle);

/// The same for an item that each cycle writes anew. If its path has no `{cycle}`, the number is
/// put before the extension, so that no cycle overwrites another. An item without a path stays as
/// it is.
///
///     trace.json        trace.1.json
///     a/table:b.c.txt   a/table:b.c.1.txt
///     table:out         table:out.1
///     trace.json.gz     trace.1.json.gz
[[nodiscard]] std::string nameOfCycle(std::string_view item, std::uint64_t cycle);

/// Does `item` ask for an output of its own for each cycle?
[[nodiscard]] bool namesCycle(std::string_view item);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLENAME_H
