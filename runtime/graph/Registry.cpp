// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cuda/Driver.h"
#include "graph/Children.h"
#include "graph/Links.h"
#include "graph/Marker.h"
#include "graph/Nodes.h"
#include "graph/Shape.h"
#include "graph/TimedNodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the graph holds what no graph can be copied with.
bool isUnique(driver::Graph graph) {
  for (const driver::Node node : nodesOf(graph).value_or(std::vector<driver::Node>())) {
    driver::NodeType type{};
    if (!ok(cu().graphNodeGetType(node, &type)))
      continue;
    driver::Graph child = nullptr;
    if (type == driver::NodeType::MemAlloc || type == driver::NodeType::MemFree ||
        type == driver::NodeType::Conditional ||
        (type == driver::NodeType::Graph && ok(cu().graphChildGraphNodeGetGraph(node, &child)) &&
         isUnique(child)))
      return true;
  }
  return false;
}

// In node mode, what a graph that is timed in place keeps to itself.
void countUntimedNodes(driver::Graph graph, const std::vector<driver::Node> &timing) {
  Session &session = Session::instance();
  if (!session.config().nodes)
    return;
  session.counters.notMarked += workNodesIn(graph, timing);
  session.say("the nodes of a graph with memory or conditional nodes are not timed, its regions "
              "are: it cannot be copied, and nothing may be added to the program's own");
}

// Whether the program has not taken one out since.
bool areIn(driver::Graph graph, const std::vector<std::vector<driver::Node>> &frontiers) {
  const auto nodes = nodesOf(graph);
  if (!nodes)
    return false;
  const std::unordered_set<driver::Node> there(nodes->begin(), nodes->end());
  return std::all_of(frontiers.begin(), frontiers.end(), [&](const auto &frontier) {
    return std::all_of(frontier.begin(), frontier.end(),
                       [&](driver::Node node) { return there.contains(node); });
  });
}

// With the graph around them: nothing writes to either any more.
void retireBodies(const RegionTable &table) {
  for (const BodyTable &body : table.bodies) {
    body.ring->retire();
    retireBodies(*body.table);
  }
}

} // namespace

std::uint64_t Registry::nextGraphNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

std::uint64_t RegionTable::nextLayout() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

const Region *RegionTable::regionOf(driver::Node node) const {
  if (!Session::instance().config().nodes) // then there is none to be found
    return nullptr;
  const auto found = std::find_if(regions.begin(), regions.end(),
                                  [node](const Region &region) { return region.node == node; });
  return node && found != regions.end() ? &*found : nullptr;
}

std::shared_ptr<RegionTable> RegionTable::changed(const Region &region, const char *kernel) const {
  const bool isKernel = region.kind == Kind::Kernel;
  std::string name = !isKernel ? region.name
                     : kernel  ? shownName(kernelName(kernel))
                               : std::string("kernel");
  if (name == region.name && (isKernel || region.context.empty()))
    return nullptr;
  auto table = std::make_shared<RegionTable>(*this);
  table->layout = nextLayout();
  Region &changed = table->regions[static_cast<std::size_t>(&region - regions.data())];
  changed.site = &siteOf(region.kind, name);
  changed.name = std::move(name);
  changed.context.clear();
  return table;
}

Frontier::Status Frontier::read(driver::Stream stream, Frontier &frontier) {
  driver::CaptureStatus status{};
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  if (!ok(cu().streamGetCaptureInfo(stream, &status, &frontier.captureId, &frontier.graph, &nodes,
                                    &edges, &count)))
    return Status::Refused;
  if (status == driver::CaptureStatus::None)
    return Status::Eager;
  if (status != driver::CaptureStatus::Active)
    return Status::Refused;
  frontier.nodes.assign(nodes, nodes + count);
  if (edges)
    frontier.edges.assign(edges, edges + count);
  else
    frontier.edges.assign(count, driver::EdgeData{});
  return Status::Capturing;
}

Registry::Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier)
    : clock_(clock), captureId_(frontier.captureId), origin_(origin) {
  makeRoom();
  const driver::Node root = clock_.captureRoot(origin, frontier);
  if (!root) {
    state_ = State::Inert;
    return;
  }
  timing_.push_back(root);
  frontiers_.emplace_back();
}

Registry::Registry(GraphClock &clock, std::uint64_t captureId)
    : clock_(clock), captureId_(captureId), state_(State::Inert) {}

Registry::Registry(GraphClock &clock, Profile profile) : clock_(clock), captureId_(0) {
  if (!take(std::move(profile)))
    state_ = State::Inert;
}

Registry::Registry(GraphClock &clock, Profile profile, InPlace)
    : clock_(clock), captureId_(0), timing_(std::move(profile.timing)),
      regions_(std::move(profile.regions)) {}

