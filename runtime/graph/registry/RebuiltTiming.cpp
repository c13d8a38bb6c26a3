// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/RebuiltTiming.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/ChildWaits.h"
#include "graph/registry/Children.h"
#include "graph/registry/CopyWatcher.h"
#include "graph/registry/RegionBoundaries.h"
#include "graph/registry/TwinChoice.h"
#include "graph/timing/Boundaries.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/Edges.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/Parts.h"
#include "graph/timing/Rebuild.h"
#include "graph/topology/NodeCopy.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// A graph in the making.
struct Making {
  // Takes a clone of the program's graph. Null makes none.
  Making(GraphClock &with, driver::Graph graph, std::vector<Region> regionsOf)
      : clock(with), regions(std::move(regionsOf)) {
    driver::Graph clone = nullptr;
    if (graph && ok(cu().graphClone(&clone, graph)))
      rebuilt = std::make_shared<RebuiltGraph>(clone, clock.currentDevice());
  }

  // Removes the clone's nodes. Returns false if the driver refuses, or there is no clone.
  [[nodiscard]] bool empty() const {
    const auto nodes = rebuilt ? nodesOf(rebuilt->graph) : std::nullopt;
    // From the back, so that nothing moves.
    return nodes && std::all_of(nodes->rbegin(), nodes->rend(),
                                [](driver::Node node) { return ok(cu().graphDestroyNode(node)); });
  }

  // Its picture, with the embedded children.
  [[nodiscard]] std::shared_ptr<const GraphNodes> drawn(const Shape &shape, const Owners &owners,
                                                        std::span<const ChildUse> children,
                                                        std::int64_t gapNs,
                                                        Services &services) const {
    if (!services.wantsDrawings())
      return nullptr;
    return draw(shape, {}, owners, regions, innerGraphs(children, timed.timing.size(), regions),
                clock.currentDevice(), gapNs, services);
  }

  // The graph is complete. Its table takes the regions.
  std::shared_ptr<RegionTable> table(std::shared_ptr<const GraphNodes> picture,
                                     std::uint64_t structure, std::uint64_t graphNumber) {
    return tableOf(timed, clock, std::move(regions), {}, std::move(picture), structure,
                   graphNumber ? graphNumber : nextGraphNumber());
  }
  std::shared_ptr<const TimedGraph> finished(std::shared_ptr<const RegionTable> table,
                                             driver::Graph original) {
    if (const CopyWatcher watch = copyWatcher.load(std::memory_order_relaxed);
        watch && timed.warpPlans.empty()) // twins differ from their kernels
      watch(original, *rebuilt);
    timed.table = std::move(table);
    timed.way = std::shared_ptr<const RebuiltGraph>(std::move(rebuilt));
    return std::make_shared<const TimedGraph>(std::move(timed));
  }

  GraphClock &clock;
  std::vector<Region> regions;
  std::shared_ptr<RebuiltGraph> rebuilt;
  TimedGraph timed;
};

// With `twins` in their kernels' places.
bool rebuild(Making &making, Device &device, const Shape &shape,
             const JaggedArray<std::size_t> &boundaries, const TimingEdges &edges,
             std::span<const ChildUse> children, const KernelTwins &twins) {
  Rebuild::Children held;
  for (const ChildUse &use : children)
    held.emplace(use.node, use.profiled->rebuilt()->graph);
  const driver::Graph graph = making.rebuilt->graph;
  TimedGraph &timed = making.timed;
  const Rebuild::KernelTwins byPlace = twins.byPlace();
  Rebuild rebuilt(making.clock, device, shape, boundaries, edges, held, byPlace, graph);
  if (!rebuilt.run())
    return false;
  timed.root = rebuilt.root();
  timed.timing = rebuilt.timing();
  making.rebuilt->twins = Twins(shape.created(), rebuilt.twins());
  Nodes sinks = rebuilt.sinks();
  if (!twins.empty()) {
    for (const KernelTwin &twin : twins.all)
      timed.twinNodes.twins.push_back(rebuilt.twins()[twin.place]);
    timed.warpPlans = twins.plans();
    timed.entriesPerWarp = twins.entriesPerWarp;
    timed.twinNodes.publishing = making.clock.addTwinsEnd(device, graph, sinks);
    if (!timed.twinNodes.publishing)
      return false;
    sinks = {timed.twinNodes.publishing};
  }
  return making.clock.finish(device, graph, rebuilt.timing(), sinks, timed.final) &&
         embedChildren(*making.rebuilt, timed, making.regions, children);
}

