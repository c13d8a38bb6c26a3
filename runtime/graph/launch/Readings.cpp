// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/Readings.h"

#include <algorithm>

#include "session/Session.h"

namespace graphprof {

namespace {

struct Extent {
  std::int64_t beginNs, durationNs; // durationNs -1: a boundary was not reached
};

// A node begins when the last node that it waits for has ended, or where its own stamp says.
Extent extentOf(const RegionTable &table, const Region &region,
                std::span<const std::int64_t> times) {
  constexpr std::int64_t unreached = ReplayBuffer::unreached;
  std::int64_t beginNs = table.timeOf(region.begin, times);
  std::int64_t readNs = times[region.begin];
  for (const std::uint32_t boundary : region.alsoBehind) {
    readNs = readNs != unreached && times[boundary] != unreached ? std::max(readNs, times[boundary])
                                                                 : unreached;
    const std::int64_t ns = table.timeOf(boundary, times);
    beginNs = beginNs != unreached && ns != unreached ? std::max(beginNs, ns) : unreached;
  }
  if (readNs == unreached || region.end >= times.size() || times[region.end] == unreached ||
      times[region.end] < readNs)
    return {beginNs, -1};
  std::int64_t endNs = table.timeOf(region.end, times);
  if (beginNs == unreached || endNs == unreached)
    return {beginNs, -1};
  if (table.endsOf(region) == Ends::Completion)
    endNs -= table.gapNs;
  return {beginNs, std::max<std::int64_t>(endNs - beginNs, 0)};
}

} // namespace

void Readings::addRegions(const RegionTable &table, std::span<const std::int64_t> times,
                          std::span<const Iterations> ran, const Record &common) {
  if (records_.empty()) // not for iterations: each would copy everything
    records_.reserve(table.regions.size());
  for (std::uint32_t boundary = 0; boundary < times.size(); ++boundary)
    endNs_ = std::max(endNs_, table.timeOf(boundary, times));
  std::size_t next = 0;
  const auto bodiesUpTo = [&](std::size_t position) {
    for (; next < ran.size() && table.bodies[next].position <= position; ++next)
      addIterations(table.bodies[next], ran[next], common.region);
  };
  for (std::size_t i = 0; i < table.regions.size(); ++i) {
    bodiesUpTo(i);
    const Region &region = table.regions[i];
    Record record = common;
    record.site = region.site;
    record.name = region.name;
    record.context = region.context.data();
    record.contextSize = region.context.size();
    record.depth = region.depth;
    record.kind = region.kind;
    record.region = common.region + static_cast<std::uint32_t>(i);
    record.ends = table.endsOf(region);
    const Extent extent = extentOf(table, region, times);
    record.beginNs = extent.beginNs;
    record.durationNs = extent.durationNs;
    if (extent.durationNs < 0)
      ++session_.counters.incomplete;
    records_.push_back(record);
  }
  bodiesUpTo(SIZE_MAX);
}

// Only the newest iterations can still be there; they have overwritten older ones.
void Readings::addIterations(const BodyTable &body, Iterations ran, std::uint32_t firstRegion) {
  if (ran.last <= ran.before) // the branch was not taken
    return;
  cold_ |= warm_.insert(body.table.get()).second;
  const std::uint64_t count = ran.last - ran.before;
  const std::uint64_t kept = std::min(count, body.ring->depth());
  session_.counters.overrun += count - kept;
  std::vector<std::int64_t> times(body.table->boundaries);
  std::vector<Iterations> inner(body.table->bodies.size());
  Record common = common_;
  common.region = firstRegion + body.firstRegion;
  for (std::uint64_t index = count - kept; index < count; ++index) {
    if (body.ring->read(ran.before + 1 + index, times, inner) != ReplayBuffer::State::Ready) {
      ++session_.counters.overrun;
      continue;
    }
    common.iteration = static_cast<std::int64_t>(index);
    addRegions(*body.table, times, inner, common);
  }
}

} // namespace graphprof
