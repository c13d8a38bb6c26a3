// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An allocation or a free of the program, as outputs get it.

#ifndef GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H
#define GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "graphprof/memory.h"

namespace graphprof {

struct MemoryEvent {
  std::int64_t timeNs = 0;     ///< host time since the Unix epoch
  std::int64_t bytes = 0;      ///< negative: freed
  std::uint64_t allocated = 0; ///< bytes of this kind on this device after it
  std::uint64_t address = 0;
  int device = -1; ///< CUDA ordinal; -1: host memory
  MemoryKind kind = MemoryKind::Device;
  std::int64_t step = -1;   ///< the step that it was in (graphprof/step.h); -1: none
  std::string_view path;    ///< names of the regions open on its thread, separated by slashes, the
                            ///< outermost first; valid during the call
  std::uint64_t thread = 0; ///< the calling thread, as the kernel numbers it; 0: unknown
};

/// What was already allocated when something began.
struct MemoryHeld {
  int device; ///< as in MemoryEvent
  MemoryKind kind;
  std::uint64_t bytes;
};

/// Sorts by time. The events of each thread are sorted already.
void sortByTime(std::vector<MemoryEvent> &events);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H
