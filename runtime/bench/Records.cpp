// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Records.h"

#include <cmath>

#include "bench/Sites.h"
#include "session/Session.h"

namespace graphprof::bench_detail {

void record(const bench_result &result, int device, std::int64_t beganNs) noexcept {
  Session &session = Session::instance();
  if (result.timer == bench_timer::stamps || !session.recording())
    return;
  try {
    const Site &site = siteOf(result.name);
    std::int64_t nextNs = beganNs;
    for (const double ms : result.times_ms) {
      Record record{};
      record.site = &site;
      record.name = result.name;
      record.launchNs = record.beginNs = nextNs;
      record.durationNs = std::llround(ms * 1e6);
      record.clock = Clock::Event;
      record.device = device;
      nextNs += record.durationNs;
      Replay replay{};
      replay.device = device;
      replay.beginNs = record.beginNs;
      replay.endNs = nextNs;
      replay.launchNs = record.launchNs;
      replay.step = -1;
      replay.records = {&record, 1};
      session.consume(replay);
    }
  } catch (...) {
    session.say("a benchmark's samples get no records: no memory");
  }
}

void withoutTable() noexcept { Session::instance().outputs.withoutDefaultTable(); }

} // namespace graphprof::bench_detail