Registry::~Registry() {
  if (profiled_) {
    const driver::RelaxedCapture relaxed;
    if (relaxed)
      cu().graphDestroy(profiled_);
  }
}

Registry::State Registry::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::size_t Registry::regionCount() const {
  const std::lock_guard lock(mutex_);
  return regions_.size();
}

bool Registry::resume(driver::Stream origin, std::uint64_t captureId) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return false;
  origin_ = origin;
  captureId_ = captureId;
  return true;
}

bool Registry::claim() {
  if (claimed_.exchange(true))
    spoil();
  return !spoiled();
}

void Registry::spoil() { *spoiled_ = true; }

std::size_t Registry::unused() const {
  const std::lock_guard lock(mutex_);
  if (used_)
    return 0;
  if (state_ == State::Capturing)
    return regions_.size();
  if (state_ != State::Split)
    return 0;
  return static_cast<std::size_t>(
      std::count_if(table_->regions.begin(), table_->regions.end(),
                    [](const Region &region) { return region.kind == Kind::Region; }));
}

std::size_t Registry::open(const Site &site, std::vector<Value> context, int depth,
                           driver::Stream stream, const Frontier &frontier) {
  Session &session = Session::instance();
  const std::lock_guard lock(mutex_);
  if (regions_.size() >= session.config().maxRegions) {
    ++session.counters.notMarked;
    return noRegion;
  }
  const std::uint32_t begin =
      state_ == State::Capturing ? boundary(stream, frontier) : Region::unfinished;
  if (begin == Region::unfinished) {
    ++session.counters.incomplete;
    return noRegion;
  }
  std::string name = session.nameOf(site, context);
  regions_.push_back(Region{&site,
                            std::move(context),
                            std::move(name),
                            depth,
                            begin,
                            Region::unfinished,
                            Kind::Region,
                            nullptr,
                            {}});
  return regions_.size() - 1;
}

void Registry::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Capturing)
    regions_[region].end = boundary(stream, frontier);
}

void Registry::discard(std::size_t region) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Capturing && region + 1 == regions_.size())
    regions_.pop_back();
}

std::uint32_t Registry::boundary(driver::Stream stream, const Frontier &frontier) {
  // Nothing precedes this boundary: it is where the replay begins.
  if (frontier.nodes.empty())
    return 0;
  std::uint32_t &last = last_[stream]; // of one that has none yet, the root
  if (last > 0 && frontiers_[last] == frontier.nodes)
    return last;

  // What may fail for want of memory comes before the node: that must not be lost track of.
  std::vector<driver::Node> behind = frontier.nodes;
  makeRoom();
  const driver::Node node = clock_.captureBoundary(stream, frontier, timing_[last]);
  if (!node)
    return Region::unfinished;
  last = static_cast<std::uint32_t>(timing_.size());
  timing_.push_back(node);
  frontiers_.push_back(std::move(behind));
  return last;
}

void Registry::makeRoom() {
  constexpr std::size_t fewest = 16;
  if (timing_.size() < timing_.capacity() && frontiers_.size() < frontiers_.capacity())
    return;
  const std::size_t room = std::max(fewest, 2 * timing_.size());
  timing_.reserve(room);
  frontiers_.reserve(room);
}

bool Registry::split(driver::Graph graph, std::span<const ChildUse> uses, std::string &why) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;

  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  const bool timed = !regions_.empty() || !uses.empty();
  Profile profile;
  if (timed) {
    if (!ok(cu().graphClone(&profile.graph, graph))) {
      profile.graph = nullptr;
      if (isUnique(graph)) {
        loseChildren(uses);
        countUntimedNodes(graph, timing_);
        return stayIn(graph, Role::Graph, {}, why);
      }
      why = "the driver refused to clone it";
    } else if (const auto nodes = nodesOf(graph);
               !nodes || !findTwins(*nodes, profile.graph, profile.twins)) {
      why = "a node was not found in the graph's clone";
    }
  }

  // A refusal is not taken for the last word: what stays would make the graph another one than the
  // program's.
  const auto remove = [](driver::Node node) { return ok(cu().graphDestroyNode(node)); };
  profile.timing.resize(timing_.size());
  for (std::size_t k = timing_.size(); k-- > 0;) {
    if (!remove(timing_[k]) && !remove(timing_[k]) && why.empty())
      why = "a timing node could not be taken out of the graph";
    if (const auto found = profile.twins.find(timing_[k]); found != profile.twins.end()) {
      profile.timing[k] = found->second;
      profile.twins.erase(found);
    }
  }
  if (!timed)
    return true;
  const std::vector<Nodes> captured = frontiers_; // of the program's nodes
  for (std::vector<driver::Node> &frontier : frontiers_)
    for (driver::Node &node : frontier)
      if (const auto found = profile.twins.find(node); found != profile.twins.end())
        node = found->second;
      else if (why.empty())
        why = "a node that a region comes behind is gone";
  if (why.empty() && !linkTiming(profile.graph, profile.timing, frontiers_, clock_.holdsUp()))
    why = "the driver refused to link a timing node";
  profile.regions = std::move(regions_);
  if (why.empty() && Session::instance().config().nodes &&
      !timeNodes(profile, Shape(graph), captured))
    why = "the driver refused a timing node";
  const std::vector<driver::Node> own = profile.timing;
  if (why.empty() && !embedChildren(profile, uses, clock_))
    why = "the driver refused a child graph with timing nodes";
  const auto sinks = why.empty() ? sinksOf(profile.graph) : std::nullopt;
  if (why.empty() && !(sinks && clock_.finish(profile.graph, own, *sinks, profile.final)))
    why = "the driver refused the node that publishes a replay";
  const driver::Graph made = profile.graph;
  if (why.empty() && !take(std::move(profile)))
    why = "the driver does not say how the graph is built";
  if (why.empty())
    return true;
  if (made)
    cu().graphDestroy(made);
  profiled_ = nullptr;
  return false;
}

