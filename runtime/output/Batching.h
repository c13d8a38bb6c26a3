// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Hands replays, host spans, allocations and frees one by one to a writer of batches. Does not know
// the session.

#ifndef GRAPHPROF_OUTPUT_BATCHING_H
#define GRAPHPROF_OUTPUT_BATCHING_H

#include <span>
#include <string>

#include "output/BatchWriter.h"
#include "output/data/Batch.h"

namespace graphprof {

/// For one writer. Each call hands it one batch and returns what the writer returns.
class Batching {
public:
  std::string write(const Replay &replay, BatchWriter &writer) {
    batcher_.renew(batch_);
    batcher_.add(replay, batch_);
    return writer.write(batch_);
  }
  std::string write(std::span<const HostSpan> spans, BatchWriter &writer) {
    batcher_.renew(batch_);
    for (const HostSpan &span : spans)
      batcher_.add(span, batch_);
    return writer.write(batch_);
  }
  std::string write(const MemoryEvent &event, BatchWriter &writer) {
    batcher_.renew(batch_);
    Batcher::add(event, batch_);
    return writer.write(batch_);
  }

private:
  Batcher batcher_;
  Batch batch_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BATCHING_H
