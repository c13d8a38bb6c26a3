// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What takes batches: one implementation a format, which makes a file of them. Each is called from
// one thread at a time, not always the same. It knows no session: what the session wants to know of
// whom it hands batches to, which a format has no say in, is Output's.

#ifndef GRAPHPROF_OUTPUT_BATCHWRITER_H
#define GRAPHPROF_OUTPUT_BATCHWRITER_H

#include <cstdint>
#include <string>

#include "graphprof/control.h"
#include "output/data/Batch.h"

namespace graphprof {

/// write() and close() return an empty text, or why they failed: nothing is called afterwards. What
/// write() was given survives the process when it returns, but for formats that are written whole.
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
