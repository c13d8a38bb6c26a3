// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions and replays of a binary file.

#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "output/data/Path.h"
#include "output/data/Places.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryReading.h"

namespace graphprof::binary {

bool Reading::region(Parts parts) {
  auto region = std::make_unique<Region>();
  const std::uint64_t id = parts.number(), parent = parts.number();
  region->record.depth = parts.small(parts.fromMinusOne());
  region->record.kind = parts.one(Kind::Graph);
  region->record.clock = parts.one(Clock::Host);
  region->name = parts.text();
  region->record.site = site(parts);
  if (!context(parts, region->context) || region->record.depth < 0 ||
      region->record.depth > deepest)
    return false;
  const bool hasPlace = parts.left() > 0;
  const std::uint64_t place = hasPlace ? parts.number() : 0;
  const Regions are = hasPlace ? Regions::AsInFile : Regions::FromReplays;
  if (!parts.good() || (regionsAre_ != Regions::Unknown && regionsAre_ != are))
    return false;
  regionsAre_ = are;
  if (hasPlace)
    return regionAsInFile(id, parent, place, std::move(*region));
  region->record.name = region->name;
  region->record.context = region->context.data();
  region->record.context_size = region->context.size();
  regions_.insert_or_assign(id, std::move(region));
  return true;
}

bool Reading::regionAsInFile(std::uint64_t id, std::uint64_t parent, std::uint64_t place,
                             Region region) {
  const auto around = known_.find(parent);
  const bool outermost = parent == 0;
  if (place == 0 || place > std::numeric_limits<std::uint32_t>::max() || known_.contains(id) ||
      (!outermost && (around == known_.end() || around->second.levels > deepest)))
    return false;
  const auto number = static_cast<std::uint32_t>(place);
  const std::string shown = nameAt(region.name, number);
  std::string path = outermost ? shown : pathInside(around->second.path, shown);
  batch_.regions.push_back({nextRegion_, outermost ? 0 : around->second.id, region.record.site,
                            std::move(region.name), path, region.record.depth, region.record.kind,
                            region.record.clock, std::move(region.context), number});
  known_.emplace(id,
                 Known{nextRegion_, outermost ? 1 : around->second.levels + 1, std::move(path)});
  ++nextRegion_;
  return true;
}

bool Reading::replay(Parts parts) {
  Replay replay;
  const std::uint64_t flags = parts.number();
  replay.cold = (flags & binary::Cold) != 0;
  if (flags & binary::InGraph) {
    replay.graph = parts.number();
    replay.exec = parts.number();
    replay.number = parts.number();
  }
  replay.device = parts.small(parts.fromMinusOne());
  replay.stream = parts.number();
  replay.step = parts.fromMinusOne();
  replay.launchNs = parts.timeNs(0);
  replay.beginNs = parts.timeNs(replay.launchNs);
  replay.endNs = parts.timeNs(replay.beginNs);
  const std::uint64_t count = parts.number();
  constexpr std::uint64_t leastOfARecord = 2; // bytes
  if (!parts.good() || count > parts.left() / leastOfARecord)
    return false;
  return regionsAre_ == Regions::AsInFile ? timings(parts, replay, count, flags)
                                          : records(parts, replay, count, flags);
}

bool Reading::timings(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags) {
  const std::size_t first = batch_.timings.size();
  const bool good = addTimings(parts, replay, count, flags) &&
                    ends(parts, std::span(batch_.timings).subspan(first)) && parts.good();
  if (good)
    batch_.launches.push_back({replay, first, batch_.timings.size() - first});
  else
    batch_.timings.resize(first);
  return good;
}

bool Reading::addTimings(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags) {
  std::uint64_t id = 0;
  std::int64_t atNs = replay.beginNs;
  const bool own = (flags & binary::Places) != 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    id += static_cast<std::uint64_t>(parts.difference());
    const auto region = known_.find(id);
    if (region == known_.end() || !parts.good())
      return false;
    Batch::Timing &timing = batch_.timings.emplace_back();
    timing.region = region->second.id;
    timing.durationNs = parts.durationNs();
    timing.beginNs = timing.durationNs >= 0 ? atNs = parts.timeNs(atNs) : 0;
    timing.iteration = flags & binary::Iterations ? parts.fromMinusOne() : -1;
    timing.device = own ? parts.small(parts.fromMinusOne()) : replay.device;
    timing.stream = own ? parts.number() : replay.stream;
    timing.step = own ? parts.fromMinusOne() : replay.step;
    timing.ends = Ends::Completion;
    timing.ofGraph = 0;
    if (flags & binary::OwnCold)
      replay.cold |= parts.number() != 0;
  }
  return true;
}

bool Reading::records(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags) {
  records_.clear();
  std::uint64_t id = 0;
  std::int64_t atNs = replay.beginNs;
  for (std::uint64_t i = 0; i < count; ++i) {
    id += static_cast<std::uint64_t>(parts.difference());
    const auto region = regions_.find(id);
    if (region == regions_.end() || !parts.good())
      return false;
    Record &record = records_.emplace_back(region->second->record);
    record.duration_ns = parts.durationNs();
    if (record.duration_ns >= 0)
      record.begin_ns = atNs = parts.timeNs(atNs);
    record.iteration = flags & binary::Iterations ? parts.fromMinusOne() : -1;
    const bool own = (flags & binary::Places) != 0;
    record.device = own ? parts.small(parts.fromMinusOne()) : replay.device;
    record.stream = own ? parts.number() : replay.stream;
    record.step = own ? parts.fromMinusOne() : replay.step;
    if (flags & binary::OwnCold)
      replay.cold |= parts.number() != 0;
    record.graph = replay.graph;
    record.exec = replay.exec;
    record.replay = replay.number;
  }
  if (!ends(parts, records_) || !parts.good())
    return false;
  for (Record &record : records_)
    record.cold = replay.cold;
  replay.records = records_;
  batcher_.add(replay, batch_);
  return true;
}

// Sets what the current records end with, as far as the message says it. The others end with their
// completion.
template <class Things> bool Reading::ends(Parts &parts, Things &&things) {
  auto record = things.begin();
  for (Ends ends = Ends::Completion; parts.left() > 0 && parts.good();
       ends = ends == Ends::Completion ? Ends::NextBegin : Ends::Completion) {
    const std::uint64_t inARow = parts.number();
    if (inARow > static_cast<std::uint64_t>(things.end() - record))
      return false;
    for (std::uint64_t i = 0; i < inARow; ++i)
      (record++)->ends = ends;
  }
  return true;
}

} // namespace graphprof::binary
