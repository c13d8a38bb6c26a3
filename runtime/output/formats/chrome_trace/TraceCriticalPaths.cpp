// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The critical path of each replay in a trace.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "output/formats/chrome_trace/ChromeTrace.h"

namespace graphprof {

// At the end, not while the program runs: it takes some microseconds a node.
void markCriticalPaths(TraceData &data) {
  std::vector<std::size_t> records; // of the replay, that are in no body
  std::vector<NodeTimes> times;
  for (const TraceData::Replay &replay : data.replays) {
    if (!replay.structure || replay.beginNs <= 0 || replay.endNs < replay.beginNs ||
        !replay.structure->path.isOrdered())
      continue;
    records.clear();
    for (std::size_t i = 0; i < replay.regions; ++i)
      if (data.regions[replay.firstRegion + i].iteration < 0)
        records.push_back(replay.firstRegion + i);
    const std::vector<std::uint32_t> &recordOf = replay.structure->records;
    times.assign(recordOf.size(), {});
    for (std::size_t i = 0; i < times.size(); ++i)
      if (recordOf[i] < records.size())
        if (const TraceData::Region &region = data.regions[records[recordOf[i]]];
            region.durationNs >= 0)
          times[i] = {region.beginNs, region.beginNs + region.durationNs,
                      region.ends == Ends::NextBegin, region.busy.gapNs};
    const CriticalReplay critical = replay.structure->path.of(times, replay.beginNs, replay.endNs);
    for (std::size_t i = 0; i < times.size(); ++i)
      if (recordOf[i] < records.size()) {
        TraceData::Region &region = data.regions[records[recordOf[i]]];
        region.isCritical = critical.nodes[i].isOnPath;
        if (critical.nodes[i].why == NoSlack::HasOne)
          region.slackNs = critical.nodes[i].slackNs;
      }
  }
}

} // namespace graphprof
