// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Records.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "Thrown.h"
#include "bench/Sites.h"
#include "graphprof/step.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof::bench_detail {

namespace {

constexpr std::string_view withoutMemory = "a benchmark's samples get no records: no memory";

} // namespace

std::int64_t record(const bench_result &result, int device, std::int64_t beganNs) noexcept {
  Session &session = process().session;
  std::int64_t nextNs = beganNs;
  if (!session.recording())
    return nextNs;
  try {
    const Site &site = siteOf(result.name);
    for (const double ms : result.times_ms) {
      Record record{};
      record.site = &site;
      record.name = result.name;
      record.launch_ns = record.begin_ns = nextNs;
      record.duration_ns = std::llround(ms * 1e6);
      record.clock = Clock::Event;
      record.device = device;
      record.step = current_step();
      nextNs += record.duration_ns;
      Replay replay{};
      replay.device = device;
      replay.beginNs = record.begin_ns;
      replay.endNs = nextNs;
      replay.launchNs = record.launch_ns;
      replay.step = record.step;
      replay.records = {&record, 1};
      session.consume(replay);
    }
  } catch (...) {
    session.say(withoutMemory);
  }
  return nextNs;
}

void record(std::vector<HeldReplay> replays) noexcept {
  Session &session = process().session;
  if (!session.recording())
    return;
  if (!survived([&] {
        std::sort(replays.begin(), replays.end(),
                  [](const HeldReplay &one, const HeldReplay &other) {
                    return one.launchNs() < other.launchNs();
                  });
        std::vector<Record> records;
        for (const HeldReplay &replay : replays)
          session.outputs.consume(replay.in(records)); // not to who has taken them
      }))
    session.say(withoutMemory);
}

} // namespace graphprof::bench_detail