// By boundary. Those of children come after the graph's own.
std::vector<StampEdge> edgesOfAll(const TimingEdges &edges, std::span<const ChildUse> children) {
  std::vector<StampEdge> all = edges.kinds();
  all.resize(edges.boundaries.size(), StampEdge::Completion);
  bool anyOther = !edges.allComplete();
  for (const ChildUse &use : children) {
    const RegionTable &table = *use.profiled->table;
    anyOther = anyOther || !table.edges.empty();
    const std::size_t before = all.size();
    all.insert(all.end(), table.edges.begin(), table.edges.end());
    all.resize(before + table.boundaries, StampEdge::Completion);
  }
  return anyOther ? all : std::vector<StampEdge>();
}

// How to rebuild a graph.
struct Blueprint {
  GraphClock &clock;
  Device *device;
  driver::Graph graph; // null: it cannot be done
  const Shape &shape;
  const JaggedArray<std::size_t> &boundaries;
  const EdgeSupport &support;
  std::span<const ChildUse> children;
  const KernelTwins &twins;
  OwnEnds ends = OwnEnds::None;
};

struct Rebuilding {
  Making making; // without a table
  TimingEdges edges;
};

// On the best edges that the driver takes; nullopt if it takes none. It may also refuse a clone.
Expected<std::optional<Rebuilding>>
rebuildOnEdges(const Blueprint &plan, const std::vector<Region> &regions, bool isExec) {
  const auto &[clock, device, graph, shape, boundaries, support, children, twins, ends] = plan;
  if (device && !tellsContexts(shape)) // a clone keeps them
    return std::optional<Rebuilding>();
  TimingEdges edges = device && !clock.blocksFollowers()
                          ? chooseEdges(shape, boundaries, support, *device, ends)
                          : TimingEdges::completion(boundaries.size(), {});
  for (;;) {
    if (device && !clock.blocksFollowers() && isExec)
      putBehindRoot(shape, *device, edges, children);
    Making making(clock, graph, regions);
    if (!device || !making.empty())
      return Failure{
          "the driver refused to clone it: a graph with memory or conditional nodes is "
          "timed only where it, or a conditional node's body, was captured with regions"};
    if (rebuild(making, *device, shape, boundaries, edges, children, twins))
      return std::optional(Rebuilding{std::move(making), std::move(edges)});
    if (edges.allComplete() && !edges.isJoined)
      return std::optional<Rebuilding>();
    edges = chooseEdges(shape, boundaries, {}, *device); // the driver may refuse other edges
  }
}

void setEdges(RegionTable &table, const TimingEdges &edges, const Blueprint &plan) {
  table.setEdges(edgesOfAll(edges, plan.children), edges.boundaries.size(), plan.support.lags);
  table.kernels = edges.kernels(plan.shape);
  table.waiting = edges.waiting(plan.shape);
  table.stampThreads = edges.threads();
  table.gapCauses = edges.gapCauses;
  table.isJoined = edges.isJoined;
  table.isOneBranch = edges.isOneBranch;
}

GraphCounts countsOf(const Shape &shape) {
  return {static_cast<std::uint32_t>(shape.created().size()),
          static_cast<std::uint32_t>(shape.edgeCount())};
}

// Why the graph is recorded whole where parts were asked for; empty: in parts. A budget may choose
// none by itself.
std::string_view whyNoParts(const Blueprint &plan) {
  if (!plan.children.empty())
    return "timed child graphs are in no part";
  if (plan.support.launchCompletion && hasEventNodes(plan.shape))
    return "beside event nodes, a few stamps cost as much as many";
  return {};
}

