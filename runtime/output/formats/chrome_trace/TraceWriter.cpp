// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceWriter.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/data/RecordColumns.h"
#include "output/io/JsonColumns.h"
#include "output/io/Words.h"
#include "output/statistics/BusyFigures.h"

namespace graphprof {

namespace {

constexpr std::uint64_t deviceSortIndex = 0x1000000; // as in Kineto: devices below the host

// A column of a record as an argument, if there is anything to say. As everywhere in a trace, times
// are in microseconds: "busy_ns" is "busy_us".
template <class Column, class Thing>
void addInTrace(JsonWriter &json, const Column &column, const Thing &of) {
  if constexpr (Column::name.view().ends_with("_ns")) {
    constexpr auto name = [] {
      auto in = Column::name;
      in.text[in.view().size() - 2] = 'u';
      return in;
    }();
    if (const auto ns = column.value(of))
      json.key<JsonKey(name.text)>().value(AsMicroseconds{*ns});
  } else {
    addColumn(json, column, of, Missing::LeftOut);
  }
}

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

// Bytes per nanosecond.
double bandwidth(const TraceData::Region &moved) {
  return static_cast<double>(moved.bytes) / static_cast<double>(moved.durationNs);
}

} // namespace

TraceWriter::TraceWriter(const TraceData &data, const Run &run, WholeFile &file, TraceAmong among)
    : data_(data), run_(run), file_(file), among_(among), layout_(data, run, among) {}

std::string TraceWriter::writeHead(std::uint64_t dropped, const Losses &losses) {
  json_.beginObject();
  json_.line().member<"schemaVersion">(1);
  json_.line().key<"deviceProperties">().raw(data_.deviceProperties);
  for (const auto &[key, json] : data_.metadata)
    json_.line().key(key).raw(json);
  json_.line().member<"graphprofDropped">(dropped);
  json_.line().key<"graphprofLosses">().beginObject();
  for (const LossKind &kind : lossKinds())
    json_.key(kind.key).value(losses.*kind.count);
  json_.endObject();
  json_.line().member<"displayTimeUnit">("ms");
  json_.line().member<"baseTimeNanoseconds">(layout_.baseNs);
  json_.line().key<"traceEvents">().beginArray();
  flush();
  return failed_;
}

std::string TraceWriter::writeEvents(std::uint64_t dropped, const Losses &losses, bool isFirst) {
  if (!isFirst)
    text_ += ',';
  writeThreads();
  writeSpans();
  writeReplays();
  writeGaps();
  writeRegions();
  writeWarps();
  writeMemory();
  writeLosses(dropped, losses);
  flush();
  return failed_;
}

std::string TraceWriter::writeTail(std::string_view traceName) {
  text_ += '\n';
  json_.endArray().line().member<"traceName">(traceName);
  text_ += '\n';
  json_.endObject();
  text_ += '\n';
  flush();
  return failed_;
}

void TraceWriter::begin(std::string_view phase) {
  json_.line().beginObject().key<"ph">().plain(phase);
}

void TraceWriter::end() {
  constexpr std::size_t atOnce = 65'536;
  json_.endObject();
  if (text_.size() >= atOnce)
    flush();
}

void TraceWriter::flush() {
  if (failed_.empty())
    failed_ = file_.write(text_);
  text_.clear();
}

void TraceWriter::placeAt(std::size_t thread, std::int64_t ns) {
  json_.member<"pid">(layout_.threads[thread].pid)
      .member<"tid">(layout_.threads[thread].tid)
      .member<"ts">(AsMicroseconds{ns > layout_.baseNs ? ns - layout_.baseNs : 0});
}

void TraceWriter::step(std::int64_t step) {
  if (step >= 0)
    json_.member<"step">(step);
}

void TraceWriter::replay(const TraceData::Replay &replay) {
  json_.member<"graph">(replay.graph);
  if (replay.serves)
    json_.member<"graph_name">(replay.serves->text);
  json_.member<"exec">(replay.exec).member<"replay">(replay.number).member<"cold">(replay.cold);
  if (replay.cudaExec != 0)
    json_.member<"cuda_graph">(replay.cudaGraph).member<"cuda_exec">(replay.cudaExec);
  step(replay.step);
}

void TraceWriter::busy(const Batch::Busy &busy) {
  if (busy.isKnown())
    forEachColumnOf<Batch::Busy>([&](const auto &column) { addInTrace(json_, column, busy); });
}

// PyTorch's key for the modules in which an operation was called.
void TraceWriter::modules(std::string_view modules) {
  if (!modules.empty())
    json_.member<"Module Hierarchy">(modules);
}

// Of an arrow from a launch to its replay: phase s or f.
void TraceWriter::arrow(std::string_view phase, std::size_t id, std::size_t thread,
                        std::int64_t ns) {
  begin(phase);
  json_.member<"id">(among_.firstArrow + id);
  placeAt(thread, ns);
  json_.member<"cat">("ac2g").member<"name">("ac2g");
  if (phase == "f")
    json_.member<"bp">("e");
  end();
}

void TraceWriter::writeThreads() {
  const auto meta = [this](std::string_view name, std::uint64_t pid, std::uint64_t tid,
                           auto argument) {
    begin("M");
    json_.member<"name">(name).member<"pid">(pid).member<"tid">(tid).member<"ts">(
        AsMicroseconds{0});
    json_.key<"args">().beginObject();
    argument();
    json_.endObject();
    end();
  };
  std::set<std::uint64_t> processes;
  for (const std::uint64_t device : layout_.counted)
    processes.insert(layout_.firstPid + device);
  for (const TraceLayout::Thread &thread : layout_.threads)
    processes.insert(thread.pid);
  // Kineto's labels, followed by what distinguishes the processes of a job, because their traces
  // may be shown together.
  const std::string rank = run_.inJob ? fmt::format(", rank {}", run_.rank) : std::string();
  for (const std::uint64_t pid : processes) {
    const bool host = pid == layout_.hostPid;
    meta("process_name", pid, 0, [&] { json_.member<"name">(run_.program); });
    meta("process_labels", pid, 0, [&] {
      json_.member<"labels">(
          (host ? std::string("CPU") : fmt::format("GPU {}", pid - layout_.firstPid)) + rank);
    });
    // Among others, what belongs to a process stays together.
    const std::uint64_t order = layout_.firstPid != 0 ? pid : host ? 0 : deviceSortIndex + pid;
    meta("process_sort_index", pid, 0, [&] { json_.member<"sort_index">(order); });
  }
  std::size_t index = 0;
  for (const TraceLayout::Thread &thread : layout_.threads) {
    meta("thread_name", thread.pid, thread.tid, [&] { json_.member<"name">(thread.name); });
    meta("thread_sort_index", thread.pid, thread.tid, [&] { json_.member<"sort_index">(index++); });
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
    const std::size_t replayed = layout_.replayOf[index];
    const bool mark = span.kind == HostKind::Mark;
    begin(mark ? "i" : "X");
    if (mark)
      json_.member<"s">("t");
    json_.key<"cat">().plain(category(span.kind));
    placeAt(layout_.spanThread[index], span.beginNs);
    if (!mark)
      json_.member<"dur">(AsMicroseconds{span.endNs - span.beginNs});
    json_.raw(*data_.texts[span.text]);
    if (replayed == TraceLayout::none) {
      step(span.step);
      if (span.exec != 0)
        json_.member<"graph">(span.graph).member<"exec">(span.exec).member<"replay">(span.replay);
    } else {
      replay(data_.replays[replayed]);
      json_.member<"correlation">(replayed + 1);
    }
    while (!open.empty() &&
           (open.back().region.thread != span.thread || open.back().region.endNs < span.endNs))
      open.pop_back();
    if (span.kind == HostKind::Region) {
      const std::string around = open.empty() ? std::string() : open.back().modules;
      modules(around);
      open.push_back({span, modulesInside(around, *data_.texts[span.name])});
    }
    if (span.captured)
      json_.member<"captured">(true);
    if (span.kind == HostKind::Copy)
      json_.member<"bytes">(span.bytes);
    json_.endObject();
    end();
    if (replayed != TraceLayout::none && TraceLayout::drawn(data_.replays[replayed]))
      arrow("s", replayed + 1, layout_.spanThread[index], span.beginNs);
  }
}

// An arrow ends at the span that was written last, so each arrow's end follows its replay.
void TraceWriter::writeReplays() {
  for (std::size_t i = 0; i < data_.replays.size(); ++i) {
    const TraceData::Replay &each = data_.replays[i];
    if (each.exec == 0)
      continue;
    // If a thread shows the launch, the arrow begins there.
    const bool shown = layout_.launchOf[i] != TraceLayout::none,
               launchKnown = shown || each.launchNs > 0;
    if (launchKnown && !shown) {
      begin("X");
      json_.member<"cat">("cuda_runtime").member<"name">("cudaGraphLaunch");
      placeAt(layout_.launches, each.launchNs);
      json_.member<"dur">(AsMicroseconds{0}).key<"args">().beginObject();
      replay(each);
      json_.member<"duration">("not measured").member<"correlation">(i + 1).endObject();
      end();
    }
    if (!TraceLayout::drawn(each))
      continue;
    if (launchKnown && !shown)
      arrow("s", i + 1, layout_.launches, each.launchNs);
    begin("X");
    json_.member<"cat">("graphprof_replay")
        .member<"name">(fmt::format("{} exec {} replay {}",
                                    shownGraph(each.serves.get(), each.graph), each.exec,
                                    each.number));
    placeAt(layout_.threadOf[i], each.beginNs);
    json_.member<"dur">(AsMicroseconds{each.endNs - each.beginNs}).key<"args">().beginObject();
    replay(each);
    json_.member<"correlation">(i + 1).endObject();
    end();
    if (launchKnown)
      arrow("f", i + 1, layout_.threadOf[i], each.beginNs);
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
    if (!isFirst && replay.number > first) {
      begin("i");
      json_.member<"s">("t")
          .member<"cat">("graphprof_missing")
          .member<"name">(fmt::format("exec {}: {} without times", replay.exec,
                                      counted(count, "replay", "replays")));
      placeAt(layout_.launches, std::max(replay.launchNs, layout_.baseNs));
      json_.key<"args">().beginObject().member<"exec">(replay.exec).member<"first">(first);
      json_.member<"last">(replay.number - 1).endObject();
      end();
    }
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
    const TraceData::Replay &launched = data_.replays[region.replay];
    const std::size_t thread = layout_.threadOf[data_.replays.size() + i];
    const bool measured = region.durationNs >= 0;
    const std::int64_t drawnNs =
        BusyFigures::drawnNs(region.kind, region.ends, region.durationNs, region.busy);
    begin(measured ? "X" : "i");
    if (!measured)
      json_.member<"s">("t");
    json_.key<"cat">().plain(category(region.kind));
    placeAt(thread, measured ? region.beginNs : std::max(launched.beginNs, launched.launchNs));
    if (measured)
      json_.member<"dur">(AsMicroseconds{drawnNs});
    json_.raw(*data_.texts[region.text]);
    if (launched.exec == 0)
      step(region.step);
    else
      replay(launched);
    if (region.isCritical)
      json_.member<"critical_path">(true);
    if (region.slackNs >= 0)
      json_.key<"slack_us">().value(AsMicroseconds{region.slackNs});
    if (region.iteration >= 0)
      json_.member<"iteration">(region.iteration);
    if (region.ends != Ends::Completion)
      json_.key<"ends">().plain(word(region.ends));
    if (drawnNs != region.durationNs) // and the rest is free
      json_.key<"until_next_begin_us">().value(AsMicroseconds{region.durationNs});
    busy(region.busy);
    if (region.kind == Kind::Region)
      modules(*data_.texts[region.modules]);
    else // Kineto's arguments, for tools that read them. The correlation is the launch's.
      json_.member<"device">(region.device)
          .member<"stream">(region.stream)
          .member<"correlation">(region.replay + std::size_t{1});
    const bool moved = region.bytes > 0 && region.durationNs > 0;
    if (moved)
      json_.key<"memory bandwidth (GB/s)">().raw(fmt::format("{:.6g}", bandwidth(region)));
    if (moved && region.kind == Kind::Region)
      json_.member<"overlapped (us)">(AsMicroseconds{overlap.overlappedNs(
          {region.device, region.stream, region.beginNs, region.beginNs + region.durationNs})});
    if (!measured)
      json_.member<"duration">("not measured");
    json_.endObject();
    end();
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
    begin("C");
    json_.member<"name">("allocated bytes")
        .member<"pid">(layout_.pidOf(device))
        .member<"tid">(0)
        .member<"ts">(AsMicroseconds{ns > layout_.baseNs ? ns - layout_.baseNs : 0})
        .key<"args">()
        .beginObject();
    for (const auto &[kind, bytes] : allocated[device])
      json_.key(word(kind)).value(bytes);
    json_.endObject();
    end();
  };
  for (const auto &[device, kinds] : allocated)
    count(device, layout_.baseNs);
  for (const MemoryEvent &change : data_.memory) {
    Kinds &kinds = allocated[change.device];
    kinds[change.kind] = change.allocated;
    std::uint64_t total = 0;
    for (const auto &[kind, bytes] : kinds)
      total += bytes;
    begin("i");
    json_.member<"s">("t").member<"cat">("cpu_instant_event").member<"name">("[memory]");
    placeAt(layout_.memory, change.timeNs);
    json_.key<"args">().beginObject();
    json_.member<"Device Type">(change.device < 0 ? 0 : 1)
        .member<"Device Id">(change.device)
        .member<"Addr">(change.address)
        .member<"Bytes">(change.bytes)
        .member<"Total Allocated">(total)
        .member<"Total Reserved">(total);
    json_.key<"kind">().plain(word(change.kind));
    json_.member<"path">(change.path);
    step(change.step);
    json_.endObject();
    end();
    count(change.device, change.timeNs);
  }
}

void TraceWriter::writeLosses(std::uint64_t dropped, const Losses &losses) {
  std::vector<std::string> sentences = lossSentences(losses);
  if (dropped > 0)
    sentences.push_back(
        fmt::format("{} beyond the bound of this trace; raise GRAPHPROF_MAX_RECORDS",
                    counted(dropped, "record", "records")));
  for (const std::string &sentence : sentences) {
    begin("i");
    json_.member<"s">("g").member<"cat">("graphprof_loss").member<"name">("graphprof: " + sentence);
    placeAt(layout_.launches, layout_.endNs);
    end();
  }
  begin("i");
  json_.member<"s">("g").member<"name">("Record Window End").member<"pid">("").member<"tid">("");
  json_.member<"ts">(AsMicroseconds{layout_.endNs - layout_.baseNs});
  end();
}

} // namespace graphprof
