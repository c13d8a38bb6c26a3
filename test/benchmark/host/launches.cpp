// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One launch, idle and recording, beside the same launch without graphprof.

#include <string>

#include "comparison.h"
#include "program.h"
#include "sections.h"

namespace benchmark::host {

void launches(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  Counter counter;
  std::vector<Figure> idle, recording;
  for (const int regions : {16, 200, 1000, 10'000}) {
    if (quick && regions > 200)
      continue;
    const PlainExec plain(stream, regions);
    const TimedExec timed(stream, regions);
    const std::string chain = " of " + std::to_string(regions) + " regions";

    Comparison comparison;
    comparison.plain = [&](int count) {
      for (int i = 0; i < count; ++i)
        plain.launch(stream);
    };
    comparison.timed = [&](int count) {
      for (int i = 0; i < count; ++i)
        timed.launch(stream);
    };
    comparison.after = [&] {
      stream.synchronize();
      graphprof::flush();
      graphprof::start();
    };
    comparison.plainInside = false; // graphprof launches either exec itself
    comparison.each = true;
    comparison.batch = regions <= 200 ? 32 : regions <= 1000 ? 16 : 4; // a ring holds as many
    comparison.rounds = quick ? 2 : regions <= 1000 ? 101 : 21;

    comparison.what = "a launch" + chain + ", not recording";
    comparison.aim = "100";
    comparison.before = [] { graphprof::stop(); };
    idle.push_back(compare(comparison));
    counter.check(0, regions, "launches" + chain + ", not recording");

    comparison.what = "a launch" + chain + ", recording";
    comparison.aim = "the same";
    comparison.before = [] {};
    recording.push_back(compare(comparison));
    counter.check(2 * static_cast<std::uint64_t>(comparison.batch) *
                      static_cast<std::uint64_t>(comparison.rounds + 1),
                  regions, "launches" + chain);
  }
  idle.insert(idle.end(), recording.begin(), recording.end());
  print("Launches", "ns", idle);
}

} // namespace benchmark::host
