// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Marks and ranges of the program's own on the host's time line, beside its regions: for what has
// no scope, or no GPU work. Knows nothing of CUDA.

#ifndef GRAPHPROF_MARKS_H
#define GRAPHPROF_MARKS_H

#include <string_view>

namespace graphprof {

/// A moment. Shown where the host's time line is (graphprof/host_span.h), and by NVTX's tools.
///
///     if (cache.size() > limit)
///       graphprof::mark("cache emptied");
///
/// Costs a load and a branch while graphprof is disabled; while nobody wants it little more.
/// Source of the idea: torch.cuda.nvtx.mark, and ProfilerStubs' mark.
void mark(std::string_view name) noexcept;

/// Begins a range on this thread: until the range_pop() that belongs to it. Ranges nest; one that
/// its thread leaves open is not shown. Returns how many ranges of this thread stand around it, as
/// nvtxRangePush does; -1 while graphprof is disabled.
///
///     graphprof::range_push("load");
///     load(batch);
///     graphprof::range_pop();
int range_push(std::string_view name) noexcept;

/// Ends the range that this thread began last. Returns how many stood around it; -1 where none is
/// open, which is said on stderr once, or while graphprof is disabled.
int range_pop() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_MARKS_H
