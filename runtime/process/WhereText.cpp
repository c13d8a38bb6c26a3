// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/WhereText.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/harvest/Whereabouts.h"
#include "output/data/LossText.h"
#include "output/io/JsonWriter.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Progress = ReplayBuffer::Progress;

constexpr std::size_t mostOpen = 20;

std::string timeOfDay(std::int64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%F %T", &parts);
  return fmt::format("{}.{:03} UTC", text.data(), ns / 1'000'000 % 1'000);
}

std::string age(std::int64_t ns, std::int64_t nowNs) {
  return formatTime(static_cast<double>(std::max<std::int64_t>(nowNs - ns, 0)));
}

std::string nodes(std::size_t count, bool areNodes) {
  return areNodes ? counted(count, "node", "nodes") : counted(count, "region", "regions");
}

// The program chooses names, and none may forge a line.
std::string textOf(const NamedWork &work) {
  return fmt::format("{} {}", word(work.kind), printable(work.name));
}

std::string placeOf(const NamedWork &work) {
  return work.within.empty()
             ? std::string()
             : ", in " + printable(fmt::format("{}", fmt::join(work.within, " > ")));
}

// Why nothing is known of a replay; empty: something is.
std::string_view whyNothing(const ReplayInFlight &replay) {
  if (replay.progress == Progress::NotBegun)
    return "it has not begun on the device";
  if (replay.progress != Progress::Unknown)
    return {};
  return replay.table->clock && replay.table->clock->kind() == Clock::Event
             ? "it is timed with events, which tell nothing before it has ended"
             : "its stamps are in the device's memory, which could not be read";
}

// What its stamps leave out; empty: nothing.
std::string whatIsMissing(const ReplayInFlight &replay) {
  std::string text;
  if (replay.take.what == Take::What::Bare)
    text = "only the begin and the end of this replay are stamped";
  else if (replay.take.what == Take::What::Part)
    text = fmt::format("this replay stamps part {} of {} only", replay.take.part + 1,
                       replay.take.parts);
  if (!replay.table->bodies.empty())
    text += fmt::format("{}what runs in the bodies of conditional nodes is not shown",
                        text.empty() ? "" : "; ");
  return text;
}

void addOpen(std::string &text, const OpenWork &work, bool areNodes, std::int64_t nowNs) {
  if (work.hasBegun)
    text += fmt::format("\n  began {} ago, no end seen: {}{}", age(work.sinceNs, nowNs),
                        textOf(work), placeOf(work));
  else
    text += fmt::format("\n  may have begun, as what it waits for ended {} ago: {}{}",
                        age(work.sinceNs, nowNs), textOf(work), placeOf(work));
  if (const std::string_view operation = ncclOperation(work.name); !operation.empty())
    text += fmt::format("\n    NCCL's {}: it ends when all ranks of its communicator have come",
                        operation);
  if (work.behind == 0)
    return;
  text += fmt::format("\n    {} behind it:", nodes(work.behind, areNodes));
  for (std::size_t i = 0; i < work.next.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? "" : ",", textOf(work.next[i]));
  if (work.next.size() < work.behind)
    text += ", ...";
  // Seen on an H200 with 4096 blocks of 1024 threads: a kernel in front of them had no end.
  if (work.hasBegun && ncclOperation(work.name).empty())
    text +=
        "\n    if one of them fills the GPU, no stamp finds room, and it may be the one that hangs";
}

void addBegun(std::string &text, const ReplayInFlight &replay, std::int64_t nowNs) {
  const Whereabouts where = whereaboutsOf(replay);
  for (std::size_t i = 0; i < std::min(where.open.size(), mostOpen); ++i)
    addOpen(text, where.open[i], where.countsNodes, nowNs);
  if (where.open.size() > mostOpen)
    text += fmt::format("\n  and {} more like these", where.open.size() - mostOpen);
  if (where.last)
    text += fmt::format("\n  ended last, {} ago: {}{}", age(where.lastEndNs, nowNs),
                        textOf(*where.last), placeOf(*where.last));
  if (where.stamped > 0)
    text += fmt::format("\n  {} of {} seen to end", where.ended,
                        nodes(where.stamped, where.countsNodes));
}

void addWork(JsonWriter &json, const NamedWork &work) {
  json.member<"kind">(word(work.kind)).member<"name">(work.name);
  json.key<"within">().beginArray();
  for (const std::string &region : work.within)
    json.value(region);
  json.endArray();
}

void addBegun(JsonWriter &json, const ReplayInFlight &replay) {
  const Whereabouts where = whereaboutsOf(replay);
  json.key<"open">().beginArray();
  for (const OpenWork &work : where.open) {
    json.beginObject();
    addWork(json, work);
    if (const std::string_view operation = ncclOperation(work.name); !operation.empty())
      json.member<"collective">(operation);
    json.member<"begun">(work.hasBegun)
        .member<"since_ns">(work.sinceNs)
        .member<"behind">(static_cast<std::uint64_t>(work.behind));
    json.key<"next">().beginArray();
    for (const NamedWork &next : work.next) {
      json.beginObject();
      addWork(json, next);
      json.endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
  if (where.last) {
    json.key<"last">().beginObject();
    addWork(json, *where.last);
    json.member<"end_ns">(where.lastEndNs).endObject();
  }
  json.member<"ended">(static_cast<std::uint64_t>(where.ended))
      .member<"stamped">(static_cast<std::uint64_t>(where.stamped))
      .member<"counts">(std::string_view(where.countsNodes ? "nodes" : "regions"));
}

} // namespace

// ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_AllGather_RING_LL_Sum_int8_t.
std::string_view ncclOperation(std::string_view kernel) {
  for (const std::string_view prefix : {"ncclDevKernel_", "ncclKernel_"})
    if (kernel.starts_with(prefix)) {
      kernel.remove_prefix(prefix.size());
      return kernel.substr(0, kernel.find_first_of("_(<"));
    }
  return {};
}

std::string whereText(std::span<const ReplayInFlight> replays, std::int64_t nowNs) {
  std::string text;
  for (const ReplayInFlight &replay : replays) {
    text +=
        fmt::format("{}{}, exec {}, replay {}, device {}, stream {}: launched {} ago, {}",
                    text.empty() ? "" : "\n",
                    printable(shownGraph(replay.table->serves.get(), replay.table->graphNumber)),
                    replay.exec, replay.number, replay.device, replay.stream,
                    age(replay.launchNs, nowNs), timeOfDay(replay.launchNs));
    if (const std::string_view why = whyNothing(replay); !why.empty())
      text += fmt::format("\n  {}", why);
    else
      addBegun(text, replay, nowNs);
    if (const std::string missing = whatIsMissing(replay); !missing.empty())
      text += fmt::format("\n  {}", missing);
    if (replay.behind > 0)
      text += fmt::format("\n  {} of this exec behind it",
                          counted(replay.behind, "later launch", "later launches"));
  }
  return text;
}

std::string whereJson(std::span<const ReplayInFlight> replays, std::int64_t nowNs) {
  std::string text;
  JsonWriter json(text);
  json.beginArray();
  for (const ReplayInFlight &replay : replays) {
    json.beginObject()
        .member<"graph">(replay.table->graphNumber)
        .member<"graph_name">(replay.table->serves
                                  ? std::optional<std::string_view>(replay.table->serves->text)
                                  : std::nullopt)
        .member<"exec">(replay.exec)
        .member<"replay">(replay.number)
        .member<"device">(static_cast<std::int64_t>(replay.device))
        .member<"stream">(replay.stream)
        .member<"launch_ns">(replay.launchNs)
        .member<"for_ns">(std::max<std::int64_t>(nowNs - replay.launchNs, 0))
        .member<"later_launches">(static_cast<std::uint64_t>(replay.behind));
    if (const std::string_view why = whyNothing(replay); !why.empty())
      json.member<"unknown">(why).member<"not_begun">(replay.progress == Progress::NotBegun);
    else
      addBegun(json, replay);
    if (const std::string missing = whatIsMissing(replay); !missing.empty())
      json.member<"not_stamped">(missing);
    json.endObject();
  }
  json.endArray();
  return text;
}

} // namespace graphprof
