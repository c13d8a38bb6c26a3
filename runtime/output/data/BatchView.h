// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Shows what batches contain in the words of the public interface: a Record for each timing, a
// HostSpan for each span. For what hands these to the program, or computes with them. Does not know
// formats.

#ifndef GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H
#define GRAPHPROF_OUTPUT_DATA_BATCHVIEW_H

#include <cstdint>
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
  [[nodiscard]] const Batch::Region &region(std::uint64_t id) const { return regions_.of(id); }
  [[nodiscard]] const Batch::Act &act(std::uint64_t id) const { return acts_.of(id); }
  [[nodiscard]] const Batch::Thread &thread(std::uint64_t id) const { return threads_.of(id); }
  /// What it points to is valid until take().
  [[nodiscard]] Record record(const Replay &replay, const Batch::Timing &timing) const;
  /// Valid until the next call of take() or replay().
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
