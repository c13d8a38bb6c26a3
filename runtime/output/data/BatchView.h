// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Batches as replays and host spans again, for writers that compute with these. Knows no formats.

#ifndef GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H
#define GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H

#include <vector>

#include "graphprof/host_span.h"
#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/data/Replay.h"

namespace graphprof {

/// The batches of one Batcher, in their order.
class BatchView {
public:
  /// First, of each batch.
  void take(const Batch &batch);
  /// Valid until the next call of any. A record's launchNs is its replay's.
  [[nodiscard]] Replay replay(const Batch &batch, const Batch::Launch &launch);
  /// Valid until take().
  [[nodiscard]] HostSpan span(const Batch::Span &span) const;

private:
  ById<Batch::Region> regions_;
  ById<Batch::Act> acts_;
  ById<Batch::Thread> threads_;
  std::vector<Record> records_; // of the replay at hand
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H
