// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceWriter.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Json.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

constexpr std::uint64_t deviceSortIndex = 0x1000000; // as in Kineto: devices below the host

// Kineto's category of a node, if it has one.
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

// Kineto's category of what a thread does.
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

// Kineto's arguments, for tools that read them. The correlation is the launch's.
std::string nodeArguments(const TraceData::Region &node, std::size_t correlation) {
  return fmt::format(R"(,"device":{},"stream":{},"correlation":{})", node.device, node.stream,
                     correlation);
}

// PyTorch's key for the modules in which an operation was called.
std::string moduleArgument(std::string_view modules) {
  return modules.empty() ? std::string() : R"(,"Module Hierarchy":)" + jsonString(modules);
}

std::string bandwidth(const TraceData::Region &moved) {
  if (moved.bytes == 0 || moved.durationNs <= 0)
    return {};
  return fmt::format(",\"memory bandwidth (GB/s)\":{:.6g}", // bytes per nanosecond
                     static_cast<double>(moved.bytes) / static_cast<double>(moved.durationNs));
}

} // namespace

TraceWriter::TraceWriter(const TraceData &data, const Run &run, WholeFile &file)
    : data_(data), run_(run), file_(file), layout_(data, run) {}

std::string TraceWriter::place(std::size_t thread, std::int64_t ns) const {
  return fmt::format(R"("pid":{},"tid":{},"ts":{})", layout_.threads[thread].pid,
                     layout_.threads[thread].tid,
                     jsonMicroseconds(ns > layout_.baseNs ? ns - layout_.baseNs : 0));
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
                  data_.deviceProperties, metadata, dropped, counts, layout_.baseNs));
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
  std::set<std::uint64_t> processes = layout_.counted;
  for (const TraceLayout::Thread &thread : layout_.threads)
    processes.insert(thread.pid);
  // Kineto's labels, followed by what distinguishes the processes of a job, because their traces
  // may be shown together.
  const std::string rank = run_.inJob ? fmt::format(", rank {}", run_.rank) : std::string();
  for (const std::uint64_t pid : processes) {
    const bool host = pid == layout_.hostPid;
    meta("process_name", pid, 0, R"("name":)" + jsonString(run_.program));
    meta("process_labels", pid, 0,
         fmt::format(R"("labels":"{}{}")", host ? "CPU" : fmt::format("GPU {}", pid), rank));
    meta("process_sort_index", pid, 0,
         fmt::format(R"("sort_index":{})", host ? 0 : deviceSortIndex + pid));
  }
  std::size_t index = 0;
  for (const TraceLayout::Thread &thread : layout_.threads) {
    meta("thread_name", thread.pid, thread.tid, R"("name":)" + jsonString(thread.name));
    meta("thread_sort_index", thread.pid, thread.tid, fmt::format(R"("sort_index":{})", index++));
  }
}

// In each thread, a span comes after the spans that contain it.
void TraceWriter::writeSpans() {
  struct Open {
    const TraceData::Span &region;
    std::string modules; // of what is inside
  };
  std::vector<Open> open; // the spans around the current one, the innermost last
  for (const std::size_t index : layout_.spanOrder) {
    const TraceData::Span &span = data_.spans[index];
    const std::size_t replay = layout_.replayOf[index];
    std::string arguments = replay == TraceLayout::none
                                ? stepArgument(span.step)
                                : fmt::format(R"(,{},"correlation":{})",
                                              replayArguments(data_.replays[replay]), replay + 1);
    if (replay == TraceLayout::none && span.exec != 0)
      arguments +=
          fmt::format(R"(,"graph":{},"exec":{},"replay":{})", span.graph, span.exec, span.replay);
    while (!open.empty() &&
           (open.back().region.thread != span.thread || open.back().region.endNs < span.endNs))
      open.pop_back();
    if (span.kind == HostKind::Region) {
      const std::string modules = open.empty() ? std::string() : open.back().modules;
      arguments += moduleArgument(modules);
      open.push_back({span, modulesInside(modules, *data_.texts[span.name])});
    }
    if (span.captured)
      arguments += R"(,"captured":true)";
    if (span.kind == HostKind::Copy)
      arguments += fmt::format(R"(,"bytes":{})", span.bytes);
    const bool mark = span.kind == HostKind::Mark;
    event(fmt::format(R"({},"cat":"{}",{}{},{}{}}})", mark ? R"("ph":"i","s":"t")" : R"("ph":"X")",
                      category(span.kind), place(layout_.spanThread[index], span.beginNs),
                      mark ? "" : R"(,"dur":)" + jsonMicroseconds(span.endNs - span.beginNs),
                      *data_.texts[span.text], arguments));
    if (replay != TraceLayout::none && TraceLayout::drawn(data_.replays[replay]))
      event(fmt::format(R"("ph":"s","id":{},{},"cat":"ac2g","name":"ac2g")", replay + 1,
                        place(layout_.spanThread[index], span.beginNs)));
  }
}

