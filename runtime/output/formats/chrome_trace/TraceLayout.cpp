// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceLayout.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "output/formats/chrome_trace/TraceRows.h"

namespace graphprof {

namespace {

constexpr std::uint64_t launchTid = 1;
constexpr std::uint64_t hostTid = 2;
constexpr std::uint64_t memoryTid = 3;
constexpr std::uint64_t furtherTids = 1'000'000; // for rows that are not a stream's own

std::string rowName(std::string_view base, std::size_t row) {
  return row == 0 ? std::string(base) : fmt::format("{} ({})", base, row + 1);
}

} // namespace

TraceLayout::TraceLayout(const TraceData &data, const Run &run, TraceAmong among)
    : firstPid(among.firstPid), data_(data), nextTid_(furtherTids) {
  // A pid may equal a device's number (1, in a container). Keeps them apart.
  hostPid = static_cast<std::uint64_t>(run.pid);
  if (hostPid < 1024)
    hostPid += furtherTids;
  if (firstPid != 0)
    hostPid = firstPid + TraceAmong::pidsEach - 1;
  findBase();
  if (among.baseNs != 0)
    baseNs = among.baseNs;
  joinLaunches();
  placeThreads();
  placeLanes();
  placeWarps();
}

bool TraceLayout::drawn(const TraceData::Replay &replay) {
  return replay.exec != 0 && replay.beginNs > 0 && replay.endNs >= replay.beginNs;
}

// Times are printed relative to the earliest one.
void TraceLayout::findBase() {
  baseNs = std::numeric_limits<std::int64_t>::max();
  const auto take = [this](std::int64_t fromNs, std::int64_t toNs) {
    if (fromNs <= 0)
      return; // unknown
    baseNs = std::min(baseNs, fromNs);
    endNs = std::max(endNs, toNs);
  };
  for (const TraceData::Replay &replay : data_.replays) {
    take(replay.launchNs, replay.launchNs);
    take(replay.beginNs, std::max(replay.beginNs, replay.endNs));
  }
  for (const TraceData::Region &region : data_.regions)
    if (region.durationNs >= 0)
      take(region.beginNs, region.beginNs + region.durationNs);
  for (const KernelRun &run : data_.twins)
    for (const KernelRun::Warp &warp : run.warps)
      take(warp.beginNs, warp.beginNs + warp.durationNs);
  for (const MemoryEvent &event : data_.memory)
    take(event.timeNs, event.timeNs);
  for (const TraceData::Span &span : data_.spans)
    take(span.beginNs, span.endNs);
  if (endNs == 0)
    baseNs = 0;
}

// A tid that no thread of the program has.
std::uint64_t TraceLayout::freeTid() {
  while (programTids_.contains(nextTid_))
    ++nextTid_;
  return nextTid_++;
}

void TraceLayout::joinLaunches() {
  launchOf.assign(data_.replays.size(), none);
  replayOf.assign(data_.spans.size(), none);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> made; // by exec and replay
  for (std::size_t i = 0; i < data_.spans.size(); ++i)
    if (const TraceData::Span &span = data_.spans[i]; span.kind == HostKind::Launch && span.exec)
      made.emplace(std::pair(span.exec, span.replay), i);
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const auto launch = made.find({data_.replays[i].exec, data_.replays[i].number});
    if (launch == made.end())
      continue;
    launchOf[i] = launch->second;
    replayOf[launch->second] = i;
  }
}

// Makes rows for the program's threads, by their numbers.
void TraceLayout::placeThreads() {
  std::vector<std::vector<std::size_t>> spansOf(data_.threads.size());
  for (std::size_t i = 0; i < data_.spans.size(); ++i)
    spansOf[data_.spans[i].thread].push_back(i);
  std::map<std::uint64_t, std::size_t> order;
  for (std::size_t i = 0; i < data_.threads.size(); ++i)
    order.emplace(data_.threads[i].id, i);
  for (const auto &[id, index] : order)
    programTids_.insert(id);
  spanThread.assign(data_.spans.size(), none);
  for (const auto &[id, index] : order)
    placeThread(data_.threads[index], std::move(spansOf[index]));
}

