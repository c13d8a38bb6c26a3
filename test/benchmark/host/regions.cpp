// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cost of regions outside graphs.

#include <graphprof/control.h>

#include "../check.h"
#include "comparison.h"
#include "program.h"
#include "sections.h"

namespace benchmark::host {
namespace {

// As in code that the tool writes.
void emptyRegions(cudaStream_t stream, int count) {
  for (int i = 0; i < count; ++i) {
    GRAPHPROF_SCOPE(1, "region {}", ::graphprof::on_stream(stream), i);
    asm volatile("" ::: "memory");
  }
}

void emptyLoop(int count) {
  for (int i = 0; i < count; ++i)
    asm volatile("" ::: "memory");
}

} // namespace

void regions(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  Counter counter;
  std::vector<Figure> figures;

  Comparison disabled;
  disabled.what = "a region, GRAPHPROF_ENABLED=0";
  disabled.aim = "3";
  disabled.plain = emptyLoop;
  disabled.timed = [&](int count) { emptyRegions(stream, count); };
  disabled.before = [] { graphprof::detail::activeFlag = false; }; // as GRAPHPROF_ENABLED=0 does
  disabled.after = [] { graphprof::detail::activeFlag = true; };
  disabled.batch = quick ? 100 : 100'000;
  disabled.rounds = quick ? 2 : 51;
  figures.push_back(compare(disabled));

  Comparison stopped = disabled;
  stopped.what = "a region, after stop()";
  stopped.before = [] { graphprof::stop(); };
  stopped.after = [] { graphprof::start(); };
  stopped.batch = quick ? 100 : 1000;
  figures.push_back(compare(stopped));
  counter.check(0, 1, "regions that are not recorded");

  Event begin, end;
  Comparison recording;
  recording.what = "a region, recording, against two cudaEventRecord";
  recording.aim = "100";
  recording.plain = [&](int count) {
    for (int i = 0; i < count; ++i) {
      CHECK(cudaEventRecord(begin.get(), stream));
      CHECK(cudaEventRecord(end.get(), stream));
    }
  };
  recording.timed = [&](int count) { emptyRegions(stream, count); };
  recording.after = [&] {
    stream.synchronize();
    graphprof::flush();
  };
  recording.batch = quick ? 10 : 256;
  recording.rounds = quick ? 2 : 201;
  recording.plainInside = false;
  figures.push_back(compare(recording));
  counter.check(2 * static_cast<std::uint64_t>(recording.batch) *
                    static_cast<std::uint64_t>(recording.rounds + 1),
                1, "regions outside graphs");
  print("Regions outside graphs", "ns", figures);
}

} // namespace benchmark::host