bool Registry::timeNodes(Profile &profile, const Shape &shape, std::span<const Nodes> captured) {
  if (!shape.known())
    return false;
  Marker marker(clock_, shape, profile);
  for (std::size_t k = 0; k < captured.size(); ++k)
    marker.has(frontier(captured[k]), static_cast<std::uint32_t>(k));
  std::vector<Extent> extents;
  for (const Region &region : profile.regions) {
    const bool ends = region.end != Region::unfinished;
    extents.push_back(
        {captured[region.begin], ends ? captured[region.end] : Nodes(), region.depth, ends});
  }

  const TimedNodes nodes = TimedNodes::beside(extents.size(), shape);
  nodes.want(marker);
  if (!marker.addLeaves())
    return false;
  profile.regions = nodes.among(std::move(profile.regions), ownersIn(shape, extents), marker);
  return true;
}

bool Registry::take(Profile profile) {
  profiled_ = profile.graph;
  timing_ = std::move(profile.timing);
  final_ = profile.final;
  twins_ = std::move(profile.twins);
  innerTwins_ = std::move(profile.innerTwins);
  children_ = std::move(profile.children);
  regions_ = std::move(profile.regions);
  return settled(profiled_);
}

bool Registry::stay(driver::Graph graph, Role role, int depth, std::span<const Body> bodies,
                    std::string &why) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;
  if (regions_.empty() && bodies.empty()) {
    for (const driver::Node node : timing_)
      cu().graphDestroyNode(node);
    return true;
  }
  countUntimedNodes(graph, timing_);
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  for (Region &region : regions_)
    region.depth += depth;
  return stayIn(graph, role, bodies, why);
}

bool Registry::stayIn(driver::Graph graph, Role role, std::span<const Body> bodies,
                      std::string &why) {
  const driver::RelaxedCapture relaxed;
  std::shared_ptr<ReplayBuffer> buffer =
      relaxed ? clock_.makeBuffer({timing_.size(), bodies.size(), role == Role::Body}) : nullptr;
  // What was built is linked already.
  const bool linked =
      frontiers_.empty() ||
      (areIn(graph, frontiers_) && linkTiming(graph, timing_, frontiers_, clock_.holdsUp()));
  std::vector<driver::Node> counts;
  for (const Body &body : bodies) {
    const driver::Node behind[] = {body.node, timing_.front()};
    counts.push_back(buffer && linked ? clock_.addCount(graph, behind) : nullptr);
  }
  const bool counted = std::find(counts.begin(), counts.end(), nullptr) == counts.end();
  const auto sinks = linked && counted ? sinksOf(graph) : std::nullopt;
  if (!buffer || !sinks || !clock_.finish(graph, timing_, *sinks, final_)) {
    why = "its nodes cannot be copied (memory or conditional nodes), and it takes none of ours";
    if (buffer)
      buffer->retire();
    return false;
  }
  // Some nodes may write to the buffer even where the driver refuses others: then nobody else may.
  bool bound = buffer->bind(timing_, final_);
  for (std::size_t i = 0; i < counts.size(); ++i)
    bound = bound && buffer->bindCount(counts[i], i, *bodies[i].table.ring);
  if (!bound) {
    why = "its nodes cannot be copied (memory or conditional nodes), nor ours changed";
    return false;
  }
  std::vector<BodyTable> tables;
  for (const Body &body : bodies)
    tables.push_back(body.table);
  if (!settled(graph, role, std::move(tables))) {
    why = "the driver does not say how the graph is built";
    return false;
  }
  if (role == Role::Body)
    ring_ = std::move(buffer);
  else
    inPlace_ = std::shared_ptr<ReplayBuffer>(
        buffer.get(), [buffer, table = table_, spoiled = spoiled_](ReplayBuffer *last) {
          if (*spoiled)
            return;
          last->retire();
          retireBodies(*table);
        });
  return true;
}