void TraceLayout::placeThread(const TraceData::Thread &thread, std::vector<std::size_t> spans) {
  std::sort(spans.begin(), spans.end(), [this](std::size_t left, std::size_t right) {
    const TraceData::Span &l = data_.spans[left], &r = data_.spans[right];
    return std::tuple(l.beginNs, -l.endNs, l.kind != HostKind::Step, left) <
           std::tuple(r.beginNs, -r.endNs, r.kind != HostKind::Step, right);
  });
  const std::size_t first = threads.size();
  std::vector<TraceSpan> rows;
  rows.reserve(spans.size());
  for (const std::size_t span : spans) {
    spanOrder.push_back(span);
    if (data_.spans[span].kind == HostKind::Mark)
      spanThread[span] = first;
    else
      rows.push_back({data_.spans[span].beginNs, data_.spans[span].endNs, -1});
  }
  nest(rows);
  auto row = assignRows(rows);
  auto next = row.begin();
  unsigned count = 1;
  for (const std::size_t span : spans)
    if (data_.spans[span].kind != HostKind::Mark) {
      count = std::max(count, *next + 1);
      spanThread[span] = first + *next++;
    }
  const std::string name = fmt::format("thread {} ({})", thread.id, thread.name);
  for (unsigned i = 0; i < count; ++i)
    threads.push_back(
        {hostPid, i == 0 && thread.id > memoryTid ? thread.id : freeTid(), rowName(name, i)});
}

// A region with host time only occurs twice: as a record, and as its thread's span. Hides the
// record.
void TraceLayout::hideTwins() {
  hidden.assign(data_.regions.size(), false);
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::size_t> spans;
  for (std::size_t i = 0; i < data_.spans.size(); ++i) {
    const TraceData::Span &span = data_.spans[i];
    if (span.kind == HostKind::Region)
      spans.emplace(std::tuple(span.text, span.beginNs, span.endNs), i);
  }
  if (spans.empty())
    return;
  for (std::size_t i = 0; i < data_.regions.size(); ++i) {
    const TraceData::Region &region = data_.regions[i];
    if (!region.host || region.durationNs < 0)
      continue;
    const auto twin = spans.find({region.text, region.beginNs, region.beginNs + region.durationNs});
    if (twin == spans.end())
      continue;
    hidden[i] = true;
    threadOf[data_.replays.size() + i] = spanThread[twin->second];
  }
}

TraceLayout::Lane TraceLayout::laneOf(const TraceData::Region &region) {
  return region.host ? Lane{} : Lane{region.device, region.stream};
}

// Gives each span the row that it is drawn in; the launches' row if it has none.
void TraceLayout::placeLanes() {
  launches = threads.size();
  threads.push_back({hostPid, launchTid, "graph launches"});

  const std::size_t replays = data_.replays.size();
  threadOf.assign(replays + data_.regions.size(), launches);
  hideTwins();
  std::map<Lane, std::vector<std::size_t>> lanes;
  for (std::size_t i = 0; i < replays; ++i)
    if (drawn(data_.replays[i]))
      lanes[{data_.replays[i].device, data_.replays[i].stream}].push_back(i);
  for (std::size_t i = 0; i < data_.regions.size(); ++i)
    if (data_.regions[i].durationNs >= 0 && !hidden[i])
      lanes[laneOf(data_.regions[i])].push_back(replays + i);
  for (const auto &[lane, spans] : lanes)
    placeLane(lane, spans);

  if (!data_.memory.empty()) {
    memory = threads.size();
    threads.push_back({hostPid, memoryTid, "memory"});
  }
  for (const MemoryEvent &event : data_.memory)
    if (event.device >= 0)
      counted.insert(static_cast<std::uint64_t>(event.device));

  // A region that was not measured has no span. It is noted in the row of what is around it.
  for (std::size_t i = 0; i < data_.regions.size(); ++i) {
    const TraceData::Region &region = data_.regions[i];
    if (region.durationNs < 0)
      threadOf[replays + i] = threadOf[around(region)];
  }
}

