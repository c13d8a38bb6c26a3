// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Profile.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/timing/Boundaries.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/Edges.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/Rebuild.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// A clone of the program's graph, which retains the same user objects. Destroyed at the end, even
// if memory runs out, unless it was taken.
class Clone {
public:
  /// Null makes none.
  explicit Clone(driver::Graph graph) {
    if (!graph || !ok(cu().graphClone(&clone_, graph)))
      clone_ = nullptr;
  }
  ~Clone() {
    if (clone_)
      cu().graphDestroy(clone_);
  }
  Clone(const Clone &) = delete;
  Clone &operator=(const Clone &) = delete;

  [[nodiscard]] driver::Graph get() const { return clone_; }
  [[nodiscard]] driver::Graph taken() { return std::exchange(clone_, nullptr); }
  /// Removes its nodes. Returns false if the driver refuses, or there is no clone.
  [[nodiscard]] bool emptied() const {
    const auto nodes = clone_ ? nodesOf(clone_) : std::nullopt;
    // From the back, so that nothing moves.
    return nodes && std::all_of(nodes->rbegin(), nodes->rend(),
                                [](driver::Node node) { return ok(cu().graphDestroyNode(node)); });
  }

private:
  driver::Graph clone_ = nullptr;
};

// Rebuilds the graph in profile.graph.
bool rebuild(GraphClock &clock, Device &device, const Shape &shape,
             const JaggedArray<std::size_t> &boundaries, const TimingEdges &edges,
             std::span<const ChildUse> children, Profile &profile) {
  Rebuild::Children held;
  for (const ChildUse &use : children)
    held.emplace(use.node, use.profiled->graph);
  Rebuild rebuilt(clock, device, shape, boundaries, edges, held, profile.graph);
  if (!rebuilt.run())
    return false;
  profile.root = rebuilt.root();
  profile.timing = rebuilt.timing();
  profile.twins = Twins(shape.created(), rebuilt.twins());
  return clock.finish(device, profile.graph, rebuilt.timing(), rebuilt.sinks(), profile.final) &&
         embedChildren(profile, children);
}

// The stamps in a child graph must come behind the root, which opens the replay's entry. So the
// child waits for it, whatever it begins with: the only node that does (docs/limits.md).
void putBehindRoot(const Shape &shape, const Device &device, TimingEdges &edges,
                   std::span<const ChildUse> children) {
  if (children.empty() || edges.boundaries[0].edge != StampEdge::Completion)
    return; // a root on a kernel's launch is over long before what is behind that kernel begins
  std::vector<bool> isBehind(shape.created().size(), false);
  for (std::size_t place = 0; place < isBehind.size(); ++place) {
    isBehind[place] = std::ranges::binary_search(edges.behindRoot, place) ||
                      edges.joins[0].by == place ||
                      std::ranges::any_of(shape.placesBefore(place),
                                          [&](std::size_t from) { return isBehind[from]; });
    const auto child = std::ranges::find(children, shape.created()[place], &ChildUse::node);
    if (child == children.end() || isBehind[place])
      continue;
    driver::Graph inner = nullptr;
    const unsigned threads = ok(cu().graphChildGraphNodeGetGraph(child->node, &inner))
                                 ? threadsOfRootBefore(inner, device)
                                 : 0;
    isBehind[place] = true;
    const bool isFirst = edges.behindRoot.empty() && edges.joins[0].by == Join::nobody;
    edges.joins[0].threads =
        std::max(1U, isFirst ? threads : std::min(edges.joins[0].threads, threads));
    edges.behindRoot.insert(std::ranges::upper_bound(edges.behindRoot, place), place);
  }
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

// For a graph with a node that cannot be rebuilt: a clone with leaves. Its child nodes stay as they
// are.
bool annotateClone(GraphClock &clock, Device &device, const Shape &shape,
                   const JaggedArray<std::size_t> &boundaries, Profile &profile) {
  const auto twins = findTwins(shape.created(), profile.graph);
  if (!twins)
    return false;
  profile.twins = Twins(shape.created(), *twins);
  profile.timing = addLeaves(clock, device, shape, boundaries, profile.graph,
                             [&](driver::Node node) { return profile.twins.of(node); });
  if (profile.timing.empty())
    return false;
  profile.root = profile.timing.front();
  const auto sinks = sinksOf(profile.graph);
  return sinks && clock.finish(device, profile.graph, profile.timing, *sinks, profile.final);
}

// The picture of the graph, with the embedded children.
std::shared_ptr<const GraphNodes> drawn(const Profile &profile, const Shape &shape,
                                        const Owners &owners, std::span<const ChildUse> children,
                                        Services &services) {
  return draw(shape, {}, owners, profile.regions,
              innerGraphs(children, profile.timing.size(), profile.regions), services);
}

} // namespace

Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes) {
  Boundaries boundaries(shape);
  for (const Extent &extent : extents.regions) {
    if (extent.isEmpty)
      continue;
    for (const std::uint32_t begin : extent.begins)
      boundaries.want(extents.frontiers[begin]);
    if (extent.ends())
      boundaries.want(extents.frontiers[extent.end]);
  }
  if (nodes)
    nodes->want(boundaries);
  return boundaries;
}

