// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A finished cycle of a schedule: what a Trace shows. It never changes, so any thread may read it.

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
  std::uint64_t number = 0;                   ///< from 1; 0: no cycle was saved yet
  std::int64_t firstStep = -1, lastStep = -1; ///< the recorded steps; -1: none
  std::string traceId;
  std::vector<std::pair<std::string, std::string>> metadata; ///< key, JSON
  std::shared_ptr<const Collection> own;                     ///< of this cycle; sealed, never null
  std::shared_ptr<const Collection> all; ///< of all cycles if they accumulate, else `own`
  bool memory = false;                   ///< allocations and frees were recorded
  std::uint64_t dropped = 0;             ///< records and host spans that did not fit

  /// The value before the first cycle is saved.
  [[nodiscard]] static std::shared_ptr<const SavedCycle> none();
  /// Hands the records and the metadata to `writer`, and host spans, allocations and frees if it
  /// wants them. Does not close the writer. `batching` belongs to the writer. Returns a failure
  /// text, or an empty one.
  [[nodiscard]] std::string writeTo(BatchWriter &writer, Output::Interest wants,
                                    Batching &batching) const;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SAVEDCYCLE_H
