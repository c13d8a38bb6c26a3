// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/TraceWriter.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

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

// As Kineto has what a thread does.
std::string_view category(HostKind kind) {
  switch (kind) {
  case HostKind::Region:
  case HostKind::Copy:
    return "cpu_op";
  case HostKind::Launch:
    return "cuda_runtime";
  case HostKind::Step:
  case HostKind::Mark:
  case HostKind::Range:
    return "user_annotation";
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
    : data_(data), run_(run), file_(file), nextTid_(furtherTids) {
  // A process's pid may be a device's number too (1, in a container): keep them apart.
  hostPid_ = static_cast<std::uint64_t>(run_.pid);
  if (hostPid_ < 1024)
    hostPid_ += furtherTids;
  findBase();
  joinLaunches();
  placeThreads();
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
  for (const TraceData::Span &span : data_.spans)
    take(span.beginNs, span.endNs);
  if (endNs_ == 0)
    baseNs_ = 0;
}

// A tid that no thread of the program has.
std::uint64_t TraceWriter::freeTid() {
  while (programTids_.contains(nextTid_))
    ++nextTid_;
  return nextTid_++;
}

void TraceWriter::joinLaunches() {
  launchOf_.assign(data_.replays.size(), none);
  replayOf_.assign(data_.spans.size(), none);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> launches; // by exec and replay
  for (std::size_t i = 0; i < data_.spans.size(); ++i)
    if (const TraceData::Span &span = data_.spans[i]; span.kind == HostKind::Launch && span.exec)
      launches.emplace(std::pair(span.exec, span.replay), i);
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const auto launch = launches.find({data_.replays[i].exec, data_.replays[i].number});
    if (launch == launches.end())
      continue;
    launchOf_[i] = launch->second;
    replayOf_[launch->second] = i;
  }
}

// The program's threads, by their number.
void TraceWriter::placeThreads() {
  std::vector<std::vector<std::size_t>> spansOf(data_.threads.size());
  for (std::size_t i = 0; i < data_.spans.size(); ++i)
    spansOf[data_.spans[i].thread].push_back(i);
  std::map<std::uint64_t, std::size_t> order;
  for (std::size_t i = 0; i < data_.threads.size(); ++i)
    order.emplace(data_.threads[i].id, i);
  for (const auto &[id, index] : order)
    programTids_.insert(id);
  spanThread_.assign(data_.spans.size(), none);
  for (const auto &[id, index] : order)
    placeThread(data_.threads[index], std::move(spansOf[index]));
}

void TraceWriter::placeThread(const TraceData::Thread &thread, std::vector<std::size_t> spans) {
  std::sort(spans.begin(), spans.end(), [this](std::size_t left, std::size_t right) {
    const TraceData::Span &l = data_.spans[left], &r = data_.spans[right];
    return std::tuple(l.beginNs, -l.endNs, l.kind != HostKind::Step, left) <
           std::tuple(r.beginNs, -r.endNs, r.kind != HostKind::Step, right);
  });
  const std::size_t first = threads_.size();
  std::vector<TraceSpan> rows;
  rows.reserve(spans.size());
  for (const std::size_t span : spans) {
    spanOrder_.push_back(span);
    if (data_.spans[span].kind == HostKind::Mark)
      spanThread_[span] = first;
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
      spanThread_[span] = first + *next++;
    }
  const std::string name = fmt::format("thread {} ({})", thread.id, thread.name);
  for (unsigned i = 0; i < count; ++i)
    threads_.push_back(
        {hostPid_, i == 0 && thread.id > memoryTid ? thread.id : freeTid(), rowName(name, i)});
}

// A region that has host time only is the same twice: as a record, and as its thread's span.
void TraceWriter::hideTwins() {
  hidden_.assign(data_.regions.size(), false);
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
    hidden_[i] = true;
    threadOf_[data_.replays.size() + i] = spanThread_[twin->second];
  }
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
  hideTwins();
  std::map<Lane, std::vector<std::size_t>> lanes;
  for (std::size_t i = 0; i < replays; ++i)
    if (drawn(data_.replays[i]))
      lanes[{data_.replays[i].device, data_.replays[i].stream}].push_back(i);
  for (std::size_t i = 0; i < data_.regions.size(); ++i)
    if (data_.regions[i].durationNs >= 0 && !hidden_[i])
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
    const std::uint64_t tid = ownTid ? (host ? hostTid : lane.stream) : freeTid();
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
  writeSpans();
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

// Of each thread what contains before what it contains.
void TraceWriter::writeSpans() {
  for (const std::size_t index : spanOrder_) {
    const TraceData::Span &span = data_.spans[index];
    const std::size_t replay = replayOf_[index];
    std::string arguments = replay == none
                                ? stepArgument(span.step)
                                : fmt::format(R"(,{},"correlation":{})",
                                              replayArguments(data_.replays[replay]), replay + 1);
    if (replay == none && span.exec != 0)
      arguments +=
          fmt::format(R"(,"graph":{},"exec":{},"replay":{})", span.graph, span.exec, span.replay);
    if (span.captured)
      arguments += R"(,"captured":true)";
    if (span.kind == HostKind::Copy)
      arguments += fmt::format(R"(,"bytes":{})", span.bytes);
    const bool mark = span.kind == HostKind::Mark;
    event(fmt::format(R"({},"cat":"{}",{}{},{}{}}})", mark ? R"("ph":"i","s":"t")" : R"("ph":"X")",
                      category(span.kind), place(spanThread_[index], span.beginNs),
                      mark ? "" : R"(,"dur":)" + jsonMicroseconds(span.endNs - span.beginNs),
                      *data_.texts[span.text], arguments));
    if (replay != none && drawn(data_.replays[replay]))
      event(fmt::format(R"("ph":"s","id":{},{},"cat":"ac2g","name":"ac2g")", replay + 1,
                        place(spanThread_[index], span.beginNs)));
  }
}

// An arrow ends at the span written last: each replay's stands right behind it.
void TraceWriter::writeReplays() {
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const TraceData::Replay &replay = data_.replays[i];
    if (replay.exec == 0)
      continue;
    // A launch that its thread shows stands there, and the arrow begins there.
    const bool shown = launchOf_[i] != none, launchKnown = shown || replay.launchNs > 0;
    if (launchKnown && !shown)
      event(fmt::format(R"("ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch",{},"dur":0.000,)"
                        R"("args":{{{},"duration":"not measured","correlation":{}}})",
                        place(launches_, replay.launchNs), replayArguments(replay), i + 1));
    if (!drawn(replay))
      continue;
    if (launchKnown && !shown)
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
    if (hidden_[i])
      continue;
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
