// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An allocation or a free of the program's, as outputs get it.

#ifndef GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H
#define GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "graphprof/memory.h"

namespace graphprof {

struct MemoryEvent {
  std::int64_t timeNs = 0;     ///< the host's, since the Unix epoch
  std::int64_t bytes = 0;      ///< negative: they were freed
  std::uint64_t allocated = 0; ///< bytes of this kind on this device from then on
  std::uint64_t address = 0;
  int device = -1; ///< CUDA ordinal; -1: the host's memory
  MemoryKind kind = MemoryKind::Device;
  std::int64_t step = -1;   ///< in which it was (graphprof/step.h); -1: in none
  std::string_view path;    ///< names of the regions that were open on its thread, by slashes, the
                            ///< outermost first; valid during the call
  std::uint64_t thread = 0; ///< that called, as the kernel numbers it; 0: not known
};

/// What was allocated and not freed when something began.
struct MemoryHeld {
  int device; ///< as MemoryEvent's
  MemoryKind kind;
  std::uint64_t bytes;
};

/// Into the order in which they happened; each thread's already are.
void sortByTime(std::vector<MemoryEvent> &events);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_MEMORYEVENT_H