// The table knows the kernels that have twins, and the graph what its variant is made from. Without
// a copy of the program's graph there is no variant.
bool addTwins(Making &making, RegionTable &table, const Blueprint &plan,
              const Boundaries &boundaries, const TimedNodes &twinned, KernelTwins twins) {
  driver::Graph copy = nullptr;
  if (!ok(cu().graphClone(&copy, plan.graph)))
    return false;
  for (const KernelTwin &twin : twins.all)
    if (auto region = twinned.at(twin.place, boundaries))
      table.twinned.push_back({std::move(*region), twin.inside});
  auto source = std::make_shared<const PartsSource>(copy, plan.device, plan.boundaries, Moment());
  making.timed.twinsFrom =
      std::make_shared<const TwinsSource>(TwinsSource{std::move(source), std::move(twins)});
  return true;
}

// What the driver calls the program's graph and the nodes that are timed in it.
void addIds(RegionTable &table, driver::Graph graph) {
  table.cudaGraph = driver::graphId(graph);
  if (!driver::cu().graphNodeGetLocalId ||
      std::ranges::none_of(table.regions, [](const Region &region) { return region.node; }))
    return;
  std::vector<std::uint32_t> ids;
  ids.reserve(table.regions.size());
  for (const Region &region : table.regions)
    ids.push_back((region.node ? driver::localId(region.node) : std::nullopt)
                      .value_or(std::uint32_t{GraphNodes::none}));
  table.cudaNodes = std::make_shared<const std::vector<std::uint32_t>>(std::move(ids));
}

// Only if parts were asked for as such: it takes memory and time for every graph, also where a
// budget then chooses no parts.
bool timesNodesForEnds(const BudgetTerms &terms, const TimedNodes *nodes) {
  return !nodes && terms.parts > 1;
}

// Of `request`, but for its regions.
PartsSource::WithNodes withNodes(Services &services, const GraphClock &clock, const Shape &shape,
                                 const TimingRequest &request, std::vector<Region> regions) {
  const std::size_t most = services.config().maxRegions;
  const TimedNodes nodes(shape, most - std::min(most, regions.size()), services);
  TimingRequest all{std::move(regions), request.extents, request.owners, {}, request.serves};
  if (all.owners.empty())
    all.owners = ownersIn(shape, all.extents);
  Boundaries boundaries = boundariesOf(shape, all.extents, &nodes);
  if (!clock.reportsEnd())
    boundaries.want(shape.sinks());
  JaggedArray<std::size_t> ordered = boundaries.number();
  return {regionsAt(boundaries, all, &nodes), std::move(ordered),
          clock.reportsEnd() ? Moment() : boundaries.of(shape.sinks())};
}

// `plainRegions`: the regions without nodes, if replays of parts time nodes, too. Null if the
// driver refuses a copy.
std::shared_ptr<PartsSource> partsSource(Services &services, const Blueprint &plan,
                                         const Boundaries &boundaries, const TimingRequest &request,
                                         std::vector<Region> plainRegions) {
  driver::Graph copy = nullptr;
  if (!ok(cu().graphClone(&copy, plan.graph)))
    return nullptr;
  auto parts = std::make_shared<PartsSource>(
      copy, plan.device, plan.boundaries,
      plan.clock.reportsEnd() ? Moment() : boundaries.of(plan.shape.sinks()));
  if (!plainRegions.empty())
    parts->withNodes =
        withNodes(services, plan.clock, plan.shape, request, std::move(plainRegions));
  return parts;
}

std::shared_ptr<const TimedGraph> completed(Making &making, std::shared_ptr<RegionTable> table,
                                            const Shape &shape, const GraphInUse &use) {
  table->counts = countsOf(shape);
  addIds(*table, use.graph);
  return making.finished(std::move(table), use.graph);
}

// Adds the timing nodes to a clone, as leaves. Returns false if the driver refuses one.
bool addLeavesTo(Making &making, const Blueprint &plan) {
  const driver::Graph graph = making.rebuilt ? making.rebuilt->graph : nullptr;
  const auto twins = graph ? findTwins(plan.shape.created(), graph) : std::nullopt;
  if (!twins)
    return false;
  TimedGraph &timed = making.timed;
  making.rebuilt->twins = Twins(plan.shape.created(), *twins);
  timed.timing = addLeaves(plan.clock, *plan.device, plan.shape, plan.boundaries, graph,
                           [&](driver::Node node) { return making.rebuilt->twins.of(node); });
  if (timed.timing.empty())
    return false;
  timed.root = timed.timing.front();
  const auto sinks = sinksOf(graph);
  return sinks && plan.clock.finish(*plan.device, graph, timed.timing, *sinks, timed.final);
}

