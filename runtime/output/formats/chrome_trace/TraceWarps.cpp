// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The sampled warps of kernels' timed twins in a trace, and the regions that they went through.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "output/formats/chrome_trace/TraceWriter.h"

namespace graphprof {

void TraceWriter::writeWarps() {
  std::size_t number = 0;
  for (const KernelRun &run : data_.twins) {
    const std::vector<KernelRun::Span> none, &spans = run.spans ? *run.spans : none;
    auto time = run.times.begin(); // by warp, like the spans
    auto span = spans.begin();
    for (std::uint32_t i = 0; i < run.warps.size(); ++i) {
      const auto firstTime = time;
      const auto firstSpan = span;
      while (time != run.times.end() && time->warp == i)
        ++time;
      while (span != spans.end() && span->warp == i)
        ++span;
      const std::size_t thread = layout_.warpThread[number++];
      writeWarp(run, run.warps[i], {firstTime, time}, {firstSpan, span}, thread);
      writeInside(run, run.warps[i], {firstSpan, span}, thread);
    }
  }
}

void TraceWriter::writeWarp(const KernelRun &run, const KernelRun::Warp &warp,
                            std::span<const KernelRun::Time> times,
                            std::span<const KernelRun::Span> spans, std::size_t thread) {
  begin("X");
  json_.member<"cat">("graphprof_warp").member<"name">(run.kernel->kernel);
  placeAt(thread, warp.beginNs);
  json_.member<"dur">(AsMicroseconds{warp.durationNs}).key<"args">().beginObject();
  json_.member<"block">(warp.block).member<"warp">(warp.warp);
  json_.member<"multiprocessor">(warp.multiprocessor).member<"path">(run.kernel->path);
  json_.member<"timed_twin">(true).member<"graph">(run.graph).member<"exec">(run.exec);
  json_.member<"replay">(run.replay).member<"cold">(run.cold);
  step(run.step);
  json_.key<"regions">().beginArray();
  std::uint64_t iterations = 0;
  for (const KernelRun::Time &time : times) {
    const KernelRun::Row &row = run.rows[time.row];
    json_.beginObject().member<"name">(run.kernel->scopes[row.scope].name);
    if (row.parent != KernelRun::none)
      json_.member<"inside">(run.kernel->scopes[run.rows[row.parent].scope].name);
    json_.key<"us">().value(AsMicroseconds{time.ns});
    json_.member<"iterations">(time.iterations).endObject();
    iterations += time.iterations;
  }
  json_.endArray();
  if (iterations > spans.size())
    json_.member<"not_drawn">(iterations - spans.size());
  json_.endObject();
  end();
}

// Each execution of a region, with how many of the same one the warp went through before.
void TraceWriter::writeInside(const KernelRun &run, const KernelRun::Warp &warp,
                              std::span<const KernelRun::Span> spans, std::size_t thread) {
  std::vector<std::uint32_t> iterations(spans.empty() ? 0 : run.rows.size());
  for (const KernelRun::Span &span : spans) {
    begin("X");
    json_.member<"cat">("graphprof_inside");
    json_.member<"name">(run.kernel->scopes[run.rows[span.row].scope].name);
    placeAt(thread, warp.beginNs + span.beginNs);
    json_.member<"dur">(AsMicroseconds{span.durationNs}).key<"args">().beginObject();
    json_.member<"iteration">(iterations[span.row]++).endObject();
    end();
  }
}

} // namespace graphprof