// An arrow ends at the span that was written last, so each arrow's end follows its replay.
void TraceWriter::writeReplays() {
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const TraceData::Replay &replay = data_.replays[i];
    if (replay.exec == 0)
      continue;
    // If a thread shows the launch, the arrow begins there.
    const bool shown = layout_.launchOf[i] != TraceLayout::none,
               launchKnown = shown || replay.launchNs > 0;
    if (launchKnown && !shown)
      event(fmt::format(R"("ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch",{},"dur":0.000,)"
                        R"("args":{{{},"duration":"not measured","correlation":{}}})",
                        place(layout_.launches, replay.launchNs), replayArguments(replay), i + 1));
    if (!TraceLayout::drawn(replay))
      continue;
    if (launchKnown && !shown)
      event(fmt::format(R"("ph":"s","id":{},{},"cat":"ac2g","name":"ac2g")", i + 1,
                        place(layout_.launches, replay.launchNs)));
    event(fmt::format(
        R"("ph":"X","cat":"graphprof_replay","name":"graph {} exec {} replay {}",{},"dur":{},)"
        R"("args":{{{},"correlation":{}}})",
        replay.graph, replay.exec, replay.number, place(layout_.threadOf[i], replay.beginNs),
        jsonMicroseconds(replay.endNs - replay.beginNs), replayArguments(replay), i + 1));
    if (launchKnown)
      event(fmt::format(R"("ph":"f","id":{},{},"cat":"ac2g","name":"ac2g","bp":"e")", i + 1,
                        place(layout_.threadOf[i], replay.beginNs)));
  }
}

// Launches have consecutive numbers. Missing ones were lost, or launched while nothing was
// recorded.
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
          place(layout_.launches, std::max(replay.launchNs, layout_.baseNs)), replay.exec, first,
          replay.number - 1));
    known->second = replay.number + 1;
  }
}

// The computing of other streams, for the copies of steps.
Overlap TraceWriter::computing() const {
  std::vector<StreamTime> times;
  for (const TraceData::Replay &replay : data_.replays)
    if (TraceLayout::drawn(replay))
      times.push_back({replay.device, replay.stream, replay.beginNs, replay.endNs});
  for (const TraceData::Region &region : data_.regions)
    if (data_.replays[region.replay].exec == 0 && !region.host && region.bytes == 0 &&
        region.durationNs > 0)
      times.push_back(
          {region.device, region.stream, region.beginNs, region.beginNs + region.durationNs});
  std::sort(times.begin(), times.end(),
            [](const StreamTime &a, const StreamTime &b) { return a.beginNs < b.beginNs; });
  Overlap computing(times.size());
  for (const StreamTime &time : times)
    computing.add(time);
  return computing;
}

void TraceWriter::writeRegions() {
  const Overlap overlap = computing();
  for (std::size_t i = 0; i < data_.regions.size(); ++i) {
    const TraceData::Region &region = data_.regions[i];
    if (layout_.hidden[i])
      continue;
    const TraceData::Replay &replay = data_.replays[region.replay];
    const std::size_t thread = layout_.threadOf[data_.replays.size() + i];
    const std::string &text = *data_.texts[region.text];
    std::string arguments =
        replay.exec == 0 ? stepArgument(region.step) : "," + replayArguments(replay);
    if (region.iteration >= 0)
      arguments += fmt::format(R"(,"iteration":{})", region.iteration);
    if (region.ends != Ends::Completion)
      arguments.append(R"(,"ends":")").append(word(region.ends)).append("\"");
    if (region.kind == Kind::Region)
      arguments += moduleArgument(*data_.texts[region.modules]);
    else
      arguments += nodeArguments(region, region.replay + std::size_t{1});
    arguments += bandwidth(region);
    if (region.kind == Kind::Region && region.bytes > 0 && region.durationNs > 0)
      arguments += fmt::format(
          ",\"overlapped (us)\":{}",
          jsonMicroseconds(overlap.overlappedNs(
              {region.device, region.stream, region.beginNs, region.beginNs + region.durationNs})));
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

// Each event in Kineto's form, for tools that read it, and what is allocated then as counters. A
// kind of device memory that exists before its first event is counted from the begin on.
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
                      device < 0 ? layout_.hostPid : static_cast<std::uint64_t>(device),
                      jsonMicroseconds(ns > layout_.baseNs ? ns - layout_.baseNs : 0), values));
  };
  for (const auto &[device, kinds] : allocated)
    count(device, layout_.baseNs);
  for (const MemoryEvent &change : data_.memory) {
    Kinds &kinds = allocated[change.device];
    kinds[change.kind] = change.allocated;
    std::uint64_t total = 0;
    for (const auto &[kind, bytes] : kinds)
      total += bytes;
    event(fmt::format(
        R"("ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]",{},)"
        R"("args":{{"Device Type":{},"Device Id":{},"Addr":{},"Bytes":{},"Total Allocated":{},)"
        R"("Total Reserved":{},"kind":"{}","path":{}{}}})",
        place(layout_.memory, change.timeNs), change.device < 0 ? 0 : 1, change.device,
        change.address, change.bytes, total, total, word(change.kind), jsonString(change.path),
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
                      jsonString("graphprof: " + sentence),
                      place(layout_.launches, layout_.endNs)));
  event(fmt::format(R"("ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":{})",
                    jsonMicroseconds(layout_.endNs - layout_.baseNs)));
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
