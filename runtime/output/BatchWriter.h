// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The interface of a format: takes batches and makes a file of them. One thread at a time calls it,
// not always the same one. Does not know the session; Output adds what the session needs.

#ifndef GRAPHPROF_OUTPUT_BATCHWRITER_H
#define GRAPHPROF_OUTPUT_BATCHWRITER_H

#include <cstdint>
#include <string>

#include "graphprof/control.h"
#include "output/data/Batch.h"

namespace graphprof {

/// write() and close() return an empty text, or why they failed; nothing is called after a failure.
/// What write() has got survives the process, except for formats that are written whole.
class BatchWriter {
public:
  virtual ~BatchWriter() = default;
  [[nodiscard]] virtual std::string write(const Batch &batch) = 0;
  /// How many records, host spans, allocations and frees it left out because of its own bound.
  [[nodiscard]] virtual std::uint64_t dropped() const { return 0; }
  /// Called once, as the last function. `losses`: what was lost before it came here. Adds what this
  /// writer left out itself (dropped()), so that each file says what is missing in it.
  [[nodiscard]] virtual std::string close(const Losses &losses) = 0;
  /// After close(): the file that it has written, by the name that it got; empty: none, but a
  /// stream, a pipe or a device.
  [[nodiscard]] virtual std::string written() const { return {}; }
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BATCHWRITER_H
