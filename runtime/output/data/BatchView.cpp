// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/BatchView.h"

#include "output/data/GraphNodes.h"
#include "output/data/RecordColumns.h"

namespace graphprof {

void BatchView::take(const Batch &batch) {
  const auto whole = [](const auto &thing) { return thing; };
  regions_.take(batch.regionsFrom, batch.regions, whole);
  acts_.take(batch.actsFrom, batch.acts, whole);
  threads_.take(batch.threadsFrom, batch.threads, whole);
}

Record BatchView::record(const Replay &replay, const Batch::Timing &timing) const {
  const Batch::Region &region = regions_.of(timing.region);
  Record record{};
  record.site = region.site;
  record.name = region.name;
  record.context = region.context.data();
  record.context_size = region.context.size();
  record.launch_ns = timing.launchNs;
  record.depth = region.depth;
  record.begin_ns = timing.beginNs;
  record.duration_ns = timing.durationNs;
  record.clock = region.clock;
  record.cold = replay.cold;
  record.device = timing.device;
  record.stream = timing.stream;
  record.graph = replay.graph;
  record.replay = replay.number;
  record.exec = replay.exec;
  record.step = timing.step;
  record.kind = region.kind;
  record.region = timing.ofGraph;
  record.iteration = timing.iteration;
  record.ends = timing.ends;
  record.cuda_graph = replay.cudaGraph;
  record.cuda_exec = replay.cudaExec;
  if (replay.cudaNodes && timing.ofGraph < replay.cudaNodes->size() &&
      (*replay.cudaNodes)[timing.ofGraph] != GraphNodes::none)
    record.cuda_node = (*replay.cudaNodes)[timing.ofGraph];
  setBusy(record, timing.busy);
  if (replay.serves)
    record.graph_name = replay.serves->text;
  return record;
}

Replay BatchView::replay(const Batch &batch, const Batch::Launch &launch) {
  Replay replay = launch.replay;
  records_.clear();
  for (const Batch::Timing &timing : batch.timingsOf(launch))
    records_.push_back(record(replay, timing));
  replay.records = records_;
  return replay;
}

HostSpan BatchView::span(const Batch::Span &of) const {
  const Batch::Act &act = acts_.of(of.act);
  const Batch::Thread &thread = threads_.of(of.thread);
  HostSpan span;
  span.kind = act.kind;
  span.captured = act.captured;
  span.name = act.name;
  span.site = act.site;
  span.context = act.context.data();
  span.context_size = act.context.size();
  span.thread = thread.number;
  span.thread_name = thread.name;
  span.begin_ns = of.beginNs;
  span.end_ns = of.endNs;
  span.step = of.step;
  span.graph = of.graph;
  span.exec = of.exec;
  span.replay = of.replay;
  span.bytes = of.bytes;
  span.device = of.device;
  return span;
}

} // namespace graphprof
