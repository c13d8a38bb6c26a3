// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "KeptReplays.h"

#include <algorithm>

#include "output/data/Source.h"
#include "output/io/Words.h"
#include "output/statistics/BusyFigures.h"

namespace graphprof {

namespace {

constexpr std::size_t byName = 3;              // first, fastest, slowest
constexpr std::size_t mostOutside = 20'000;    // records of a run
constexpr std::size_t mostShapeNodes = 20'000; // of all graphs that are drawn
constexpr std::size_t mostGraphsMissed = 1'000'000;

} // namespace

KeptReplays::KeptReplays(std::size_t perGraph, std::size_t mostItems)
    : perGraph_(std::max(perGraph, byName)), mostItems_(mostItems) {}

std::pair<std::int64_t, std::int64_t> KeptReplays::Kept::extent() const {
  std::int64_t from = 0, to = 0;
  if (replay.exec != 0 && replay.lengthNs() >= 0) {
    from = replay.beginNs;
    to = replay.endNs;
  }
  for (const Item &item : items)
    if (item.durationNs >= 0 && item.beginNs > 0) {
      from = from == 0 ? item.beginNs : std::min(from, item.beginNs);
      to = std::max(to, item.beginNs + item.durationNs);
    }
  return {from, to};
}

void KeptReplays::beginRun() {
  ++run_;
  known_ = {};
  nextGraph_ = 1;
}

std::size_t KeptReplays::placeOf(std::uint64_t id) {
  if (const std::size_t found = known_.of(id).place; found != SIZE_MAX)
    return found;
  std::ptrdiff_t parent = -1;
  if (const std::uint64_t around = known_.of(id).parent; around != 0)
    parent = static_cast<std::ptrdiff_t>(placeOf(around));
  Region &region = known_.of(id);
  const auto [known, isNew] =
      byPath_.emplace(region.as.path + '\n' + region.as.source, places_.size());
  if (isNew) {
    region.as.parent = parent;
    places_.push_back(region.as);
  }
  return region.place = known->second;
}

void KeptReplays::take(const Batch &batch, const Batch::Launch &launch, std::vector<Item> &items) {
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    const std::size_t place = placeOf(timing.region);
    items.push_back({place, timing.beginNs, timing.durationNs, timing.stream, timing.iteration,
                     BusyFigures::drawnNs(known_.of(timing.region).as.kind, timing.ends,
                                          timing.durationNs, timing.busy)});
  }
}

KeptReplays::Kept KeptReplays::made(const Batch &batch, const Batch::Launch &launch,
                                    const char *why) {
  Kept kept;
  kept.run = run_;
  kept.replay = launch.replay;
  kept.replay.records = {};
  kept.why = why;
  take(batch, launch, kept.items);
  items_ += kept.items.size();
  return kept;
}

void KeptReplays::set(std::optional<Kept> &slot, const Batch &batch, const Batch::Launch &launch,
                      const char *why) {
  items_ -= slot ? slot->items.size() : 0;
  slot = made(batch, launch, why);
}

// Every `distance`-th one. When they are too many, every second one goes.
void KeptReplays::sample(OfGraph &of, const Batch &batch, const Batch::Launch &launch) {
  const std::size_t most = perGraph_ - byName;
  if (most == 0 || of.seen % of.distance != 0)
    return;
  if (of.samples.size() == most) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < of.samples.size(); ++i)
      if (i % 2 == 0)
        std::swap(of.samples[kept++], of.samples[i]);
      else
        items_ -= of.samples[i].items.size();
    of.samples.resize(kept);
    of.distance *= 2;
    if (of.seen % of.distance != 0 || of.samples.size() == most)
      return;
  }
  of.samples.push_back(made(batch, launch, "sample"));
}

