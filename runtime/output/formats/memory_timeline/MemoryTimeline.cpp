// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/memory_timeline/MemoryTimeline.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "output/io/JsonWriter.h"

namespace graphprof {

namespace {

using Action = MemoryTimeline::Action;

constexpr std::string_view between = ", "; // as Python writes lists

std::size_t indexOf(MemoryKind kind) { return static_cast<std::size_t>(kind); }

} // namespace

std::optional<int> memoryDevice(std::string_view text, std::span<const MemoryEvent> events) {
  constexpr std::string_view cuda = "cuda";
  if (text.empty()) {
    int first = -1;
    for (const MemoryEvent &event : events)
      if (event.device >= 0 && (first < 0 || event.device < first))
        first = event.device;
    return first;
  }
  if (text == "cpu")
    return -1;
  if (!text.starts_with(cuda))
    return std::nullopt;
  text.remove_prefix(cuda.size());
  if (text.empty())
    return 0;
  int device = -1;
  const char *const end = text.data() + text.size();
  if (text.front() != ':' || text.size() < 2 || text[1] == '-')
    return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data() + 1, end, device);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return device;
}

MemoryTimeline::MemoryTimeline(std::span<const MemoryEvent> events, int device,
                               std::span<const MemoryHeld> held) {
  std::copy_if(events.begin(), events.end(), std::back_inserter(events_),
               [device](const MemoryEvent &event) { return event.device == device; });
  sortByTime(events_);

  struct Block {
    std::int64_t bytes;
    MemoryKind kind;
  };
  std::unordered_map<std::uint64_t, Block> live;
  std::array<bool, categories> seen{};
  Sizes rest{}; // what existed before and is never freed
  std::vector<Point> before;
  for (const MemoryEvent &event : events_) {
    const std::size_t kind = indexOf(event.kind);
    if (!std::exchange(seen[kind], true))
      rest[kind] = static_cast<std::int64_t>(event.allocated) - event.bytes;
    if (event.bytes >= 0) {
      const auto [block, isNew] = live.try_emplace(event.address, Block{event.bytes, event.kind});
      const Action action = isNew ? Action::Create : Action::IncrementVersion;
      if (!isNew)
        points_.push_back({event.timeNs, action, -block->second.bytes, block->second.kind});
      points_.push_back({event.timeNs, action, event.bytes, event.kind});
      block->second = {event.bytes, event.kind};
      continue;
    }
    if (live.erase(event.address) == 0) {
      before.push_back({-1, Action::Preexisting, -event.bytes, event.kind});
      rest[kind] += event.bytes;
    }
    points_.push_back({event.timeNs, Action::Destroy, event.bytes, event.kind});
  }
  for (const MemoryHeld &before : held)
    if (before.device == device && !events_.empty() && !seen[indexOf(before.kind)])
      rest[indexOf(before.kind)] = static_cast<std::int64_t>(before.bytes);
  for (std::size_t kind = 0; kind < categories; ++kind) {
    // Too little if a block reused the address of an older one whose free was not seen.
    rest[kind] = std::max<std::int64_t>(rest[kind], 0);
    if (rest[kind] > 0)
      before.push_back({-1, Action::Preexisting, rest[kind], static_cast<MemoryKind>(kind)});
  }
  points_.insert(points_.begin(), before.begin(), before.end());
}

std::string MemoryTimeline::rawJson() const {
  std::string text;
  JsonWriter json(text, between);
  json.beginArray();
  for (const Point &point : points_)
    json.beginArray()
        .value(point.timeNs)
        .value(static_cast<int>(point.action))
        .value(point.bytes)
        .value(indexOf(point.kind))
        .endArray();
  json.endArray();
  return text;
}

// As in torch.profiler: all that happens in one microsecond is one state, and what existed before
// is a state of its own.
std::string MemoryTimeline::json() const {
  constexpr std::int64_t nsPerUs = 1000;
  std::string times, sizes;
  JsonWriter timesJson(times, between), sizesJson(sizes, between);
  timesJson.beginArray();
  sizesJson.beginArray();
  Sizes now{};
  const auto add = [&](std::int64_t timeUs) {
    timesJson.value(timeUs);
    sizesJson.beginArray().value(0);
    for (const std::int64_t bytes : now)
      sizesJson.value(bytes);
    sizesJson.endArray();
  };
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto timeUs = [this](std::size_t point) {
      const std::int64_t ns = points_[point].timeNs;
      return ns < 0 ? ns : ns / nsPerUs;
    };
    now[indexOf(points_[i].kind)] += points_[i].bytes;
    if (i + 1 == points_.size() || timeUs(i + 1) != timeUs(i))
      add(timeUs(i) < 0 ? events_.front().timeNs / nsPerUs : timeUs(i));
  }
  timesJson.endArray();
  sizesJson.endArray();
  return '[' + times + std::string(between) + sizes + ']';
}

} // namespace graphprof