// For a graph with a node that cannot be rebuilt: a clone with leaves. Its child nodes stay as they
// are.
Expected<std::shared_ptr<const TimedGraph>>
timeClone(Services &services, const Blueprint &plan, const GraphInUse &use,
          const TimingRequest &request, std::vector<Region> regions, std::uint64_t structure,
          std::uint64_t graphNumber) {
  Making making(plan.clock, use.graph, std::move(regions));
  if (!addLeavesTo(making, plan))
    return Failure{"the driver refused a timing node"};
  auto picture = making.drawn(plan.shape, request.owners, {}, plan.support.lags.gapNs, services);
  auto table = making.table(std::move(picture), structure, graphNumber);
  table->serves = request.serves;
  return completed(making, std::move(table), plan.shape, use);
}

} // namespace

Expected<std::shared_ptr<const TimedGraph>>
timeRebuilt(Services &services, GraphClock &clock, const GraphInUse &use, const Shape &shape,
            TimingRequest &request, const TimedNodes *nodes, std::uint64_t graphNumber) {
  const driver::RelaxedCapture relaxed;
  Device *const device = clock.currentDevice();
  const bool anyEdge = relaxed && device && use.purpose == Purpose::Exec;
  const EdgeSupport support = anyEdge ? clock.edges(*device) : EdgeSupport();
  if (use.purpose == Purpose::Exec && (!isTrueIn(shape, support) || !holdsKernels(shape)))
    if (GraphClock *const other = clock.withoutKernels())
      return timeRebuilt(services, *other, use, shape, request, nodes, graphNumber);
  if (!isTrueIn(shape, support))
    return Failure{"it has event nodes and several branches, beside which no stamp is true; "
                   "GRAPHPROF_CLOCK=auto times it with events"};
  KernelTwins twins = chooseTwins(use, shape, request, clock, relaxed ? device : nullptr, services);
  const TimedNodes twinned(shape, twins.places(), services);
  Boundaries boundaries = boundariesOf(shape, request.extents, nodes);
  twinned.want(boundaries);
  if (!clock.reportsEnd())
    boundaries.want(shape.sinks());
  const JaggedArray<std::size_t> &ordered = boundaries.number();
  const std::uint64_t structure = boundaries.structure();
  const BudgetTerms terms = services.recordingBudget.terms();
  std::vector<Region> plainRegions;
  if (timesNodesForEnds(terms, nodes) && support.launchCompletion)
    plainRegions = request.regions;
  std::vector<Region> regions = regionsAt(boundaries, request, nodes);

  const std::vector<ChildUse> children = takenAmong(
      timedAmong(use.uses, shape, regions.size(), clock, services), support, shape,
      device && !clock.blocksFollowers() && use.purpose == Purpose::Exec ? device : nullptr,
      services);
  if ((support.launchCompletion || support.programmatic) && hasProgrammaticEdges(shape) &&
      hasEventNodes(shape))
    return Failure{"it has programmatic edges and event nodes, beside which no stamp is true "
                   "(GRAPHPROF_EDGES=completion times it all the same)"};
  const KernelTwins none;
  const Blueprint plan{clock,    device, relaxed ? use.graph : nullptr, shape, ordered, support,
                       children, none};
  auto tried = rebuildOnEdges(plan, regions, use.purpose == Purpose::Exec);
  if (!tried)
    return tried.failure();
  if (std::optional<Rebuilding> &rebuilding = *tried) {
    Making &making = rebuilding->making;
    auto picture = making.drawn(shape, request.owners, children, support.lags.gapNs, services);
    auto table =
        making.table(std::move(picture), structure ^ rebuilding->edges.structure(), graphNumber);
    table->serves = request.serves;
    setEdges(*table, rebuilding->edges, plan);
    if (use.purpose == Purpose::Exec && terms.splits()) {
      const std::string_view why = whyNoParts(plan);
      if (why.empty())
        making.timed.parts =
            partsSource(services, plan, boundaries, request, std::move(plainRegions));
      else if (terms.parts > 1)
        services.say("a graph is recorded whole, not in parts: ", why);
    }
    if (!twins.empty() && !addTwins(making, *table, plan, boundaries, twinned, std::move(twins)))
      loseKernelTwins(shape, "the driver refused a copy of its graph", services);
    return completed(making, std::move(table), shape, use);
  }

  loseChildren(children, services);
  if (!twins.empty())
    loseKernelTwins(shape, "its graph cannot be rebuilt", services);
  return timeClone(services, plan, use, request, std::move(regions), ~structure, graphNumber);
}

