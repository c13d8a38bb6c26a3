// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turns batches back into replays and host spans, for writers that compute with these. Does not
// know formats.

#ifndef GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H
#define GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H

#include <vector>

#include "graphprof/host_span.h"
#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/data/Replay.h"

namespace graphprof {

/// For the batches of one Batcher, in their order.
class BatchView {
public:
  /// Call this first for each batch.
  void take(const Batch &batch);
  /// Valid until the next call of any member. A record's launchNs is its replay's.
  [[nodiscard]] Replay replay(const Batch &batch, const Batch::Launch &launch);
  /// Valid until take().
  [[nodiscard]] HostSpan span(const Batch::Span &span) const;

private:
  ById<Batch::Region> regions_;
  ById<Batch::Act> acts_;
  ById<Batch::Thread> threads_;
  std::vector<Record> records_; // of the current replay
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H
