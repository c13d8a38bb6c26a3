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

namespace {

// Never freed while the table lives.
const std::shared_ptr<const GraphName> &servedBy(const PendingLaunch &note,
                                                 const RegionTable &table) {
  return note.serves == LaunchNames::none ? table.serves : LaunchNames::with(note.serves);
}

// What all records of a replay have in common.
Record commonOf(const PendingLaunch &note, const TimingContext &source, std::uint64_t exec) {
  Record common{};
  common.clock = source.table->clock->kind();
  common.cold = note.cold;
  common.device = source.device->ordinal();
  common.stream = note.stream;
  common.step = note.step;
  common.launch_ns = note.launchNs;
  common.graph = source.table->graphNumber;
  if (const auto &serves = servedBy(note, *source.table))
    common.graph_name = serves->text;
  common.replay = note.number;
  common.exec = exec;
  return common;
}

// A replay without its records and its times.
Replay replayOf(const PendingLaunch &note, const TimingContext &source, std::uint64_t exec,
                std::uint32_t cudaExec) {
  const RegionTable &table = *source.table;
  Replay replay;
  replay.graph = table.graphNumber;
  replay.exec = exec;
  replay.number = note.number;
  replay.device = source.device->ordinal();
  replay.stream = note.stream;
  replay.launchNs = note.launchNs;
  replay.step = note.step;
  replay.layout = table.bodies.empty() ? table.layout : 0;
  replay.places = table.places;
  replay.drawn = table.drawn;
  replay.counts = table.counts;
  replay.serves = servedBy(note, table);
  replay.cudaGraph = table.cudaGraph;
  replay.cudaExec = cudaExec;
  replay.cudaNodes = table.cudaNodes;
  return replay;
}

} // namespace

void LaunchedReplays::consume(const PendingLaunch &note, const TimingContext &source,
                              ReplaySink &sink, const Turn &turn) {
  const RegionTable &table = *source.table;
  if (note.cold)
    warmBodies_.clear();
  RecordBuilder readings(commonOf(note, source, exec_), warmBodies_, services_);
  readings.add(table, times_, ran_);

  Replay replay = replayOf(note, source, exec_, cudaExec_);
  replay.cold = readings.cold();
  replay.beginNs = table.timeOf(0, times_);
  replay.endNs = readings.endNs();
  if (replay.spanKnown())
    plan_.observe({.take = source.take,
                   .number = note.number,
                   .stream = note.stream,
                   .isCold = replay.cold,
                   .beginNs = replay.beginNs,
                   .endNs = replay.endNs});
  if (note.hasRecords &&
      (source.take.what == Take::What::Whole || source.take.what == Take::What::Twins))
    consumeKernels(note, source, replay, sink);
  if (!showBusyTimes(source, readings, replay.cold) || !note.hasRecords)
    return;
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
  replay.records = readings.records();
  sink.consume(replay);
}

void LaunchedReplays::consumeKernels(const PendingLaunch &note, const TimingContext &source,
                                     const Replay &replay, ReplaySink &sink) {
  const std::vector<TwinnedKernel> &kernels = source.table->twinned;
  if (kernels.empty())
    return;
  std::vector<KernelRun> runs;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelRun &run = runs.emplace_back();
    run.kernel = kernels[i].inside;
    run.graph = replay.graph;
    run.exec = replay.exec;
    run.replay = replay.number;
    run.step = replay.step;
    run.launchNs = replay.launchNs;
    run.device = replay.device;
    run.cold = replay.cold;
    run.isTwin = source.take.what == Take::What::Twins;
    run.durationNs = durationOf(*source.table, kernels[i].region, times_);
    if (!run.isTwin)
      continue;
    std::vector<WarpReading> readings;
    services_.counters.insideKernels += source.buffer->readWarps(note.sequence, i, readings);
    services_.counters.insideKernels +=
        addWarps(run, readings, *source.buffer, sink.wantsWarpSpans());
  }
  sink.consume(runs);
}

bool LaunchedReplays::showBusyTimes(const TimingContext &source, RecordBuilder &readings,
                                    bool isCold) {
  const Take &take = source.take;
  if (take.what == Take::What::Bare)
    return false; // it says nothing about the regions
  if (take.what == Take::What::Twins)
    return false; // longer than without them
  if (take.ends != OwnEnds::None) {
    if (!isCold)
      busy_.addEnds(*source.table, readings.records());
    return false; // its stamps move what follows
  }
  if (take.what == Take::What::Part && !isCold)
    busy_.addDurations(*source.table, readings.records());
  busy_.show(*source.table, readings.records());
  return true;
}

std::optional<ReplayInFlight> LaunchedReplays::inFlight(Deadline &deadline) {
  std::optional<PendingLaunches::First> first;
  {
    const MutexLock lock(mutex_);
    first = pending.first();
  }
  if (!first || !first->note.source)
    return std::nullopt;
  const TimingContext &source = *first->note.source;
  ReplayInFlight replay;
  replay.exec = exec_;
  replay.number = first->note.number;
  replay.device = source.device->ordinal();
  replay.stream = first->note.stream;
  replay.launchNs = first->note.launchNs;
  replay.behind = first->behind;
  replay.take = source.take;
  replay.table = source.table;
  replay.times.resize(source.table->boundaries);
  // Without the lock, for which a thread of the program may wait. The memory stays readable.
  replay.progress = source.buffer->look(first->note.sequence, replay.times, deadline);
  return replay;
}

std::size_t LaunchedReplays::abandon() {
  const MutexLock lock(mutex_);
  return pending.abandon();
}

} // namespace graphprof
