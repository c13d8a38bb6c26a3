// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which spans share a row of a trace. A viewer draws a row (a Chrome tid) as a stack, whose spans
// must not overlap partly. Regions of parallel branches do, so they need rows of their own. Does
// not know JSON.

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
  std::ptrdiff_t parent = -1; ///< index of the region around it, which is smaller; -1: none
};

/// Makes each span's parent the nearest one that contains it. The spans are ordered by their begin;
/// of those that begin together, the longest is first.
void nest(std::span<TraceSpan> spans);

/// The row of each span, from 0. Two spans in a row follow or enclose each other, and a span is
/// enclosed only by its parents: a span that merely happened during another one is not drawn as
/// part of it. Each span takes the first row that has room when it begins, none above its parent's.
[[nodiscard]] std::vector<unsigned> assignRows(std::span<const TraceSpan> spans);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEROWS_H
