// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions, graphs and replays of a binary file.

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "output/data/Path.h"
#include "output/data/Places.h"
#include "output/data/RecordColumns.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryReading.h"

namespace graphprof::binary {

namespace {

void readValue(Parts &parts, std::int64_t &ns) { ns = parts.durationNs(); }
void readValue(Parts &parts, std::uint32_t &count) { count = parts.count(); }
void readValue(Parts &parts, GapCause &cause) { cause = parts.one(GapCause::DeviceFull); }

} // namespace

bool Reading::region(Parts &parts) {
  const std::uint64_t id = parts.number(), parent = parts.number();
  Batch::Region made{};
  made.depth = parts.small(parts.fromMinusOne());
  made.kind = parts.one(Kind::Graph);
  made.clock = parts.one(Clock::Host);
  made.name = parts.text();
  made.site = site(parts);
  if (!context(parts, made.context) || made.depth < 0 || made.depth > deepest)
    return false;
  const std::uint64_t place = parts.number();
  const auto around = known_.find(parent);
  const bool outermost = parent == 0;
  if (!parts.good() || place == 0 || place > std::numeric_limits<std::uint32_t>::max() || id == 0 ||
      known_.contains(id) ||
      (!outermost && (around == known_.end() || around->second.levels > deepest)))
    return false;
  made.id = nextRegion_++;
  made.parent = outermost ? 0 : around->second.id;
  made.place = static_cast<std::uint32_t>(place);
  const std::string shown = nameAt(made.name, made.place);
  made.path = outermost ? shown : pathInside(around->second.path, shown);
  known_.emplace(id, Known{made.id, outermost ? 1 : around->second.levels + 1, made.name, made.path,
                           made.site, made.depth, made.kind});
  batch_.regions.push_back(std::move(made));
  return true;
}

bool Reading::graph(Parts &parts) {
  Batch::Graph graph{};
  const std::uint64_t id = parts.number();
  graph.number = parts.number();
  const std::uint64_t like = parts.number();
  graph.counts.nodes = static_cast<std::uint32_t>(parts.number());
  graph.counts.edges = static_cast<std::uint32_t>(parts.number());
  if (!parts.good() || graphs_.contains(id))
    return false;
  if (const auto name = names_.find(graph.number); name != names_.end())
    graph.serves = name->second;
  if (like != 0) {
    const auto same = graphs_.find(like);
    if (same == graphs_.end())
      return false;
    graph.like = same->second.id;
    graph.nodes = same->second.nodes;
    graph.regions = same->second.regions;
  } else if (!structure(parts, graph)) {
    return false;
  }
  graph.id = nextGraph_++;
  if (like == 0)
    graphs_.insert_or_assign(id, graph);
  if (graph.nodes->looks != 0)
    drawn_.insert_or_assign(graph.number, graph.nodes);
  batch_.graphs.push_back(std::move(graph));
  constexpr std::size_t many = 256; // one that is like another is short in the file, but not here
  if (batch_.graphs.size() >= many)
    handOn();
  return true;
}

// What a graph is made of that is like no other: its regions, its nodes, and a picture's.
bool Reading::structure(Parts &parts, Batch::Graph &graph) {
  auto nodes = std::make_shared<GraphNodes>();
  nodes->multiprocessors = static_cast<std::uint32_t>(parts.number());
  const std::uint64_t regions = parts.number();
  if (!parts.good() || regions > parts.left())
    return false;
  std::vector<const Known *> of;
  std::uint64_t region = 0;
  for (std::uint64_t i = 0; i < regions; ++i) {
    region += static_cast<std::uint64_t>(parts.difference());
    const auto known = known_.find(region);
    if (region != 0 && known == known_.end())
      return false;
    graph.regions.push_back(region == 0 ? 0 : known->second.id);
    of.push_back(region == 0 ? nullptr : &known->second);
  }
  nodes->regions.resize(regions);
  if (!nodesOf(parts, *nodes, of) || !regionsOf(parts, *nodes, of))
    return false;
  if (parts.left() > 0) {
    const std::uint64_t gapNs = parts.number();
    constexpr std::uint64_t longestNs = 1'000'000'000; // what is longer is damage
    if (!parts.good() || gapNs > longestNs)
      return false;
    nodes->gapNs = static_cast<std::int64_t>(gapNs);
  }
  graph.nodes = std::move(nodes);
  cudaNodes_.clear();
  return true;
}

bool Reading::nodesOf(Parts &parts, GraphNodes &graph, const std::vector<const Known *> &of) {
  const std::uint64_t count = parts.number();
  constexpr std::uint64_t leastOfANode = 10; // bytes
  if (!parts.good() || count > parts.left() / leastOfANode)
    return false;
  if (!cudaNodes_.empty() && cudaNodes_.size() != count)
    return false;
  graph.nodes.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    GraphNodes::Node &made = graph.nodes[i];
    if (!cudaNodes_.empty())
      made.cudaNode = cudaNodes_[i];
    if (!node(parts, i, count, graph.regions.size(), made))
      return false;
    if (made.timed != GraphNodes::none)
      graph.regions[made.timed].isNode = true;
    if (made.name.empty())
      made.name = made.timed != GraphNodes::none && of[made.timed] ? of[made.timed]->name
                                                                   : std::string(made.type);
  }
  return true;
}

