// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/LaunchedReplays.h"

#include "clock/Device.h"
#include "graph/launch/KernelRuns.h"
#include "output/data/ReplaySink.h"
#include "services/Services.h"

namespace graphprof {

std::size_t LaunchedReplays::harvest(ReplaySink &sink, const Turn &turn) {
  const MutexLock lock(mutex_);
  return pending.harvest([&](const PendingLaunch &note, const TimingContext &source) {
    mutex_.assertHeld(); // by harvest()
    return read(note, source, sink, turn);
  });
}

bool LaunchedReplays::read(const PendingLaunch &note, const TimingContext &source, ReplaySink &sink,
                           const Turn &turn) {
  if (!note.recorded)
    return source.buffer->finished();
  times_.resize(source.table->boundaries + (source.table->clock->reportsEnd() ? 1 : 0));
  ran_.resize(source.table->bodies.size());
  const ReplayBuffer::State state = source.buffer->read(note.sequence, times_, ran_);
  if (state == ReplayBuffer::State::Pending)
    return false;
  if (state == ReplayBuffer::State::Lost)
    ++services_.counters.overrun;
  else
    tryToConsume(note, source, sink, turn);
  return true;
}

// What was read cannot be read again, so a failure here loses the records.
void LaunchedReplays::tryToConsume(const PendingLaunch &note, const TimingContext &source,
                                   ReplaySink &sink, const Turn &turn) noexcept {
  try {
    consume(note, source, sink, turn);
  } catch (...) { // no memory
    services_.counters.dropped += source.table->regions.size();
  }
}

void LaunchedReplays::consume(const PendingLaunch &note, const TimingContext &source,
                              ReplaySink &sink, const Turn &turn) {
  const RegionTable &table = *source.table;
  Record common{};
  common.clock = table.clock->kind();
  common.cold = note.cold;
  common.device = source.device->ordinal();
  common.stream = note.stream;
  common.step = note.step;
  common.launch_ns = note.launchNs;
  common.graph = table.graphNumber;
  common.replay = note.number;
  common.exec = exec_;
  if (note.cold)
    warmBodies_.clear();
  RecordBuilder readings(common, warmBodies_, services_);
  readings.add(table, times_, ran_);

  Replay replay;
  replay.graph = table.graphNumber;
  replay.exec = exec_;
  replay.number = note.number;
  replay.device = common.device;
  replay.stream = note.stream;
  replay.launchNs = note.launchNs;
  replay.cold = readings.cold();
  replay.step = note.step;
  replay.beginNs = table.timeOf(0, times_);
  replay.endNs = readings.endNs();
  if (replay.spanKnown())
    plan_.observe({.take = source.take,
                   .number = note.number,
                   .stream = note.stream,
                   .isCold = replay.cold,
                   .beginNs = replay.beginNs,
                   .endNs = replay.endNs});
  if (source.take.what == Take::What::Bare)
    return; // it says nothing about the regions
  common.cold = replay.cold;
  if (!table.twinned.empty() && source.take.what != Take::What::Part)
    consumeKernels(note, source, common, sink);
  if (source.take.what == Take::What::Twins)
    return; // longer than without them
  if (source.take.ends != OwnEnds::None) {
    if (!replay.cold)
      busy_.addEnds(table, readings.records());
    return; // its stamps move what follows
  }
  if (source.take.what == Take::What::Part && !replay.cold)
    busy_.addDurations(table, readings.records());
  busy_.show(table, readings.records());
  turn.earlier(note.launchNs);
  if (replay.spanKnown()) {
    const std::int64_t moveNs =
        turn.order
            .place(replay.device, replay.stream,
                   {note.launchNs, note.launchNs, replay.beginNs, replay.endNs, 0})
            .laterNs;
    replay.beginNs += moveNs;
    replay.endNs += moveNs;
    readings.move(moveNs);
  }
  replay.layout = table.bodies.empty() ? table.layout : 0;
  replay.drawn = table.drawn;
  replay.counts = table.counts;
  replay.cudaGraph = table.cudaGraph;
  replay.cudaExec = cudaExec_;
  replay.cudaNodes = table.cudaNodes;
  replay.records = readings.records();
  sink.consume(replay);
}

void LaunchedReplays::consumeKernels(const PendingLaunch &note, const TimingContext &source,
                                     const Record &common, ReplaySink &sink) {
  std::vector<KernelRun> runs;
  const std::vector<TwinnedKernel> &kernels = source.table->twinned;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelRun &run = runs.emplace_back();
    run.kernel = kernels[i].inside;
    run.graph = common.graph;
    run.exec = common.exec;
    run.replay = common.replay;
    run.step = common.step;
    run.launchNs = common.launch_ns;
    run.device = common.device;
    run.cold = common.cold;
    run.isTwin = source.take.what == Take::What::Twins;
    run.durationNs = durationOf(*source.table, kernels[i].region, times_);
    if (!run.isTwin)
      continue;
    std::vector<WarpReading> readings;
    services_.counters.insideKernels += source.buffer->readWarps(note.sequence, i, readings);
    services_.counters.insideKernels += addWarps(run, readings, *source.buffer);
  }
  sink.consume(runs);
}

std::size_t LaunchedReplays::abandon() {
  const MutexLock lock(mutex_);
  return pending.abandon();
}

} // namespace graphprof
