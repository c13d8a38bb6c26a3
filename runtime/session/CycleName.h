// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output's name in one cycle of a schedule. Knows no outputs.

#ifndef GRAPHPROF_SESSION_CYCLENAME_H
#define GRAPHPROF_SESSION_CYCLENAME_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphprof {

/// `item` with `{cycle}` replaced by the number of the cycle, from 1.
[[nodiscard]] std::string withCycle(std::string_view item, std::uint64_t cycle);

/// The same for an item of which each cycle makes one: where its path names no `{cycle}`, the
/// number is put before the extension, so that no cycle writes over another. An item without a path
/// stays.
///
///     trace.json        trace.1.json
///     a/table:b.c.txt   a/table:b.c.1.txt
///     table:out         table:out.1
///     trace.json.gz     trace.1.json.gz
[[nodiscard]] std::string nameOfCycle(std::string_view item, std::uint64_t cycle);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLENAME_H