std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes) {
  const std::vector<Nodes> &frontiers = request.extents.frontiers;
  for (std::size_t i = 0; i < request.regions.size(); ++i) {
    const Extent &extent = request.extents.regions[i];
    Region &region = request.regions[i];
    region.isEmpty = extent.isEmpty;
    if (extent.isEmpty) {
      region.beginAt({{0}});
      region.endAt({});
      continue;
    }
    std::vector<Moment> begins;
    begins.reserve(extent.begins.size());
    for (const std::uint32_t begin : extent.begins)
      begins.push_back(boundaries.of(frontiers[begin]));
    const Moment end = extent.ends() ? boundaries.of(frontiers[extent.end]) : Moment();
    region.isEmpty = begins.size() == 1 && begins.front() == end; // its nodes were destroyed since
    region.beginAt(std::move(begins));
    region.endAt(region.isEmpty ? Moment() : end);
  }
  return nodes ? nodes->among(std::move(request.regions), request.owners, boundaries)
               : std::move(request.regions);
}

std::optional<Profile> makeProfile(Services &services, GraphClock &clock, const GraphInUse &use,
                                   const Shape &shape, TimingRequest &request,
                                   const TimedNodes *nodes, std::string &why) {
  const driver::RelaxedCapture relaxed;
  Device *const device = Device::current();
  const bool anyEdge = relaxed && device && use.purpose == Purpose::Exec;
  const EdgeSupport support = anyEdge ? clock.edges(*device) : EdgeSupport();
  if (use.purpose == Purpose::Exec && (!isTrueIn(shape, support) || !holdsKernels(shape)))
    if (GraphClock *const other = clock.withoutKernels())
      return makeProfile(services, *other, use, shape, request, nodes, why);
  if (!isTrueIn(shape, support)) {
    why = "it has event nodes and several branches, beside which no stamp is true; "
          "GRAPHPROF_CLOCK=auto times it with events";
    return std::nullopt;
  }
  Boundaries boundaries = boundariesOf(shape, request.extents, nodes);
  if (!clock.tellsTheEnd())
    boundaries.want(shape.sinks());
  const JaggedArray<std::size_t> &ordered = boundaries.number();
  Profile profile;
  profile.clock = &clock;
  profile.structure = boundaries.structure();
  const bool draws = services.wantsDrawings();
  profile.regions = regionsAt(boundaries, request, nodes);

  std::vector<ChildUse> children;
  for (const ChildUse &child :
       timedAmong(use.uses, shape, profile.regions.size(), clock, services)) {
    // What is timed in a child waits for completion. Beside event nodes such a stamp would read the
    // wrong time.
    if (child.edited || (support.launchCompletion && holdsEventNodes(child.node)))
      loseChildren({&child, 1}, services);
    else
      children.push_back(child);
  }
  if ((support.launchCompletion || support.programmatic) && hasProgrammaticEdges(shape) &&
      hasEventNodes(shape)) {
    why = "it has programmatic edges and event nodes, beside which no stamp is true "
          "(GRAPHPROF_EDGES=completion times it all the same)";
    return std::nullopt;
  }
  TimingEdges edges = device && !clock.holdsUp() ? chooseEdges(shape, ordered, support, *device)
                                                 : TimingEdges::completion(ordered.size(), {});
  for (;;) {
    if (device && !clock.holdsUp() && use.purpose == Purpose::Exec)
      putBehindRoot(shape, *device, edges, children);
    Clone made(relaxed ? use.graph : nullptr);
    if (!device || !made.emptied()) {
      why = "the driver refused to clone it: a graph with memory or conditional nodes is timed "
            "only where it, or a conditional node's body, was captured with regions";
      return std::nullopt;
    }
    Profile rebuilt = profile;
    rebuilt.graph = made.get();
    if (rebuild(clock, *device, shape, ordered, edges, children, rebuilt)) {
      if (draws)
        rebuilt.drawn = drawn(rebuilt, shape, request.owners, children, services);
      rebuilt.edges = edgesOfAll(edges, children);
      rebuilt.lags = support.lags;
      rebuilt.kernels = edges.kernels(shape);
      rebuilt.waiting = edges.waiting(shape);
      rebuilt.stampThreads = edges.threads();
      rebuilt.structure ^= edges.structure();
      rebuilt.graph = made.taken();
      return rebuilt;
    }
    if (edges.allComplete() && !edges.isJoined)
      break;
    edges = chooseEdges(shape, ordered, {}, *device); // the driver may refuse other edges
  }

  Profile annotated;
  annotated.clock = &clock;
  annotated.structure = ~profile.structure;
  annotated.regions = std::move(profile.regions);
  loseChildren(children, services);
  Clone whole(use.graph);
  annotated.graph = whole.get();
  if (whole.get() && annotateClone(clock, *device, shape, ordered, annotated)) {
    if (draws)
      annotated.drawn = drawn(annotated, shape, request.owners, {}, services);
    annotated.graph = whole.taken();
    return annotated;
  }
  why = "the driver refused a timing node";
  return std::nullopt;
}

} // namespace graphprof
