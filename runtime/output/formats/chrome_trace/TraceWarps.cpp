// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The sampled warps of kernels' timed twins in a trace.

#include <cstddef>

#include "output/formats/chrome_trace/TraceWriter.h"

namespace graphprof {

// What a warp spent in each region is known as a whole, not when: so the regions are arguments.
void TraceWriter::writeWarps() {
  std::size_t number = 0;
  for (const KernelRun &run : data_.twins) {
    auto time = run.times.begin(); // by warp
    for (std::size_t i = 0; i < run.warps.size(); ++i) {
      const KernelRun::Warp &warp = run.warps[i];
      begin("X");
      json_.member<"cat">("graphprof_warp").member<"name">(run.kernel->kernel);
      placeAt(layout_.warpThread[number++], warp.beginNs);
      json_.member<"dur">(AsMicroseconds{warp.durationNs}).key<"args">().beginObject();
      json_.member<"block">(warp.block).member<"warp">(warp.warp);
      json_.member<"multiprocessor">(warp.multiprocessor).member<"path">(run.kernel->path);
      json_.member<"timed_twin">(true).member<"graph">(run.graph).member<"exec">(run.exec);
      json_.member<"replay">(run.replay).member<"cold">(run.cold);
      step(run.step);
      json_.key<"regions">().beginArray();
      for (; time != run.times.end() && time->warp == i; ++time) {
        const KernelRun::Row &row = run.rows[time->row];
        json_.beginObject().member<"name">(run.kernel->scopes[row.scope].name);
        if (row.parent != KernelRun::none)
          json_.member<"inside">(run.kernel->scopes[run.rows[row.parent].scope].name);
        json_.key<"us">().value(AsMicroseconds{time->ns});
        json_.member<"iterations">(time->iterations).endObject();
      }
      json_.endArray().endObject();
      end();
    }
  }
}

} // namespace graphprof