bool Registry::settled(driver::Graph graph, Role role, std::vector<BodyTable> bodies) {
  const auto structure = structureOf(graph, timing_);
  if (!structure)
    return false;
  auto table = std::make_shared<RegionTable>();
  table->graphNumber = role == Role::Graph ? nextGraphNumber() : 0;
  table->regions = std::move(regions_);
  table->bodies = std::move(bodies);
  table->boundaries = static_cast<std::uint32_t>(timing_.size());
  table->clock = &clock_;
  table->layout = RegionTable::nextLayout();
  table->structure = *structure;
  for (const TimingNodes &child : children_)
    table->structure = table->structure * 31 + child.structure;
  table_ = std::move(table);
  frontiers_.clear();
  state_ = State::Split;
  return true;
}

driver::Node Registry::twin(driver::Node node) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = twins_.find(node); found != twins_.end())
    return found->second;
  const auto inner = innerTwins_.find(node);
  return inner == innerTwins_.end() ? nullptr : inner->second;
}

Registry::Pairs Registry::twinsOf(driver::Graph copy) const {
  const std::lock_guard lock(mutex_);
  Pairs pairs;
  for (const auto &[node, twin] : twins_)
    if (driver::Node inCopy = nullptr; ok(cu().graphNodeFindInClone(&inCopy, node, copy)))
      pairs.emplace_back(inCopy, twin);
  return pairs;
}

std::optional<BoundaryRange> Registry::boundariesIn(driver::Node holder) const {
  const TimingNodes timing = timingNodes();
  auto first = static_cast<std::uint32_t>(timing.own.size());
  for (const TimingNodes &child : timing.children) {
    std::vector<driver::Node> nodes;
    child.appendTo(nodes);
    const auto count = static_cast<std::uint32_t>(nodes.size());
    if (child.holder == holder)
      return BoundaryRange{first, count, child.depth, child.structure};
    first += count;
  }
  return std::nullopt;
}

TimingNodes Registry::timingNodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<driver::Node> inChildren;
  for (const TimingNodes &child : children_)
    child.appendTo(inChildren);
  const auto own = timing_.end() - static_cast<std::ptrdiff_t>(inChildren.size());
  TimingNodes timing;
  timing.own.assign(timing_.begin(), own);
  timing.children = children_;
  return timing;
}

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const TimingNodes timing = timingNodes();
  const std::lock_guard lock(mutex_);
  auto other = std::make_shared<Registry>(clock_, captureId_);
  if (!ok(cu().graphClone(&other->profiled_, profiled_)))
    return nullptr;
  const auto inClone = [](driver::Node node, driver::Graph graph) {
    driver::Node found = nullptr;
    return ok(cu().graphNodeFindInClone(&found, node, graph)) ? found : nullptr;
  };
  auto found = timing.in(other->profiled_);
  if (!found)
    return nullptr;
  found->appendTo(other->timing_);
  other->children_ = std::move(found->children);
  other->final_ = inClone(final_, other->profiled_);
  for (const auto &[node, twin] : twins_)
    other->twins_.emplace(inClone(node, clone), inClone(twin, other->profiled_));
  auto table = std::make_shared<RegionTable>(*table_);
  table->graphNumber = nextGraphNumber();
  table->layout = RegionTable::nextLayout();
  for (Region &region : table->regions)
    if (region.node)
      region.node = inClone(region.node, clone);
  other->table_ = std::move(table);
  other->state_ = State::Split;
  return other;
}

void Registry::nodeChanged(driver::Node node) {
  const std::lock_guard lock(mutex_);
  const Region *region = table_ ? table_->regionOf(node) : nullptr;
  driver::NodeType type{};
  if (!region || !ok(cu().graphNodeGetType(node, &type)))
    return;
  const driver::RelaxedCapture relaxed; // names ask where memory is
  NodeWork work = workOf(node, type);
  auto table = std::make_shared<RegionTable>(*table_);
  table->layout = RegionTable::nextLayout();
  Region &changed = table->regions[static_cast<std::size_t>(region - table_->regions.data())];
  changed.site = &siteOf(work.kind, work.name);
  changed.name = std::move(work.name);
  changed.context = std::move(work.context);
  table_ = std::move(table);
}

bool Registry::edited() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Split || edited_)
    return false;
  edited_ = true;
  return true;
}

bool Registry::usable() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::Split && !edited_;
}

} // namespace graphprof
