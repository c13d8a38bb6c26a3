// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Batch.h"

#include <algorithm>
#include <utility>

#include "output/data/Path.h"
#include "output/data/RecordColumns.h"

namespace graphprof {

namespace {

constexpr std::uint32_t mostOfGraph = 0x7fff'ffff; // more than a graph may have

// Reserves memory, so that adding one more needs none.
template <class Thing> void roomForOne(std::vector<Thing> &things) {
  constexpr std::size_t least = 16;
  if (things.size() == things.capacity())
    things.reserve(std::max(2 * things.size(), least));
}

// Removes those before `now`, which do not occur again. `from` is the least id so far.
template <class Thing>
void forget(std::vector<Thing> &things, std::uint64_t &from, std::uint64_t now) {
  if (std::exchange(from, now) != now)
    std::erase_if(things, [now](const Thing &thing) { return thing.id < now; });
}

// Whether the node is in the body of a conditional node, which may run never or often.
bool isInBody(const GraphNodes &graph, const GraphNodes::Node &node) {
  for (std::uint32_t around = node.inside; around < graph.nodes.size();
       around = graph.nodes[around].inside)
    if (graph.nodes[around].type == "conditional")
      return true;
  return false;
}

} // namespace

void Batcher::add(const Replay &replay, Batch &batch) {
  if (regions_.size() > maxKnown_) {
    regions_.clear();
    idsOf_ = {};
    regionsFrom_ = nextRegion_;
    forgetGraphs(); // they refer to regions
  }
  const std::vector<std::uint64_t> &ids =
      idsOf_.of(replay, [&](std::vector<std::uint64_t> &found) { identify(replay, batch, found); });

  if (replay.exec != 0 && (replay.drawn || replay.counts.nodes > 0))
    describe(replay, batch, ids);
  const std::size_t first = batch.timings.size();
  auto id = ids.begin();
  for (const Record &record : replay.records) {
    const bool measured = record.measured();
    Batch::Timing &timing = batch.timings.emplace_back(
        Batch::Timing{*id++, measured ? record.begin_ns : 0, measured ? record.duration_ns : -1,
                      record.iteration, record.step, record.stream, record.device, Ends::Completion,
                      record.region & mostOfGraph, record.launch_ns, busyOf(record)});
    timing.ends = record.ends; // not in the braces, where GCC sees a narrowing
  }
  // Last, so that a failed allocation leaves no launch.
  Replay &kept = batch.launches.emplace_back(replay, first, replay.records.size()).replay;
  kept.records = {};
  kept.places = {};
}

template <class Thing, class Table, class Of>
const Of &Batcher::define(std::vector<Thing> &things, Thing thing, Table &known,
                          const Identity &identity, Of of) {
  roomForOne(things);
  const Of &kept = known.add(identity, std::move(of));
  things.push_back(std::move(thing));
  return kept;
}

void Batcher::identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids) {
  open_.clear();
  Places outermost;
  for (const Record &record : replay.records) {
    open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(record.depth, 0))));
    const std::uint64_t parent = open_.empty() ? 0 : open_.back().id;
    const std::uint32_t place = record.region < replay.places.size()
                                    ? replay.places[record.region]
                                    : (open_.empty() ? outermost : open_.back().inside)
                                          .next(record.kind, record.name, record.iteration);
    const Identity identity{record.site,
                            record.name,
                            {record.context, record.context_size},
                            std::uint64_t{place} << 16 |
                                static_cast<std::uint64_t>(record.kind) << 8 |
                                static_cast<std::uint64_t>(record.clock),
                            parent};
    const Region *known = regions_.find(identity);
    if (!known) {
      std::string shown = nameAt(record.name, place);
      std::string path = parent == 0 ? std::move(shown) : pathInside(open_.back().path, shown);
      Batch::Region region{nextRegion_,
                           parent,
                           record.site,
                           std::string(record.name),
                           path,
                           record.depth,
                           record.kind,
                           record.clock,
                           std::vector<Value>(identity.context.begin(), identity.context.end()),
                           place};
      known = &define(batch.regions, std::move(region), regions_, identity,
                      Region{nextRegion_, std::move(path)});
      ++nextRegion_;
    }
    ids.push_back(known->id);
    open_.push_back({known->id, known->path, {}});
  }
}

void Batcher::forgetGraphs() {
  described_.clear();
  byLooks_.clear();
  describedNodes_ = 0;
  graphsFrom_ = nextGraph_;
}