// What a picture shows of the regions, too.
bool Reading::regionsOf(Parts &parts, GraphNodes &nodes, const std::vector<const Known *> &of) {
  for (std::size_t i = 0; i < nodes.regions.size(); ++i) {
    GraphNodes::Region &region = nodes.regions[i];
    const std::int64_t parent = parts.fromMinusOne(), inside = parts.fromMinusOne();
    if (!parts.good() || parent >= static_cast<std::int64_t>(i) ||
        inside >= static_cast<std::int64_t>(nodes.nodes.size()))
      return false;
    region.parent = parent < 0 ? GraphNodes::none : static_cast<std::uint32_t>(parent);
    region.inside = inside < 0 ? GraphNodes::none : static_cast<std::uint32_t>(inside);
    if (of[i]) {
      region.name = of[i]->name;
      region.site = of[i]->site;
      region.depth = of[i]->depth;
      region.isNode = of[i]->kind != Kind::Region;
    } else {
      region.depth = parts.small(parts.fromMinusOne());
      region.isNode = parts.number() != 0;
      region.name = parts.text();
      region.site = site(parts);
    }
  }
  nodes.looks = looksOf(nodes);
  return parts.good();
}

bool Reading::inGraph(Parts &parts) {
  const std::uint64_t runs = parts.number();
  if (!parts.good() || runs > parts.left())
    return false;
  inGraph_.clear();
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t first = parts.number(), count = parts.number();
    if (first >= GraphNodes::none)
      return false;
    inGraph_.push_back({static_cast<std::uint32_t>(first), count});
  }
  return parts.good();
}

bool Reading::placeInGraph(Replay &replay, std::span<Batch::Timing> timings) {
  const std::vector<InARow> runs = std::exchange(inGraph_, {});
  if (replay.exec == 0)
    return runs.empty();
  if (const auto drawn = drawn_.find(replay.graph); drawn != drawn_.end())
    replay.drawn = drawn->second;
  constexpr std::uint32_t none = 0x7fff'ffff; // of 31 bits: no region of a graph
  const auto set = [&](Batch::Timing &timing, std::uint64_t place) {
    timing.ofGraph = static_cast<std::uint32_t>(std::min<std::uint64_t>(place, none)) & none;
  };
  if (runs.empty())
    for (std::size_t i = 0; i < timings.size(); ++i)
      set(timings[i], i);
  std::size_t at = 0;
  for (const InARow &run : runs)
    for (std::uint64_t i = 0; i < run.count && at < timings.size(); ++i)
      set(timings[at++], run.first + i);
  const std::uint64_t placed = std::transform_reduce(
      runs.begin(), runs.end(), std::uint64_t{0}, std::plus<>(),
      [](const InARow &run) { return std::min(run.count, std::uint64_t{GraphNodes::none}); });
  return runs.empty() || placed == timings.size();
}

bool Reading::node(Parts &parts, std::uint32_t number, std::uint64_t nodes, std::size_t regions,
                   GraphNodes::Node &node) {
  const std::uint64_t type = parts.number();
  node.type = GraphNodes::types[type < GraphNodes::types.size() ? type : 0];
  bool good = true;
  const auto index = [&](std::uint64_t behind) {
    const std::int64_t read = parts.fromMinusOne();
    good = good && read < static_cast<std::int64_t>(behind);
    return read < 0 || !good ? GraphNodes::none : static_cast<std::uint32_t>(read);
  };
  node.timed = index(regions);
  node.region = index(regions);
  node.inside = index(number); // what is inside a node comes after it
  for (std::vector<std::uint32_t> *const before : {&node.after, &node.early}) {
    const std::uint64_t count = parts.number();
    if (!good || !parts.good() || count > parts.left())
      return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t place = sum(number, -parts.difference());
      if (place < 0 || place >= static_cast<std::int64_t>(nodes) || place == number)
        return false;
      before->push_back(static_cast<std::uint32_t>(place));
    }
  }
  node.blocks = parts.number();
  node.threads = static_cast<std::uint32_t>(parts.number());
  node.resident = parts.number();
  node.name = parts.text();
  return parts.good();
}

bool Reading::cudaIds(Parts &parts) {
  const std::uint64_t exec = parts.number(), graph = parts.number();
  const std::uint64_t cudaGraph = parts.number(), cudaExec = parts.number();
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!parts.good() || cudaGraph > most || cudaExec > most)
    return false;
  idsOf_.insert_or_assign(exec, CudaIds{graph, static_cast<std::uint32_t>(cudaGraph),
                                        static_cast<std::uint32_t>(cudaExec)});
  return true;
}

