// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps replays. TraceWriter writes them.

#include "output/formats/chrome_trace/ChromeTrace.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/CopyNames.h"
#include "output/data/LossText.h"
#include "output/data/Reserved.h"
#include "output/data/Source.h"
#include "output/formats/chrome_trace/TraceWriter.h"
#include "output/io/JsonWriter.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

// The part that is the same in every replay of a region. The object "args" stays open.
std::string fixedText(std::string_view name, Clock clock, const Site *site,
                      std::span<const Value> context) {
  std::string text;
  JsonWriter json(text);
  json.member<"name">(name).key<"args">().beginObject().key<"clock">().plain(word(clock));
  if (const std::string source = sourceOf(site, Kind::Region); !source.empty())
    json.member<"source">(source).member<"function">(functionOf(site, Kind::Region));
  json.key<"context">().beginObject().members(context).endObject();
  return text;
}

// A node's values become arguments of their own, like a copy's bytes in Kineto. There, "context" is
// a number: that of CUDA's context.
std::string fixedText(const Batch::Region &region) {
  if (region.kind == Kind::Region)
    return fixedText(region.name, region.clock, region.site, region.context);
  std::string text;
  JsonWriter json(text);
  json.member<"name">(region.name).key<"args">().beginObject();
  json.key<"clock">().plain(word(region.clock));
  if (region.place > 1) // the name is Kineto's
    json.member<"place">(region.place);
  json.members(region.context);
  return text;
}

// The bytes of a node, or of a copy of a step.
std::uint64_t bytesMoved(const Batch::Region &region) {
  if (region.kind == Kind::Region && !isCopyOfStep(region.kind, region.site, region.name))
    return 0;
  // A file of the binary format may contain any number.
  constexpr double most = 1e18;
  const double bytes = reserved(region.context.data(), region.context.size(), "bytes");
  return bytes > 0 ? static_cast<std::uint64_t>(std::min(bytes, most)) : 0;
}

} // namespace

std::string modulesInside(const std::string &around, std::string_view name) {
  constexpr std::size_t most = 4'096;
  if (around.empty())
    return std::string(name);
  return around.size() + name.size() < most ? fmt::format("{}.{}", around, name) : around;
}

ChromeTrace::ChromeTrace(const std::string &path, std::size_t maxRecords, Run run, Existing others)
    : path_(path), maxRecords_(maxRecords), run_(std::move(run)), file_(path_, others) {}

// Once something was left out, everything later is, because a trace with holes would mislead.
template <class Keep> void ChromeTrace::take(std::size_t weight, std::size_t records, Keep keep) {
  const std::size_t kept = data_.regions.size() + data_.replays.size() + data_.memory.size() +
                           data_.spans.size() + warps_;
  if (dropped_ > 0 || kept + weight > maxRecords_)
    dropped_ += records;
  else
    keep();
}

std::string ChromeTrace::write(const Batch &batch) {
  if (!std::exchange(checked_, true))
    if (std::string failed = file_.check(); !failed.empty())
      return failed;
  if (dropped_ == 0) // otherwise nothing is kept any more
    learn(batch);
  for (const Batch::Launch &launch : batch.launches) {
    const std::size_t own = launch.replay.exec ? 1 : 0; // the replay's own span
    take(launch.count + own, launch.count, [&] { keep(batch, launch); });
  }
  for (const KernelRun &run : batch.kernelRuns)
    if (!run.warps.empty())
      take(run.warps.size(), 1, [&] { keep(run); });
  for (const Batch::Span &span : batch.spans)
    take(1, 1, [&] { keep(span); });
  for (const Batch::Memory &memory : batch.memory)
    take(1, 1, [&] { keep(memory); });
  for (const Batch::Note &note : batch.notes)
    keep(note);
  return {};
}

void ChromeTrace::learn(const Batch &batch) {
  replays_.take(batch);
  regions_.take(batch.regionsFrom, batch.regions,
                [this](const Batch::Region &region) { return known(region); });
  acts_.take(batch.actsFrom, batch.acts, [this](const Batch::Act &act) {
    return Act{intern(fixedText(act.name, Clock::Host, act.site, act.context)), intern(act.name),
               act.kind, act.captured};
  });
  threads_.take(batch.threadsFrom, batch.threads,
                [](const Batch::Thread &thread) { return thread; });
}

// A node is not a module.
ChromeTrace::Region ChromeTrace::known(const Batch::Region &region) {
  std::string modules;
  if (region.parent != 0) {
    const Region &around = regions_.of(region.parent);
    modules = *data_.texts[around.modules];
    if (around.kind == Kind::Region)
      modules = modulesInside(modules, around.name);
  }
  return {intern(fixedText(region)),   intern(modules), region.name,       region.depth,
          region.clock == Clock::Host, region.kind,     bytesMoved(region)};
}

void ChromeTrace::keep(const KernelRun &run) {
  data_.twins.push_back(run);
  warps_ += run.warps.size();
  if (!run.spans)
    return;
  // There are many more of them than of anything else, so they do not count as records. The warps
  // say how many are not drawn.
  warpSpans_ += run.spans->size();
  if (warpSpans_ > maxRecords_)
    data_.twins.back().spans = nullptr;
}

void ChromeTrace::keep(const Batch::Memory &memory) {
  const std::string &path = *paths_.emplace(memory.path).first;
  data_.memory.push_back(memory.event);
  data_.memory.back().path = path;
}

