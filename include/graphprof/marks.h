// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Marks and ranges on the host's time line, beside regions. Use them for what has no scope, or no
// GPU work. Knows nothing of CUDA.

#ifndef GRAPHPROF_MARKS_H
#define GRAPHPROF_MARKS_H

#include <string_view>

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

/// Marks a moment. Shown on the host's time line (graphprof/host_span.h), and by NVTX's tools.
///
///     if (cache.size() > limit)
///       graphprof::mark("cache emptied");
///
/// Costs a load and a branch while graphprof is disabled, and little more while nobody listens.
/// Sources: torch.cuda.nvtx.mark, and ProfilerStubs' mark.
GRAPHPROF_API void mark(std::string_view name) noexcept;

/// Begins a range on this thread, which the matching range_pop() ends. Ranges nest. A range that
/// its thread leaves open is not shown. Returns how many ranges of this thread are around it, as
/// nvtxRangePush does; -1 while graphprof is disabled.
///
///     graphprof::range_push("load");
///     load(batch);
///     graphprof::range_pop();
GRAPHPROF_API int range_push(std::string_view name) noexcept;

/// Ends the range that this thread began last. Returns how many were around it; -1 while graphprof
/// is disabled, or if no range is open, which is reported on stderr once.
GRAPHPROF_API int range_pop() noexcept;

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_MARKS_H
