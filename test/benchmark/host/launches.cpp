// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cost of a launch: idle, recording, and recording with the host's time line, compared with the
// same launch without graphprof.

#include <stdexcept>
#include <string>
#include <vector>

#include "comparison.h"
#include "program.h"
#include "sections.h"

namespace benchmark::host {

void launches(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  Counter counter;
  graphprof::profile_options cpu;
  cpu.activities = {graphprof::ProfilerActivity::CPU};
  std::vector<Figure> idle, stopped, recording, hostSpans;
  for (const int regions : {16, 200, 1000, 10'000}) {
    if (quick && regions > 200)
      continue;
    const PlainExec plain(stream, regions);
    graphprof::stop();
    const TimedExec madeWhileStopped(stream, regions);
    graphprof::start();
    const TimedExec timed(stream, regions);
    const std::string chain = " of " + std::to_string(regions) + " regions";

    Comparison comparison;
    comparison.plain = [&](int count) {
      for (int i = 0; i < count; ++i)
        plain.launch(stream);
    };
    const auto launching = [&stream](const TimedExec &exec) {
      return [&](int count) {
        for (int i = 0; i < count; ++i)
          exec.launch(stream);
      };
    };
    comparison.timed = launching(madeWhileStopped);
    comparison.after = [&] {
      stream.synchronize();
      graphprof::flush();
      graphprof::start();
    };
    comparison.plainInside = false; // graphprof makes the launch itself
    comparison.each = true;
    comparison.batch = regions <= 200 ? 32 : regions <= 1000 ? 16 : 4; // the capacity of a ring
    comparison.rounds = quick ? 2 : regions <= 1000 ? 101 : 21;

    comparison.what = "a launch" + chain + ", not recording";
    comparison.aim = "100";
    comparison.before = [] { graphprof::stop(); };
    idle.push_back(compare(comparison));
    counter.check(0, regions, "launches" + chain + ", not recording");
    comparison.timed = launching(timed);

    comparison.what =
        "a launch" + chain + ", stopped after it was made"; // its graph has a user object
    comparison.aim = "";
    stopped.push_back(compare(comparison));
    counter.check(0, regions, "launches" + chain + ", stopped");

    comparison.what = "a launch" + chain + ", recording";
    comparison.aim = "the same";
    comparison.before = [] {};
    recording.push_back(compare(comparison));
    counter.check(2 * static_cast<std::uint64_t>(comparison.batch) *
                      static_cast<std::uint64_t>(comparison.rounds + 1),
                  regions, "launches" + chain);

    comparison.what = "a launch" + chain + ", recording with host spans";
    graphprof::profile profile(cpu, graphprof::defer_start);
    comparison.before = [&] { profile.start(); };
    const auto waiting = comparison.after;
    comparison.after = [&] {
      waiting();
      profile.stop();
    };
    hostSpans.push_back(compare(comparison));
    counter.check(2 * static_cast<std::uint64_t>(comparison.batch) *
                      static_cast<std::uint64_t>(comparison.rounds + 1),
                  regions, "launches" + chain + " with host spans");
    if (const std::size_t spans = profile.host_events().size();
        spans != static_cast<std::size_t>(comparison.batch)) // the spans of the last batch
      throw std::runtime_error("launches" + chain + ": " + std::to_string(spans) + " host spans");
  }
  for (const std::vector<Figure> &more : {stopped, recording, hostSpans})
    idle.insert(idle.end(), more.begin(), more.end());
  print("Launches", "ns", idle);
}

} // namespace benchmark::host
