// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Batch.h"

#include <algorithm>
#include <functional>

namespace graphprof {

namespace {

void mix(std::size_t &hash, std::size_t more) {
  constexpr std::size_t golden = 0x9e3779b97f4a7c15;
  hash = (hash ^ more) * golden;
  hash ^= hash >> 32;
}

bool isText(const Value &value) { return value.kind() == Value::Kind::Text; }

bool sameValue(const Value &one, const Value &other) {
  return one.kind() == other.kind() && one.asUnsigned() == other.asUnsigned() &&
         one.key() == other.key() && (!isText(one) || one.asText() == other.asText());
}

} // namespace

std::size_t Batcher::Hash::operator()(const Seen &seen) const {
  std::size_t hash = std::hash<const void *>()(seen.site);
  mix(hash, seen.parent);
  mix(hash, static_cast<std::size_t>(seen.kind) << 8 | static_cast<std::size_t>(seen.clock));
  mix(hash, std::hash<std::string_view>()(seen.name));
  for (const Value &value : seen.context)
    mix(hash, isText(value) ? std::hash<std::string_view>()(value.asText()) : value.asUnsigned());
  return hash;
}

bool Batcher::Same::same(const Seen &one, const Seen &other) {
  return one.site == other.site && one.parent == other.parent && one.kind == other.kind &&
         one.clock == other.clock && one.name == other.name &&
         std::equal(one.context.begin(), one.context.end(), other.context.begin(),
                    other.context.end(), sameValue);
}

void Batcher::add(const Replay &replay, Batch &batch) {
  if (known_.size() > maxRegions_) {
    known_.clear();
    idsOf_ = {};
    from_ = next_;
  }
  const std::vector<std::uint64_t> &ids =
      idsOf_.of(replay, [&](std::vector<std::uint64_t> &found) { identify(replay, batch, found); });

  Batch::Launch launch{replay, batch.timings.size(), replay.records.size()};
  launch.replay.records = {};
  auto id = ids.begin();
  for (const Record &record : replay.records) {
    const bool measured = record.measured();
    batch.timings.push_back({*id++, measured ? record.beginNs : 0,
                             measured ? record.durationNs : -1, record.iteration, record.step,
                             record.stream, record.device, record.cold});
  }
  batch.launches.push_back(launch); // last: without memory it is not there
}

void Batcher::identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids) {
  open_.clear();
  for (const Record &record : replay.records) {
    open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(record.depth, 0))));
    const std::uint64_t parent = open_.empty() ? 0 : open_.back().id;
    const Seen seen{record.site, parent,      record.name, {record.context, record.contextSize},
                    record.kind, record.clock};
    auto known = known_.find(seen);
    if (known == known_.end()) {
      std::string path(open_.empty() ? std::string_view() : open_.back().path);
      if (parent != 0)
        path += '/';
      path += record.name;
      Batch::Region region{next_,
                           parent,
                           record.site,
                           std::string(record.name),
                           path,
                           record.depth,
                           record.kind,
                           record.clock,
                           std::vector<Value>(seen.context.begin(), seen.context.end())};
      Kept kept{record.site, parent,       region.name,    region.context,
                record.kind, record.clock, std::move(path)};
      known = known_.emplace(std::move(kept), next_).first;
      batch.regions.push_back(std::move(region));
      ++next_;
    }
    ids.push_back(known->second);
    open_.push_back({known->second, known->first.path});
  }
}

void Batcher::renew(Batch &batch) const {
  batch.regionsFrom = from_;
  batch.regions.clear();
  batch.launches.clear();
  batch.timings.clear();
  batch.memory.clear();
  batch.notes.clear();
  batch.remarks.clear();
}

} // namespace graphprof
