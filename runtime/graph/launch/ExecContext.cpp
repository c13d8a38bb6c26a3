// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ExecContext.h"

#include <utility>

#include "Thrown.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "services/Services.h"

namespace graphprof {

ReplayCosts costsOf(const RegionTable &table) {
  const bool stamps = table.clock->kind() == Clock::Stamp;
  const std::int64_t replayNs = stamps ? 1'000 : 6'000, boundaryNs = stamps ? 250 : 2'500;
  return {replayNs, boundaryNs * (static_cast<std::int64_t>(table.boundaries) - 1)};
}

SharedLaunches::SharedLaunches(Services &services, std::uint64_t exec, driver::Exec plain)
    : plan(services.recordingBudget, exec), replays(services, exec, driver::execId(plain), plan) {}

std::int64_t SharedLaunches::note() {
  const std::int64_t nowNs = hostNowNs();
  lastNs.store(nowNs, std::memory_order_relaxed);
  return nowNs;
}

ExecContext::ExecContext(Services &services, GraphMemory &memory, ExecLimit &limit,
                         driver::Exec plain, unsigned long long flags, bool mayRun,
                         SharedLaunches &launches)
    : services(services), memory(memory), limit(limit), plain(plain), flags(flags),
      launches(launches), plan(launches.plan), order(plain, mayRun, launches.replays.pending) {}

// The launch has happened and must not be repeated.
void ExecContext::launched(TimedExec &timed, const LaunchCall &call, std::int64_t launchNs,
                           bool isSample) noexcept {
  const std::uint64_t sequence = timed.buffer->launched();
  timed.isUnread = false;
  const bool hasRecords = isSample || timed.isCold; // cold ones enter no averages
  if (timed.take.what == Take::What::Bare || timed.take.ends != OwnEnds::None || !hasRecords)
    ++services.counters.notSampled;
  bool isQueued = false;
  if (!survived([&] {
        isQueued =
            launches.replays.pending.push({sequence, call.number, call.streamId, launchNs,
                                           call.step, timed.isCold, hasRecords, true, call.serves},
                                          sourceOf(timed), services.config().maxQueue);
      })) {
    timed.buffer->skip(sequence);
    timed.isUnread = true;
  }
  if (!isQueued)
    ++services.counters.notQueued;
  timed.isCold = false;
  device->alignment().follow(timed.table->clock->kind(), launchNs);
}

bool ExecContext::deferBufferReuse(TimedExec &timed) noexcept {
  return !std::exchange(timed.isUnread, false) || survived([&] {
    launches.replays.pending.push({.recorded = false}, sourceOf(timed), SIZE_MAX);
  });
}

const std::shared_ptr<const TimingContext> &ExecContext::sourceOf(TimedExec &timed) const {
  if (!timed.source || timed.source->table != timed.table || timed.source->buffer != timed.buffer ||
      timed.source->device != device)
    timed.source = std::make_shared<const TimingContext>(
        TimingContext{timed.table, timed.buffer, device, timed.take});
  return timed.source;
}

} // namespace graphprof
