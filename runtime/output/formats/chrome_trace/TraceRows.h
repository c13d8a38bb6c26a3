// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which spans share a row of a trace. A viewer draws one row (a Chrome tid) as a stack: spans may
// follow or enclose each other, never overlap. Regions of parallel branches do overlap, so they
// need rows of their own. Knows nothing of JSON.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEROWS_H
#define GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEROWS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphprof {

struct TraceSpan {
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0;     ///< not before beginNs
  std::ptrdiff_t parent = -1; ///< index of the region around it, smaller than its own; -1: none
};

/// Makes each span's parent the nearest one that contains it. The spans are in the order of their
/// begin, of those that begin together the longest first.
void nest(std::span<TraceSpan> spans);

/// For each span the row that it is drawn in, from 0. In a row any two spans follow or enclose each
/// other, and what encloses a span there is its parent, or its parent's parent, and so on: a span
/// that merely happened during another one is not drawn as part of it. Rows are filled from the
/// first; a span takes the first row that has room when it begins.
[[nodiscard]] std::vector<unsigned> assignRows(std::span<const TraceSpan> spans);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEROWS_H