// The first replay of the whole graph tells the regions of the nodes: replays of parts have only
// some.
void Batcher::describe(const Replay &replay, Batch &batch, const std::vector<std::uint64_t> &ids) {
  constexpr std::size_t mostNodes = 1'000'000;
  if (described_.size() > maxKnown_ || describedNodes_ > mostNodes)
    forgetGraphs();
  const auto [at, isNew] = described_.try_emplace(replay.graph);
  Described &known = at->second;
  const std::uint64_t drawnLooks = replay.drawn ? replay.drawn->looks : 0;
  if (isNew || known.drawnLooks != drawnLooks || known.counts != replay.counts) {
    known = {drawnLooks, replay.counts, 0, false};
    if (replay.drawn)
      known.timed = static_cast<std::size_t>(
          std::ranges::count_if(replay.drawn->nodes, [&](const GraphNodes::Node &node) {
            return node.timed != GraphNodes::none && !isInBody(*replay.drawn, node);
          }));
  }
  if (known.isKnown || replay.records.size() < known.timed)
    return;
  if (!replay.drawn) { // a few bytes: it need not be like another
    batch.graphs.push_back(
        {nextGraph_, replay.graph, 0, replay.counts, notWanted_, {}, replay.serves});
    ++nextGraph_;
    known.isKnown = true;
    return;
  }
  const GraphNodes &nodes = *replay.drawn;
  std::vector<std::uint64_t> regions(nodes.regions.size(), 0);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const std::uint32_t region = replay.records[i].region; region < regions.size())
      regions[region] = ids[i];
  for (const GraphNodes::Node &node : nodes.nodes)
    if (node.timed != GraphNodes::none && !isInBody(nodes, node) &&
        (node.timed >= regions.size() || regions[node.timed] == 0))
      return;
  Batch::Graph graph{nextGraph_,         replay.graph, 0, replay.counts, replay.drawn,
                     std::move(regions), replay.serves};
  const auto first = byLooks_.find(nodes.looks);
  if (first != byLooks_.end() && first->second.regions == graph.regions &&
      first->second.counts == graph.counts) {
    graph.like = first->second.id;
    graph.nodes = first->second.nodes;
  } else {
    byLooks_.insert_or_assign(nodes.looks, graph);
  }
  describedNodes_ += nodes.nodes.size();
  batch.graphs.push_back(std::move(graph));
  ++nextGraph_;
  known.isKnown = true;
}

void Batcher::add(const HostSpan &span, Batch &batch) {
  const std::uint64_t act = actOf(span, batch), thread = threadOf(span, batch);
  batch.spans.push_back({act, thread, span.begin_ns, span.end_ns, span.step, span.graph, span.exec,
                         span.replay, span.bytes, span.device});
}

void Batcher::add(const MemoryEvent &event, Batch &batch) {
  Batch::Memory &memory = batch.memory.emplace_back(event, std::string(event.path));
  memory.event.path = {};
}

std::uint64_t Batcher::actOf(const HostSpan &span, Batch &batch) {
  const Identity identity{span.site,
                          span.name,
                          {span.context, span.context_size},
                          static_cast<std::uint64_t>(span.kind) << 1 | (span.captured ? 1U : 0U),
                          0};
  if (const std::uint64_t *const known = acts_.find(identity))
    return *known;
  if (acts_.size() >= maxKnown_) {
    acts_.clear();
    actsFrom_ = nextAct_;
  }
  Batch::Act act{nextAct_,
                 span.kind,
                 span.captured,
                 span.site,
                 std::string(span.name),
                 std::vector<Value>(identity.context.begin(), identity.context.end())};
  define(batch.acts, std::move(act), acts_, identity, nextAct_);
  return nextAct_++;
}

std::uint64_t Batcher::threadOf(const HostSpan &span, Batch &batch) {
  const auto known = threads_.find(span.thread);
  if (known != threads_.end() && known->second.name == span.thread_name)
    return known->second.id;
  if (threads_.size() >= maxKnown_) {
    threads_.clear();
    threadsFrom_ = nextThread_;
  }
  Batch::Thread thread{nextThread_, span.thread, std::string(span.thread_name)};
  roomForOne(batch.threads);
  threads_.insert_or_assign(span.thread, Thread{nextThread_, std::string(span.thread_name)});
  batch.threads.push_back(std::move(thread));
  return nextThread_++;
}

void Batcher::clear(Batch &batch) const {
  forget(batch.regions, batch.regionsFrom, regionsFrom_);
  forget(batch.graphs, batch.graphsFrom, graphsFrom_);
  forget(batch.acts, batch.actsFrom, actsFrom_);
  forget(batch.threads, batch.threadsFrom, threadsFrom_);
  batch.clearRecords();
}

void Batcher::renew(Batch &batch) const {
  clear(batch);
  batch.regions.clear();
  batch.graphs.clear();
  batch.acts.clear();
  batch.threads.clear();
}

} // namespace graphprof