void ChromeTrace::keep(const Batch::Span &span) {
  const Batch::Thread &of = threads_.of(span.thread);
  const auto next = static_cast<std::uint32_t>(data_.threads.size());
  const auto [thread, isNew] = threadOf_.try_emplace(of.number, next);
  if (isNew)
    data_.threads.push_back({of.number, of.name});
  const Act &act = acts_.of(span.act);
  data_.spans.push_back({span.beginNs, span.endNs, thread->second, act.text, act.name, act.kind,
                         act.captured, span.step, span.graph, span.exec, span.replay, span.bytes});
}

void ChromeTrace::keep(const Batch &batch, const Batch::Launch &launch) {
  const Replay &replay = launch.replay;
  const auto index = static_cast<std::uint32_t>(data_.replays.size());
  const CriticalReplays::Structure *structure = nullptr;
  if (replay.exec != 0 && replays_.knows(launch))
    if (const auto found = replays_.of(batch, launch); found.isWhole)
      structure = found.structure;
  data_.replays.push_back({replay.graph, replay.exec, replay.number, replay.device, replay.stream,
                           replay.launchNs, replay.beginNs, replay.endNs, replay.step, replay.cold,
                           data_.regions.size(), launch.count, structure, replay.cudaGraph,
                           replay.cudaExec, replay.serves});
  open_.clear();
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    const Region &region = regions_.of(timing.region);
    open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(region.depth, 0))));
    const auto around = std::find_if(open_.rbegin(), open_.rend(),
                                     [&](const Open &open) { return open.host == region.host; });
    const std::ptrdiff_t parent = around == open_.rend() ? -1 : around->index;
    open_.push_back({static_cast<std::ptrdiff_t>(data_.regions.size()), region.host});
    data_.regions.push_back({timing.beginNs, timing.durationNs, parent, index, region.text,
                             region.modules, timing.device, timing.stream, region.host, timing.step,
                             region.kind, timing.iteration, region.bytes, timing.ends,
                             timing.busy});
  }
}

std::uint32_t ChromeTrace::intern(const std::string &text) {
  const auto next = static_cast<std::uint32_t>(data_.texts.size());
  const auto [known, isNew] = known_.try_emplace(text, next);
  if (isNew)
    data_.texts.push_back(&known->first);
  return known->second;
}

void ChromeTrace::keep(const Batch::Note &note) {
  constexpr std::array<std::string_view, 7> taken = {
      "schemaVersion",       "graphprofDropped", "graphprofLosses", "displayTimeUnit",
      "baseTimeNanoseconds", "traceEvents",      "traceName"};
  if (note.key == "deviceProperties") {
    data_.deviceProperties = note.json;
    return;
  }
  if (std::find(taken.begin(), taken.end(), note.key) != taken.end())
    return;
  const auto entry = std::find_if(data_.metadata.begin(), data_.metadata.end(),
                                  [&](const auto &known) { return known.first == note.key; });
  if (entry != data_.metadata.end())
    entry->second = note.json;
  else
    data_.metadata.emplace_back(note.key, note.json);
}

std::string ChromeTrace::close(const Losses &losses) {
  if (std::string failed = file_.open(); !failed.empty())
    return failed;
  sortByTime(data_.memory);
  markCriticalPaths(data_);
  TraceWriter writer(data_, run_, file_);
  std::string failed = writer.writeHead(dropped_, losses);
  if (failed.empty())
    failed = writer.writeEvents(dropped_, losses, true);
  if (failed.empty())
    failed = writer.writeTail(path_);
  return failed.empty() ? file_.commit() : failed;
}

std::string ChromeTrace::closeTogether(const std::vector<Part> &parts) {
  ChromeTrace &first = *parts.front().trace;
  if (std::string failed = first.file_.open(); !failed.empty())
    return failed;
  std::int64_t baseNs = 0;
  std::uint64_t dropped = 0;
  Losses losses{};
  for (const Part &part : parts) {
    sortByTime(part.trace->data_.memory);
    const std::int64_t ns = TraceLayout(part.trace->data_, part.trace->run_).baseNs;
    if (ns > 0 && (baseNs == 0 || ns < baseNs))
      baseNs = ns;
    dropped += part.trace->dropped_;
    for (const LossKind &kind : lossKinds())
      losses.*kind.count += part.losses.*kind.count;
  }
  TraceAmong among{0, baseNs, 0};
  std::string failed;
  for (const Part &part : parts) {
    among.firstPid += TraceAmong::pidsEach;
    const TraceData &data = part.trace->data_;
    TraceWriter writer(data, part.trace->run_, first.file_, among);
    const bool isFirst = &part == &parts.front();
    if (isFirst)
      failed = writer.writeHead(dropped, losses);
    if (failed.empty())
      failed = writer.writeEvents(part.trace->dropped_, part.losses, isFirst);
    if (failed.empty() && &part == &parts.back())
      failed = writer.writeTail(first.path_);
    if (!failed.empty())
      return failed;
    among.firstArrow += data.replays.size();
  }
  return first.file_.commit();
}

constinit const Format formats::chromeTrace = {
    .endings = {".json", ".json.gz"},
    .items = "PATH.json[.gz]",
    .mode = WriteMode::AtEnd,
    .hostSpans = ShowsHostSpans::Always,
    .showsMemory = true,
    .showsWarpSpans = true,
    .keepsGraphs = true,
    .wrote = [](std::string_view head) { return head.starts_with("{\n\"schemaVersion\":1,"); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<ChromeTrace>(settings.path, settings.maxRecords, settings.run,
                                           Existing::KeepForeign);
    },
};

} // namespace graphprof