// What the program gives its nodes, the whole graph's execs follow; parts are made anew.
std::shared_ptr<const TimedGraph> timePart(const TimedGraph &whole, std::uint32_t part,
                                           std::uint32_t parts, OwnEnds ends) {
  const RegionTable &table = *whole.table;
  const PartsSource &source = *whole.parts;
  const driver::RelaxedCapture relaxed;
  Device *const device = table.clock->currentDevice();
  if (!relaxed || !device)
    return nullptr;
  const PartsSource::WithNodes *const withNodes =
      ends != OwnEnds::None && source.withNodes ? &*source.withNodes : nullptr;
  PartOfTable chosen = withNodes   ? partOf(withNodes->regions, part, parts, withNodes->ends)
                       : parts > 0 ? partOf(table.regions, part, parts, source.ends)
                                   : barePart(table.regions, source.ends);
  JaggedArray<std::size_t> boundaries;
  for (const std::uint32_t boundary : chosen.boundaries)
    boundaries.add((withNodes ? withNodes->boundaries : source.boundaries)[boundary]);
  const Shape shape(source.copy.graph);
  const EdgeSupport support = table.clock->edges(*device);
  const KernelTwins none;
  const Blueprint plan{*table.clock, device, source.copy.graph, shape, boundaries, support, {},
                       none,         ends};
  auto tried = rebuildOnEdges(plan, chosen.regions, true);
  if (!tried)
    return nullptr;
  std::optional<Rebuilding> &rebuilding = *tried;
  if (!rebuilding)
    return nullptr;
  auto own = rebuilding->making.table(table.drawn, 0, table.graphNumber);
  setEdges(*own, rebuilding->edges, plan);
  own->counts = table.counts;
  own->cudaGraph = table.cudaGraph;
  own->serves = table.serves;
  own->cudaNodes = table.cudaNodes;
  own->partOf = table.layout;
  own->places = placesInWhole(own->regions);
  return rebuilding->making.finished(std::move(own), source.copy.graph);
}

std::shared_ptr<const TimedGraph> timeTwins(const TimedGraph &whole) {
  const RegionTable &table = *whole.table;
  const PartsSource &source = *whole.twinsFrom->graph;
  const driver::RelaxedCapture relaxed;
  Device *const device = table.clock->currentDevice();
  if (!relaxed || !device)
    return nullptr;
  const Shape shape(source.copy.graph);
  const EdgeSupport support = table.clock->edges(*device);
  const Blueprint plan{*table.clock, device, source.copy.graph,     shape, source.boundaries,
                       support,      {},     whole.twinsFrom->twins};
  auto tried = rebuildOnEdges(plan, table.regions, true);
  if (!tried)
    return nullptr;
  std::optional<Rebuilding> &rebuilding = *tried;
  if (!rebuilding)
    return nullptr;
  Making &making = rebuilding->making;
  auto own = making.table(table.drawn, 0, table.graphNumber);
  setEdges(*own, rebuilding->edges, plan);
  own->twinned = table.twinned;
  own->counts = table.counts;
  own->cudaGraph = table.cudaGraph;
  own->serves = table.serves;
  own->cudaNodes = table.cudaNodes;
  return making.finished(std::move(own), source.copy.graph);
}

} // namespace graphprof
