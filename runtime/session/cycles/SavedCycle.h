// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A cycle of a schedule that is complete: what a Trace shows. Never changed; any thread may look.

#ifndef GRAPHPROF_SESSION_CYCLES_SAVEDCYCLE_H
#define GRAPHPROF_SESSION_CYCLES_SAVEDCYCLE_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/Batching.h"
#include "output/Output.h"
#include "output/data/Collection.h"

namespace graphprof {

struct SavedCycle {
  std::uint64_t number = 0;                   ///< from 1; 0: there was none yet
  std::int64_t firstStep = -1, lastStep = -1; ///< that were recorded; -1: none
  std::string traceId;
  std::vector<std::pair<std::string, std::string>> metadata; ///< key, JSON
  std::shared_ptr<const Collection> own;                     ///< of this cycle; sealed, not null
  std::shared_ptr<const Collection> all; ///< of all so far where they accumulate; or the same
  bool memory = false;                   ///< allocations and frees were recorded, too
  std::uint64_t dropped = 0;             ///< records and host spans that there was no room for

  /// Before the first one was saved.
  [[nodiscard]] static std::shared_ptr<const SavedCycle> none();
  /// Hands its records and its metadata to `writer`, which is not closed, and where it wants them
  /// host spans, and allocations and frees. `batching` is the writer's. Returns why it failed.
  [[nodiscard]] std::string writeTo(BatchWriter &writer, Output::Wants wants,
                                    Batching &batching) const;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SAVEDCYCLE_H
