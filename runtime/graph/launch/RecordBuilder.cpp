// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/RecordBuilder.h"

#include <algorithm>

#include "services/Services.h"

namespace graphprof {

namespace {

struct Period {
  std::int64_t beginNs, durationNs; // durationNs -1: a boundary was not reached
};

constexpr std::int64_t unreached = ReplayBuffer::unreached;

// `readNs`: as the clock read it. `ns`: what it stands for (RegionTable::timeOf). Either may be
// unreached.
struct Time {
  std::int64_t readNs, ns;
};

// The later of two, or the earlier; unreached if one is.
template <class Choose> Time chosen(const Time &one, const Time &other, Choose choose) {
  const auto both = [&](std::int64_t a, std::int64_t b) {
    return a == unreached || b == unreached ? unreached : choose(a, b);
  };
  return {both(one.readNs, other.readNs), both(one.ns, other.ns)};
}

Time timeOf(const RegionTable &table, std::uint32_t boundary, std::span<const std::int64_t> times) {
  return boundary < times.size() ? Time{times[boundary], table.timeOf(boundary, times)}
                                 : Time{unreached, unreached};
}

// The latest of the boundaries.
Time latestOf(const RegionTable &table, Time latest, std::span<const std::uint32_t> boundaries,
              std::span<const std::int64_t> times) {
  for (const std::uint32_t boundary : boundaries)
    latest = chosen(latest, timeOf(table, boundary, times),
                    [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  return latest;
}

// A node begins when the last node that it waits for has ended, or where its own stamp says. A
// region begins with the first of its nodes.
Time beginOf(const RegionTable &table, const Region &region, std::span<const std::int64_t> times) {
  Time begin = latestOf(table, timeOf(table, region.begin, times), region.alsoBehind, times);
  for (const Moment &other : region.orBehind)
    begin = chosen(
        begin,
        latestOf(table, timeOf(table, other.front(), times), std::span(other).subspan(1), times),
        [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  return begin;
}

// When the last node ended.
std::int64_t endOf(const RegionTable &table, std::span<const std::int64_t> times) {
  std::int64_t endNs = unreached;
  for (std::uint32_t boundary = 0; boundary < times.size(); ++boundary)
    endNs = std::max(endNs, boundary == 0 || table.readsBegin(boundary)
                                ? table.timeOf(boundary, times)
                                : table.endBefore(boundary, times));
  return endNs;
}

// `lastNs`: when the last node ended. Nothing follows it, so a region with it lasts that long.
Period periodOf(const RegionTable &table, const Region &region, std::span<const std::int64_t> times,
                std::int64_t lastNs) {
  const Time begin = beginOf(table, region, times);
  const Time end = latestOf(table, timeOf(table, region.end, times), region.alsoEnds, times);
  if (begin.readNs == unreached || end.readNs == unreached || end.readNs < begin.readNs ||
      begin.ns == unreached || end.ns == unreached)
    return {begin.ns, -1};
  const std::int64_t gapNs =
      table.endsOf(region) == Ends::Completion ? table.gapBehind(region.end) : 0;
  return {begin.ns, std::max<std::int64_t>(std::min(end.ns - gapNs, lastNs) - begin.ns, 0)};
}

} // namespace

std::int64_t durationOf(const RegionTable &table, const Region &region,
                        std::span<const std::int64_t> times) {
  return periodOf(table, region, times, endOf(table, times)).durationNs;
}

void RecordBuilder::addRegions(const RegionTable &table, std::span<const std::int64_t> times,
                               std::span<const Iterations> ran, const Record &common) {
  if (records_.empty()) // not for iterations: each would copy everything
    records_.reserve(table.regions.size());
  const std::int64_t lastNs = endOf(table, times);
  endNs_ = std::max(endNs_, lastNs);
  std::size_t next = 0;
  const auto bodiesUpTo = [&](std::size_t position) {
    for (; next < ran.size() && table.bodies[next].position <= position; ++next)
      addIterations(table.bodies[next], ran[next], common.region);
  };
  for (std::size_t i = 0; i < table.regions.size(); ++i) {
    bodiesUpTo(i);
    const Region &region = table.regions[i];
    if (region.isElsewhere)
      continue;
    Record &record = records_.emplace_back(common);
    record.site = region.site;
    record.name = region.name;
    record.context = region.context.data();
    record.context_size = region.context.size();
    record.depth = region.depth;
    record.kind = region.kind;
    record.region = common.region + static_cast<std::uint32_t>(i);
    record.ends = table.endsOf(region);
    const Period period = periodOf(table, region, times, lastNs);
    record.begin_ns = period.beginNs;
    record.duration_ns = period.durationNs;
    if (period.durationNs < 0 && !region.isEmpty)
      ++services_.counters.incomplete;
  }
  bodiesUpTo(SIZE_MAX);
}

// Only the newest iterations can still be there; they have overwritten older ones.
void RecordBuilder::addIterations(const BodyTable &body, Iterations ran,
                                  std::uint32_t firstRegion) {
  if (ran.last <= ran.before) // the branch was not taken
    return;
  cold_ |= warm_.insert(body.table.get()).second;
  const std::uint64_t count = ran.last - ran.before;
  const std::uint64_t kept = std::min(count, body.ring->depth());
  services_.counters.overrun += count - kept;
  std::vector<std::int64_t> times(body.table->boundaries);
  std::vector<Iterations> inner(body.table->bodies.size());
  Record common = common_;
  common.region = firstRegion + body.firstRegion;
  for (std::uint64_t index = count - kept; index < count; ++index) {
    if (body.ring->read(ran.before + 1 + index, times, inner) != ReplayBuffer::State::Ready) {
      ++services_.counters.overrun;
      continue;
    }
    common.iteration = static_cast<std::int64_t>(index);
    addRegions(*body.table, times, inner, common);
  }
}

} // namespace graphprof