// A multiprocessor has a slot for each block that it had at the same time, and the slot a row for
// each of its sampled warps.
void TraceLayout::placeWarps() {
  struct Block {
    std::int64_t beginNs = 0, endNs = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> warps; // in the block; among all
  };
  std::map<std::pair<int, std::uint32_t>, std::vector<Block>> lanes; // by device, multiprocessor
  std::size_t count = 0;
  for (const KernelRun &run : data_.twins) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Block> blocks; // by multiprocessor, number
    for (const KernelRun::Warp &warp : run.warps) {
      Block &block = blocks[{warp.multiprocessor, warp.block}];
      const std::int64_t endNs = warp.beginNs + warp.durationNs;
      const bool isFirst = block.warps.empty();
      block.beginNs = isFirst ? warp.beginNs : std::min(block.beginNs, warp.beginNs);
      block.endNs = isFirst ? endNs : std::max(block.endNs, endNs);
      block.warps.emplace_back(warp.warp, count++);
    }
    for (auto &[place, block] : blocks)
      lanes[{run.device, place.first}].push_back(std::move(block));
  }
  warpThread.assign(count, none);
  for (auto &[lane, blocks] : lanes) {
    std::ranges::sort(blocks, [](const Block &left, const Block &right) {
      return std::tuple(left.beginNs, -left.endNs, left.warps.front().second) <
             std::tuple(right.beginNs, -right.endNs, right.warps.front().second);
    });
    std::vector<TraceSpan> spans;
    spans.reserve(blocks.size());
    for (const Block &block : blocks)
      spans.push_back({block.beginNs, block.endNs, -1});
    std::map<unsigned, std::map<std::uint32_t, std::vector<std::size_t>>> slots; // by warp
    const std::vector<unsigned> slotOf = assignRows(spans);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (const auto &[warp, number] : blocks[i].warps)
        slots[slotOf[i]][warp].push_back(number);
    for (const auto &[slot, rows] : slots) {
      const std::string name = rowName(fmt::format("multiprocessor {}", lane.second), slot);
      for (const auto &[warp, numbers] : rows) {
        for (const std::size_t number : numbers)
          warpThread[number] = threads.size();
        threads.push_back({pidOf(lane.first), freeTid(),
                           rows.size() == 1 ? name : fmt::format("{}, warp {}", name, warp)});
      }
    }
  }
}

// The span that is drawn around a region: the nearest measured region, else its replay.
std::size_t TraceLayout::around(const TraceData::Region &region) const {
  const TraceData::Region *at = &region;
  while (at->parent >= 0) {
    const auto parent = static_cast<std::size_t>(at->parent);
    at = &data_.regions[parent];
    if (at->durationNs >= 0)
      return data_.replays.size() + parent;
  }
  return region.replay;
}

void TraceLayout::placeLane(const Lane &lane, const std::vector<std::size_t> &spans) {
  // A parent also has a smaller index in the lane: replays come first, regions are in capture
  // order.
  const std::size_t replays = data_.replays.size();
  const auto positionOf = [&](std::size_t span) -> std::ptrdiff_t {
    const auto at = std::lower_bound(spans.begin(), spans.end(), span);
    return at != spans.end() && *at == span ? at - spans.begin() : -1;
  };
  std::vector<TraceSpan> rows;
  rows.reserve(spans.size());
  for (const std::size_t span : spans) {
    if (span < replays) {
      rows.push_back({data_.replays[span].beginNs, data_.replays[span].endNs, -1});
      continue;
    }
    const TraceData::Region &region = data_.regions[span - replays];
    rows.push_back(
        {region.beginNs, region.beginNs + region.durationNs, positionOf(around(region))});
  }

  const std::vector<unsigned> row = assignRows(rows);
  const unsigned count = row.empty() ? 0 : *std::max_element(row.begin(), row.end()) + 1;
  const bool host = lane == Lane{};
  const std::string name = host ? "host regions" : fmt::format("stream {}", lane.stream);
  const std::size_t first = threads.size();
  // A row in which everything is inside something of another row shows a branch.
  std::vector<bool> isBranch(count, !host);
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (rows[i].parent < 0)
      isBranch[row[i]] = false;
  for (unsigned i = 0; i < count; ++i) {
    const bool ownTid = i == 0 && (host || (lane.device >= 0 && lane.stream < furtherTids));
    const std::uint64_t tid = ownTid ? (host ? hostTid : lane.stream) : freeTid();
    threads.push_back({pidOf(lane.device), tid,
                       isBranch[i] ? fmt::format("{}, branch {}", name, i + 1) : rowName(name, i)});
  }
  for (std::size_t i = 0; i < spans.size(); ++i)
    threadOf[spans[i]] = first + row[i];
}

} // namespace graphprof