bool Reading::cudaNodes(Parts &parts) {
  const std::uint64_t count = parts.number();
  if (!parts.good() || count > parts.left()) // a byte each at least
    return false;
  cudaNodes_.assign(count, GraphNodes::none);
  for (std::uint32_t &node : cudaNodes_)
    if (const std::int64_t id = parts.fromMinusOne(); id >= 0 && id < GraphNodes::none)
      node = static_cast<std::uint32_t>(id);
  return parts.good();
}

bool Reading::graphName(Parts &parts) {
  const std::uint64_t graph = parts.number();
  std::string name(parts.text());
  std::vector<Value> values;
  if (!parts.good() || !context(parts, values))
    return false;
  if (name.empty())
    names_.erase(graph);
  else
    names_.insert_or_assign(graph, graphNameOf(std::move(name), std::move(values)));
  return true;
}

bool Reading::busy(Parts &parts) {
  if (parts.number() != 0)
    busyOf_.clear();
  const std::uint64_t count = parts.number();
  constexpr std::uint64_t leastOfOne = 5; // bytes
  if (!parts.good() || count > parts.left() / leastOfOne)
    return false;
  nextBusy_.clear();
  std::uint64_t place = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    BusyRecord &record = nextBusy_.emplace_back();
    record.place = place += parts.number();
    ++place;
    forEachColumnOf<Batch::Busy, ColumnOrder::Csv>(
        [&](const auto &column) { readValue(parts, record.busy.*column.value.ofBusy); });
    if (!parts.good())
      return false;
  }
  return true;
}

// A region's busy time is that of its exec's last replay, unless a message says another one.
bool Reading::setBusy(const Replay &replay, std::span<Batch::Timing> timings) {
  auto next = nextBusy_.begin();
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const std::pair of(replay.exec, timings[i].region);
    if (next != nextBusy_.end() && next->place == i)
      busyOf_[of] = (next++)->busy;
    if (const auto known = busyOf_.find(of); known != busyOf_.end())
      timings[i].busy = known->second;
  }
  const bool allMet = next == nextBusy_.end();
  nextBusy_.clear();
  return allMet;
}

// No launch of an exec is in the file twice, and none takes longer than processes run.
bool Reading::isPlausible(const Replay &replay) {
  if (replay.spanKnown() && replay.endNs - replay.beginNs > longestNs)
    return false;
  return replay.exec == 0 || launches_[replay.exec].add(replay.number);
}

bool Reading::replay(Parts &parts) {
  Replay replay;
  const std::uint64_t flags = parts.number();
  replay.cold = (flags & binary::Cold) != 0;
  if (flags & binary::InGraph) {
    replay.graph = parts.number();
    replay.exec = parts.number();
    replay.number = parts.number();
    if (const auto name = names_.find(replay.graph); name != names_.end())
      replay.serves = name->second;
    if (const auto ids = idsOf_.find(replay.exec);
        ids != idsOf_.end() && ids->second.graph == replay.graph) {
      replay.cudaGraph = ids->second.cudaGraph;
      replay.cudaExec = ids->second.cudaExec;
    }
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
  return isPlausible(replay) && timings(parts, replay, count, flags);
}

bool Reading::timings(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags) {
  const std::size_t first = batch_.timings.size();
  const bool read = addTimings(parts, replay, count, flags);
  const std::span<Batch::Timing> timings = std::span(batch_.timings).subspan(first);
  const bool good = read && ends(parts, timings) && parts.good() && placeInGraph(replay, timings) &&
                    setBusy(replay, timings);
  if (good) {
    batch_.launches.push_back({replay, first, batch_.timings.size() - first});
  } else {
    batch_.timings.resize(first);
  }
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
    if (timing.durationNs > longestNs)
      return false;
    timing.beginNs = timing.durationNs >= 0 ? atNs = parts.timeNs(atNs) : 0;
    timing.iteration = flags & binary::Iterations ? parts.fromMinusOne() : -1;
    timing.device = own ? parts.small(parts.fromMinusOne()) : replay.device;
    timing.stream = own ? parts.number() : replay.stream;
    timing.step = own ? parts.fromMinusOne() : replay.step;
    timing.ends = Ends::Completion;
    timing.ofGraph = 0;
    timing.launchNs = replay.launchNs;
  }
  return true;
}

// Sets what the current records end with, as far as the message says it. The others end with their
// completion.
bool Reading::ends(Parts &parts, std::span<Batch::Timing> timings) {
  std::size_t at = 0;
  Ends ends = Ends::Completion;
  for (bool first = true; parts.left() > 0 && parts.good(); first = false) {
    const std::uint64_t inARow = parts.number();
    if (inARow > timings.size() - at || (inARow == 0 && !first))
      return false;
    for (std::uint64_t i = 0; i < inARow; ++i)
      timings[at++].ends = ends;
    ends = ends == Ends::Completion ? Ends::NextBegin : Ends::Completion;
  }
  return ends == Ends::Completion; // nothing is said of the last that end with their completion
}

} // namespace graphprof::binary
