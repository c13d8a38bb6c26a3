// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was allocated and freed during host spans, as in torch.profiler's rows. An event belongs to
// the innermost span of its thread at its time, and to the spans around that. Does not know rows.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_SPANMEMORY_H
#define GRAPHPROF_OUTPUT_STATISTICS_SPANMEMORY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/MemoryEvent.h"

namespace graphprof {

/// Bytes allocated minus bytes freed. Pinned host memory counts as the CPU's, everything else as
/// the device's.
struct SpanMemory {
  std::int64_t cpu = 0, device = 0;
  std::int64_t selfCpu = 0, selfDevice = 0; ///< without those of spans inside

  void add(const MemoryEvent &event);
};

struct MemoryInSpans {
  std::vector<SpanMemory> bySpan;
  std::vector<SpanMemory> outside; ///< one for each event outside spans

  /// `spans` are in the order of a trace, with their `containers`; events in any order. A mark
  /// contains nothing.
  MemoryInSpans(std::span<const HostSpan> spans, std::span<const std::ptrdiff_t> containers,
                std::span<const MemoryEvent> events);
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_SPANMEMORY_H
