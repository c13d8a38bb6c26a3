// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/TraceWriter.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "output/Json.h"
#include "output/LossText.h"
#include "output/TraceRows.h"
#include "output/Words.h"

namespace graphprof {

namespace {

constexpr std::uint64_t launchTid = 1;
constexpr std::uint64_t hostTid = 2;
constexpr std::uint64_t memoryTid = 3;
constexpr std::uint64_t furtherTids = 1'000'000;     // rows that are no stream's own
constexpr std::uint64_t deviceSortIndex = 0x1000000; // as Kineto's: devices below the host

std::string rowName(std::string_view base, std::size_t row) {
  return row == 0 ? std::string(base) : fmt::format("{} ({})", base, row + 1);
}

// Of nodes as Kineto has it, where it has one.
std::string_view category(Kind kind) {
  switch (kind) {
  case Kind::Region:
    return "graphprof_region";
  case Kind::Kernel:
    return "kernel";
  case Kind::Memcpy:
    return "gpu_memcpy";
  case Kind::Memset:
    return "gpu_memset";
  case Kind::Host:
    return "graphprof_host";
  case Kind::Graph:
    return "graphprof_graph";
  }
  return "";
}

std::string stepArgument(std::int64_t step) {
  return step < 0 ? std::string() : fmt::format(R"(,"step":{})", step);
}

std::string replayArguments(const TraceData::Replay &replay) {
  return fmt::format(R"("graph":{},"exec":{},"replay":{},"cold":{}{})", replay.graph, replay.exec,
                     replay.number, replay.cold, stepArgument(replay.step));
}

} // namespace

TraceWriter::TraceWriter(const TraceData &data, const Run &run, WholeFile &file)
    : data_(data), run_(run), file_(file) {
  // A process's pid may be a device's number too (1, in a container): keep them apart.
  hostPid_ = static_cast<std::uint64_t>(run_.pid);
  if (hostPid_ < 1024)
    hostPid_ += furtherTids;
  findBase();
  placeLanes();
}

bool TraceWriter::drawn(const TraceData::Replay &replay) const {
  return replay.exec != 0 && replay.beginNs > 0 && replay.endNs >= replay.beginNs;
}

// Times are printed relative to the earliest one.
void TraceWriter::findBase() {
  baseNs_ = std::numeric_limits<std::int64_t>::max();
  const auto take = [this](std::int64_t beginNs, std::int64_t endNs) {
    if (beginNs <= 0)
      return; // unknown
    baseNs_ = std::min(baseNs_, beginNs);
    endNs_ = std::max(endNs_, endNs);
  };
  for (const TraceData::Replay &replay : data_.replays) {
    take(replay.launchNs, replay.launchNs);
    take(replay.beginNs, std::max(replay.beginNs, replay.endNs));
  }
  for (const TraceData::Region &region : data_.regions)
    if (region.durationNs >= 0)
      take(region.beginNs, region.beginNs + region.durationNs);
  for (const MemoryEvent &event : data_.memory)
    take(event.timeNs, event.timeNs);
  if (endNs_ == 0)
    baseNs_ = 0;
}

TraceWriter::Lane TraceWriter::laneOf(const TraceData::Region &region) {
  return region.host ? Lane{} : Lane{region.device, region.stream};
}

// Gives each span the thread that it is drawn in; the launches' where there is none.
void TraceWriter::placeLanes() {
  launches_ = threads_.size();
  threads_.push_back({hostPid_, launchTid, "graph launches"});

  const std::size_t replays = data_.replays.size();
  threadOf_.assign(replays + data_.regions.size(), launches_);
  std::map<Lane, std::vector<std::size_t>> lanes;
  for (std::size_t i = 0; i < replays; ++i)
    if (drawn(data_.replays[i]))
      lanes[{data_.replays[i].device, data_.replays[i].stream}].push_back(i);
  for (std::size_t i = 0; i < data_.regions.size(); ++i)
    if (data_.regions[i].durationNs >= 0)
      lanes[laneOf(data_.regions[i])].push_back(replays + i);
  for (const auto &[lane, spans] : lanes)
    placeLane(lane, spans);

  if (!data_.memory.empty()) {
    memory_ = threads_.size();
    threads_.push_back({hostPid_, memoryTid, "memory"});
  }
  for (const MemoryEvent &event : data_.memory)
    if (event.device >= 0)
      counted_.insert(static_cast<std::uint64_t>(event.device));

  // What was not measured has no span: it is noted in the thread of what is around it.
  for (std::size_t i = 0; i < data_.regions.size(); ++i) {
    const TraceData::Region &region = data_.regions[i];
    if (region.durationNs < 0)
      threadOf_[replays + i] = threadOf_[around(region)];
  }
}

// The span drawn around a region: the nearest measured region, else its replay.
std::size_t TraceWriter::around(const TraceData::Region &region) const {
  const TraceData::Region *at = &region;
  while (at->parent >= 0) {
    const auto parent = static_cast<std::size_t>(at->parent);
    at = &data_.regions[parent];
    if (at->durationNs >= 0)
      return data_.replays.size() + parent;
  }
  return region.replay;
}

void TraceWriter::placeLane(const Lane &lane, const std::vector<std::size_t> &spans) {
  // A parent has a smaller index in the lane too: replays come first, regions in capture order.
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
  const std::size_t first = threads_.size();
  for (unsigned i = 0; i < count; ++i) {
    const bool ownTid = i == 0 && (host || (lane.device >= 0 && lane.stream < furtherTids));
    const std::uint64_t tid =
        ownTid ? (host ? hostTid : lane.stream) : furtherTids + threads_.size();
    threads_.push_back({lane.device < 0 ? hostPid_ : static_cast<std::uint64_t>(lane.device), tid,
                        rowName(name, i)});
  }
  for (std::size_t i = 0; i < spans.size(); ++i)
    threadOf_[spans[i]] = first + row[i];
}

std::string TraceWriter::place(std::size_t thread, std::int64_t ns) const {
  return fmt::format(R"("pid":{},"tid":{},"ts":{})", threads_[thread].pid, threads_[thread].tid,
                     jsonMicroseconds(ns > baseNs_ ? ns - baseNs_ : 0));
}

std::string TraceWriter::write(std::string_view traceName, std::uint64_t dropped,
                               const Losses &losses) {
  std::string counts;
  for (const LossKind &kind : lossKinds())
    counts += fmt::format("{}\"{}\":{}", counts.empty() ? "" : ",", kind.key, losses.*kind.count);
  std::string metadata;
  for (const auto &[key, json] : data_.metadata)
    metadata += jsonString(key) + ':' + json + ",\n";
  raw(fmt::format("{{\n\"schemaVersion\":1,\n\"deviceProperties\":{},\n{}\"graphprofDropped\":{},\n"
                  "\"graphprofLosses\":{{{}}},\n\"displayTimeUnit\":\"ms\",\n"
                  "\"baseTimeNanoseconds\":{},\n\"traceEvents\":[\n",
                  data_.deviceProperties, metadata, dropped, counts, baseNs_));
  writeThreads();
  writeReplays();
  writeGaps();
  writeRegions();
  writeMemory();
  writeLosses(dropped, losses);
  raw(fmt::format("\n],\n\"traceName\":{}\n}}\n", jsonString(traceName)));
  return failed_;
}

void TraceWriter::writeThreads() {
  const auto meta = [this](std::string_view name, std::uint64_t pid, std::uint64_t tid,
                           std::string_view argument) {
    event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"ts":0.000,"args":{{{}}})", name,
                      pid, tid, argument));
  };
  std::set<std::uint64_t> processes = counted_;
  for (const Thread &thread : threads_)
    processes.insert(thread.pid);
  for (const std::uint64_t pid : processes) {
    const bool host = pid == hostPid_;
    meta("process_name", pid, 0, R"("name":)" + jsonString(run_.program));
    meta("process_labels", pid, 0,
         host ? R"("labels":"CPU")" : fmt::format(R"("labels":"GPU {}")", pid));
    meta("process_sort_index", pid, 0,
         fmt::format(R"("sort_index":{})", host ? 0 : deviceSortIndex + pid));
  }
  std::size_t index = 0;
  for (const Thread &thread : threads_) {
    meta("thread_name", thread.pid, thread.tid, R"("name":)" + jsonString(thread.name));
    meta("thread_sort_index", thread.pid, thread.tid, fmt::format(R"("sort_index":{})", index++));
  }
}

