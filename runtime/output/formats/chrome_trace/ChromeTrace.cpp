// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps replays; how they are drawn is TraceWriter's.

#include "output/formats/chrome_trace/ChromeTrace.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/CopyNames.h"
#include "output/data/Reserved.h"
#include "output/formats/chrome_trace/TraceWriter.h"
#include "output/io/Json.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

// What is the same in every replay of a region.
std::string fixedText(std::string_view name, Clock clock, const Site *site,
                      std::span<const Value> context) {
  std::string text =
      fmt::format(R"("name":{},"args":{{"clock":"{}")", jsonString(name), word(clock));
  auto out = std::back_inserter(text);
  if (const std::string source = sourceOf(site, Kind::Region); !source.empty())
    fmt::format_to(out, R"(,"source":{},"function":{})", jsonString(source),
                   jsonString(functionOf(site, Kind::Region)));
  text += R"(,"context":)" + jsonContext(context);
  return text;
}

// A node's values are arguments of their own, as Kineto has a copy's bytes: "context" is a number
// there, of CUDA's context.
std::string fixedText(const Record &record) {
  const std::span<const Value> context(record.context, record.contextSize);
  if (record.kind == Kind::Region)
    return fixedText(record.name, record.clock, record.site, context);
  std::string text = fmt::format(R"("name":{},"args":{{"clock":"{}")", jsonString(record.name),
                                 word(record.clock));
  if (!context.empty()) {
    const std::string values = jsonContext(context);
    text += ',' + values.substr(1, values.size() - 2); // without the braces
  }
  return text;
}

// Of a node, and of a copy of a step.
std::uint64_t bytesMoved(const Record &record) {
  if (record.kind == Kind::Region && !isCopyOfStep(record.kind, record.site, record.name))
    return 0;
  return static_cast<std::uint64_t>(reserved(record.context, record.contextSize, "bytes"));
}

} // namespace

std::string modulesInside(const std::string &around, std::string_view name) {
  constexpr std::size_t most = 4'096;
  if (around.empty())
    return std::string(name);
  return around.size() + name.size() < most ? fmt::format("{}.{}", around, name) : around;
}

ChromeTrace::ChromeTrace(const std::string &path, std::size_t maxRecords, Run run, OfOthers others)
    : path_(path), maxRecords_(maxRecords), run_(std::move(run)), file_(path_, others) {}

template <class Keep>
std::string ChromeTrace::take(std::size_t weight, std::size_t records, Keep keep) {
  if (!std::exchange(checked_, true))
    if (std::string failed = file_.check(); !failed.empty())
      return failed;
  const std::size_t kept =
      data_.regions.size() + data_.replays.size() + data_.memory.size() + data_.spans.size();
  // Once something was left out, all that follows is: a trace with holes would mislead.
  if (dropped_ > 0 || kept + weight > maxRecords_)
    dropped_ += records;
  else
    keep();
  return {};
}

std::string ChromeTrace::write(const Replay &replay) {
  const std::size_t weight = replay.records.size() + (replay.exec ? 1 : 0); // the replay's own span
  return take(weight, replay.records.size(), [&] { keep(replay); });
}

std::string ChromeTrace::memory(const MemoryEvent &event) {
  return take(1, 1, [&] {
    const std::string &path = *paths_.emplace(event.path).first;
    data_.memory.push_back(event);
    data_.memory.back().path = path;
  });
}

std::string ChromeTrace::writeHost(std::span<const HostSpan> spans) {
  for (const HostSpan &span : spans)
    if (std::string failed = take(1, 1, [&] { keep(span); }); !failed.empty())
      return failed;
  return {};
}

void ChromeTrace::keep(const HostSpan &span) {
  const auto next = static_cast<std::uint32_t>(data_.threads.size());
  const auto [thread, isNew] = threadOf_.try_emplace(span.thread, next);
  if (isNew)
    data_.threads.push_back({span.thread, std::string(span.threadName)});
  const std::uint32_t text =
      intern(fixedText(span.name, Clock::Host, span.site, {span.context, span.contextSize}));
  const std::uint32_t name = intern(std::string(span.name));
  data_.spans.push_back({span.beginNs, span.endNs, thread->second, text, name, span.kind,
                         span.captured, span.step, span.graph, span.exec, span.replay, span.bytes});
}