void KeptReplays::addShape(const Batch::Graph &graph) {
  if (!graph.nodes || graph.nodes->nodes.empty())
    return;
  const std::pair key(run_, graph.number);
  const auto known = shapes_.find(key);
  const std::size_t before = known == shapes_.end() ? 0 : known->second.places.size();
  if (shapeNodes_ - before + graph.nodes->nodes.size() > mostShapeNodes) {
    ++shapesLeftOut_;
    return;
  }
  Shape &shape = shapes_[key];
  shape = {run_, graph.number, graph.nodes, {}, {}};
  const auto placeAt = [&](std::uint32_t region) {
    const bool isKnown = region < graph.regions.size() && graph.regions[region] != 0;
    return isKnown ? static_cast<std::ptrdiff_t>(placeOf(graph.regions[region])) : -1;
  };
  for (const GraphNodes::Node &node : graph.nodes->nodes) {
    shape.places.push_back(placeAt(node.timed));
    shape.around.push_back(placeAt(node.region));
  }
  shapeNodes_ += shape.places.size() - before;
}

void KeptReplays::addOutside(const Batch &batch, const Batch::Launch &launch) {
  Kept &kept = outside_[run_];
  if (kept.items.size() + launch.count > mostOutside || items_ + launch.count > mostItems_) {
    outsideLeftOut_ += launch.count;
    return;
  }
  kept.run = run_;
  kept.why = "first";
  const std::size_t before = kept.items.size();
  take(batch, launch, kept.items);
  items_ += kept.items.size() - before;
}

void KeptReplays::add(const Batch &batch) {
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    Region made;
    made.parent = region.parent;
    made.as.path = region.path;
    made.as.name = nameAt(region.name, region.place);
    made.as.source = sourceOf(region.site, region.kind);
    made.as.kind = region.kind;
    made.as.depth = region.depth;
    return made;
  });
  for (const Batch::Graph &graph : newOf(batch.graphs, nextGraph_)) {
    nextGraph_ = graph.id + 1;
    addShape(graph);
  }
  for (const Batch::Launch &launch : batch.launches) {
    const Replay &replay = launch.replay;
    if (replay.exec == 0) {
      addOutside(batch, launch);
      continue;
    }
    const std::pair key(run_, replay.graph);
    auto found = graphs_.find(key);
    // A graph gets room for all its replays, or none.
    if (found == graphs_.end()) {
      if (items_ + perGraph_ * launch.count > mostItems_ && items_ > 0) {
        if (graphsLeftOut_.size() < mostGraphsMissed)
          graphsLeftOut_.insert(key);
        continue;
      }
      found = graphs_.try_emplace(key).first;
    }
    OfGraph &of = found->second;
    const std::int64_t span = replay.lengthNs();
    const bool room = items_ + launch.count <= mostItems_ || !of.first;
    if (!of.first)
      set(of.first, batch, launch, "first");
    else if (room)
      sample(of, batch, launch);
    ++of.seen;
    if (replay.cold || span < 0)
      continue;
    if (!of.slowest || span > of.slowest->replay.lengthNs())
      set(of.slowest, batch, launch, "slowest");
    if (!of.fastest || span < of.fastest->replay.lengthNs())
      set(of.fastest, batch, launch, "fastest");
  }
}

std::vector<const KeptReplays::Kept *> KeptReplays::kept() const {
  std::vector<const Kept *> all;
  for (const auto &[key, of] : graphs_) {
    // One that is there for two reasons is there once, for the first of them.
    std::map<std::pair<std::uint64_t, std::uint64_t>, const Kept *> ofGraph; // by exec and number
    const auto put = [&](const Kept &one) {
      ofGraph.emplace(std::pair(one.replay.exec, one.replay.number), &one);
    };
    for (const std::optional<Kept> *slot : {&of.slowest, &of.fastest, &of.first})
      if (*slot)
        put(**slot);
    for (const Kept &sample : of.samples)
      put(sample);
    for (const auto &[number, one] : ofGraph)
      all.push_back(one);
  }
  for (const auto &[run, kept] : outside_)
    if (!kept.items.empty())
      all.push_back(&kept);
  return all;
}

} // namespace graphprof