// An arrow ends at the span written last: each replay's stands right behind it.
void TraceWriter::writeReplays() {
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const TraceData::Replay &replay = data_.replays[i];
    if (replay.exec == 0)
      continue;
    const bool launchKnown = replay.launchNs > 0;
    if (launchKnown)
      event(fmt::format(R"("ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch",{},"dur":0.000,)"
                        R"("args":{{{},"duration":"not measured","correlation":{}}})",
                        place(launches_, replay.launchNs), replayArguments(replay), i + 1));
    if (!drawn(replay))
      continue;
    if (launchKnown)
      event(fmt::format(R"("ph":"s","id":{},{},"cat":"ac2g","name":"ac2g")", i + 1,
                        place(launches_, replay.launchNs)));
    event(fmt::format(
        R"("ph":"X","cat":"graphprof_replay","name":"graph {} exec {} replay {}",{},"dur":{},)"
        R"("args":{{{},"correlation":{}}})",
        replay.graph, replay.exec, replay.number, place(threadOf_[i], replay.beginNs),
        jsonMicroseconds(replay.endNs - replay.beginNs), replayArguments(replay), i + 1));
    if (launchKnown)
      event(fmt::format(R"("ph":"f","id":{},{},"cat":"ac2g","name":"ac2g","bp":"e")", i + 1,
                        place(threadOf_[i], replay.beginNs)));
  }
}

