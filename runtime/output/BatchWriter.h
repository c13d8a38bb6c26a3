// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How batches become a file: one implementation a format. Each is called from one thread at a time,
// not always the same. It may wait for a disk: nothing of the program's waits for it.

#ifndef GRAPHPROF_OUTPUT_BATCHWRITER_H
#define GRAPHPROF_OUTPUT_BATCHWRITER_H

#include <cstdint>
#include <string>

#include "graphprof/control.h"
#include "output/data/Batch.h"

namespace graphprof {

/// write() and close() return an empty text, or why the file cannot be written: nothing is called
/// afterwards. What write() was given survives the process when it returns, but for formats that
/// are written whole.
class BatchWriter {
public:
  virtual ~BatchWriter() = default;
  [[nodiscard]] virtual std::string write(const Batch &batch) = 0;
  /// Records, host spans, allocations and frees that it left out so far because of its own bound.
  [[nodiscard]] virtual std::uint64_t dropped() const { return 0; }
  /// Once, last.
  [[nodiscard]] virtual std::string close(const Losses &losses) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BATCHWRITER_H