// A node is no module.
void ChromeTrace::addTexts(const Replay &replay, std::vector<Texts> &found) {
  std::vector<std::string> around; // by depth: the names up to there
  for (const Record &record : replay.records) {
    around.resize(std::min(around.size(), static_cast<std::size_t>(std::max(record.depth, 0))));
    const std::string modules = around.empty() ? std::string() : around.back();
    found.push_back({intern(fixedText(record)), intern(modules)});
    around.push_back(record.kind == Kind::Region ? modulesInside(modules, record.name) : modules);
  }
}

void ChromeTrace::keep(const Replay &replay) {
  const auto index = static_cast<std::uint32_t>(data_.replays.size());
  data_.replays.push_back({replay.graph, replay.exec, replay.number, replay.device, replay.stream,
                           replay.launchNs, replay.beginNs, replay.endNs, replay.step,
                           replay.cold});
  const std::vector<Texts> &texts =
      textsOf_.of(replay, [&](std::vector<Texts> &found) { addTexts(replay, found); });
  open_.clear();
  auto text = texts.begin();
  for (const Record &record : replay.records) {
    const bool host = record.clock == Clock::Host;
    open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(record.depth, 0))));
    const auto around = std::find_if(open_.rbegin(), open_.rend(), [&](std::ptrdiff_t region) {
      return data_.regions[static_cast<std::size_t>(region)].host == host;
    });
    const std::ptrdiff_t parent = around == open_.rend() ? -1 : *around;
    open_.push_back(static_cast<std::ptrdiff_t>(data_.regions.size()));
    data_.regions.push_back({record.beginNs, record.durationNs, parent, index, text->text,
                             text->modules, record.device, record.stream, host, record.step,
                             record.kind, record.iteration, bytesMoved(record)});
    ++text;
  }
}

std::uint32_t ChromeTrace::intern(const std::string &text) {
  const auto next = static_cast<std::uint32_t>(data_.texts.size());
  const auto [known, isNew] = known_.try_emplace(text, next);
  if (isNew)
    data_.texts.push_back(&known->first);
  return known->second;
}

void ChromeTrace::metadata(const std::string &key, const std::string &json) {
  constexpr std::array<std::string_view, 7> taken = {
      "schemaVersion",       "graphprofDropped", "graphprofLosses", "displayTimeUnit",
      "baseTimeNanoseconds", "traceEvents",      "traceName"};
  if (key == "deviceProperties") {
    data_.deviceProperties = json;
    return;
  }
  if (std::find(taken.begin(), taken.end(), key) != taken.end())
    return;
  const auto known = std::find_if(data_.metadata.begin(), data_.metadata.end(),
                                  [&](const auto &entry) { return entry.first == key; });
  if (known != data_.metadata.end())
    known->second = json;
  else
    data_.metadata.emplace_back(key, json);
}

std::string ChromeTrace::close(const Losses &losses) {
  if (std::string failed = file_.open(); !failed.empty())
    return failed;
  sortByTime(data_.memory);
  TraceWriter writer(data_, run_, file_);
  if (std::string failed = writer.write(path_, dropped_, losses); !failed.empty())
    return failed;
  return file_.commit();
}

namespace {

constexpr std::string_view endings[] = {".json", ".json.gz"};

} // namespace

constinit const Format formats::chromeTrace = {
    .endings = endings,
    .items = "PATH.json[.gz]",
    .writtenWhole = true,
    .hostSpans = ShowsHostSpans::Always,
    .showsMemory = true,
    .make = [](const Request &, const OutputSettings &settings) -> std::unique_ptr<Output> {
      return std::make_unique<ChromeTrace>(settings.path, settings.maxRecords, settings.run,
                                           OfOthers::Spared);
    },
};

} // namespace graphprof