// Launches are numbered through: what was lost, or launched while nothing was recorded, is missing
// between two that are here.
void TraceWriter::writeGaps() {
  std::map<std::uint64_t, std::uint64_t> next; // by exec
  for (const TraceData::Replay &replay : data_.replays) {
    if (replay.exec == 0)
      continue;
    const auto [known, isFirst] = next.try_emplace(replay.exec, replay.number);
    const std::uint64_t first = known->second, count = replay.number - first;
    if (!isFirst && replay.number > first)
      event(fmt::format(
          R"("ph":"i","s":"t","cat":"graphprof_missing","name":"exec {}: {} without times",{},)"
          R"("args":{{"exec":{},"first":{},"last":{}}})",
          replay.exec, counted(count, "replay", "replays"),
          place(launches_, std::max(replay.launchNs, baseNs_)), replay.exec, first,
          replay.number - 1));
    known->second = replay.number + 1;
  }
}

void TraceWriter::writeRegions() {
  for (std::size_t i = 0; i < data_.regions.size(); ++i) {
    const TraceData::Region &region = data_.regions[i];
    const TraceData::Replay &replay = data_.replays[region.replay];
    const std::size_t thread = threadOf_[data_.replays.size() + i];
    const std::string &text = *data_.texts[region.text];
    std::string arguments =
        replay.exec == 0 ? stepArgument(region.step) : "," + replayArguments(replay);
    if (region.iteration >= 0)
      arguments += fmt::format(R"(,"iteration":{})", region.iteration);
    if (region.durationNs >= 0)
      event(fmt::format(R"("ph":"X","cat":"{}",{},"dur":{},{}{}}})", category(region.kind),
                        place(thread, region.beginNs), jsonMicroseconds(region.durationNs), text,
                        arguments));
    else
      event(fmt::format(R"("ph":"i","s":"t","cat":"{}",{},{}{},"duration":"not measured"}})",
                        category(region.kind),
                        place(thread, std::max(replay.beginNs, replay.launchNs)), text, arguments));
  }
}

// Each as Kineto's, for tools that know those, and what is allocated then as counters. Kinds of a
// device's memory that are there before their first event are counted from the beginning on.
void TraceWriter::writeMemory() {
  using Kinds = std::map<MemoryKind, std::uint64_t>;
  std::map<int, Kinds> allocated; // by device
  for (const MemoryEvent &event : data_.memory)
    allocated[event.device].try_emplace(event.kind,
                                        event.allocated - static_cast<std::uint64_t>(event.bytes));
  const auto count = [&](int device, std::int64_t ns) {
    std::string values;
    for (const auto &[kind, bytes] : allocated[device])
      values += fmt::format(R"({}"{}":{})", values.empty() ? "" : ",", word(kind), bytes);
    event(fmt::format(R"("ph":"C","name":"allocated bytes","pid":{},"tid":0,"ts":{},"args":{{{}}})",
                      device < 0 ? hostPid_ : static_cast<std::uint64_t>(device),
                      jsonMicroseconds(ns > baseNs_ ? ns - baseNs_ : 0), values));
  };
  for (const auto &[device, kinds] : allocated)
    count(device, baseNs_);
  for (const MemoryEvent &change : data_.memory) {
    Kinds &kinds = allocated[change.device];
    kinds[change.kind] = change.allocated;
    std::uint64_t total = 0;
    for (const auto &[kind, bytes] : kinds)
      total += bytes;
    event(fmt::format(
        R"("ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]",{},)"
        R"("args":{{"Device Type":{},"Device Id":{},"Addr":{},"Bytes":{},"Total Allocated":{},)"
        R"("kind":"{}","path":{}{}}})",
        place(memory_, change.timeNs), change.device < 0 ? 0 : 1, change.device, change.address,
        change.bytes, total, word(change.kind), jsonString(change.path),
        stepArgument(change.step)));
    count(change.device, change.timeNs);
  }
}

void TraceWriter::writeLosses(std::uint64_t dropped, const Losses &losses) {
  std::vector<std::string> sentences = lossSentences(losses);
  if (dropped > 0)
    sentences.push_back(
        fmt::format("{} beyond the bound of this trace; raise GRAPHPROF_MAX_RECORDS",
                    counted(dropped, "record", "records")));
  for (const std::string &sentence : sentences)
    event(fmt::format(R"("ph":"i","s":"g","cat":"graphprof_loss","name":{},{})",
                      jsonString("graphprof: " + sentence), place(launches_, endNs_)));
  event(fmt::format(R"("ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":{})",
                    jsonMicroseconds(endNs_ - baseNs_)));
}

void TraceWriter::event(std::string_view fields) {
  raw(fmt::format("{}{{{}}}", first_ ? "" : ",\n", fields));
  first_ = false;
}

void TraceWriter::raw(std::string_view text) {
  if (failed_.empty())
    failed_ = file_.write(text);
}

} // namespace graphprof
