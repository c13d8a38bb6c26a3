// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/WhyNothing.h"

#include <fmt/format.h>

#include "output/data/LossText.h"

namespace graphprof {

std::string untimedExecs(const Seen &seen) {
  const std::uint64_t without = seen.withoutRegion.load(), foreign = seen.ofOthers.load();
  std::string text;
  if (without > 0)
    text = fmt::format("{} of graphs without a region; annotate the code that captures them, or "
                       "set GRAPHPROF_NODES=1 to time every kernel",
                       counted(without, "exec was replayed", "execs were replayed"));
  if (foreign > 0)
    text += fmt::format("{}{} that code without instrumentation made; instrument it, or use "
                        "graphprof run",
                        text.empty() ? "" : "; ",
                        counted(foreign, "exec was replayed", "execs were replayed"));
  return text;
}

std::string whyNothing(const Seen &seen) {
  if (std::string text = untimedExecs(seen); !text.empty())
    return text;
  if (!seen.region)
    return "no region ran, and no launch of a graph was seen; build the sources that capture, "
           "instantiate and launch with graphprof-cc";
  const std::uint64_t captured = seen.captured.load();
  if (captured > 0 && !seen.timedLaunch)
    return fmt::format("{} captured, and no launch of {} was seen; instrument the code that "
                       "instantiates and launches, too",
                       counted(captured, "graph with regions was", "graphs with regions were"),
                       captured == 1 ? "it" : "them");
  if (seen.othersCapture && !seen.timedLaunch)
    return "regions ran in captures that code without instrumentation began, and no launch of "
           "their "
           "graphs was seen; instrument that code, or use graphprof run";
  return "regions ran only while graphprof was not recording";
}

} // namespace graphprof
