// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
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

std::uint64_t nextGraphNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

} // namespace

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
  return Status::Capturing;
}

Registry::Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier)
    : clock_(clock), captureId_(frontier.captureId), origin_(origin) {
  const driver::Node root = clock_.captureRoot(origin);
  if (!root) {
    state_ = State::Inert;
    return;
  }
  timing_.push_back(root);
  frontiers_.emplace_back();
}

Registry::Registry(GraphClock &clock, std::uint64_t captureId)
    : clock_(clock), captureId_(captureId), state_(State::Inert) {}

Registry::Registry(GraphClock &clock, Profile profile)
    : clock_(clock), captureId_(0), timing_(std::move(profile.timing)),
      regions_(std::move(profile.regions)), profiled_(profile.graph), final_(profile.final),
      twins_(std::move(profile.twins)) {
  if (!settled(profiled_))
    state_ = State::Inert;
}

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

bool Registry::hasRegions() const {
  const std::lock_guard lock(mutex_);
  return !regions_.empty();
}

bool Registry::claim() {
  if (claimed_.exchange(true))
    spoil();
  return !spoiled();
}

void Registry::spoil() { *spoiled_ = true; }

std::size_t Registry::unused() const {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Split || used_)
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
  const std::uint32_t last = last_.contains(stream) ? last_.at(stream) : 0;
  if (last > 0 && frontiers_[last] == frontier.nodes)
    return last;

  const driver::Node node = clock_.captureBoundary(stream, timing_[last]);
  if (!node)
    return Region::unfinished;
  const auto index = static_cast<std::uint32_t>(timing_.size());
  timing_.push_back(node);
  frontiers_.push_back(frontier.nodes);
  last_.insert_or_assign(stream, index);
  return index;
}

bool Registry::split(driver::Graph graph, std::string &why) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;

  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  const bool timed = !regions_.empty();
  std::unordered_map<driver::Node, driver::Node> twins;
  if (timed) {
    if (!ok(cu().graphClone(&profiled_, graph))) {
      profiled_ = nullptr;
      if (isUnique(graph)) {
        countUntimedNodes(graph, timing_);
        return stayIn(graph, why);
      }
      why = "the driver refused to clone it";
    } else if (const auto nodes = nodesOf(graph); !nodes || !findTwins(*nodes, profiled_, twins)) {
      why = "a node was not found in the graph's clone";
    }
  }

  // A refusal is not taken for the last word: what stays would make the graph another one than the
  // program's.
  const auto remove = [](driver::Node node) { return ok(cu().graphDestroyNode(node)); };
  std::vector<driver::Node> profiledTiming(timing_.size());
  for (std::size_t k = timing_.size(); k-- > 0;) {
    if (!remove(timing_[k]) && !remove(timing_[k]) && why.empty())
      why = "a timing node could not be taken out of the graph";
    if (const auto found = twins.find(timing_[k]); found != twins.end()) {
      profiledTiming[k] = found->second;
      twins.erase(found);
    }
  }
  if (!timed)
    return true;
  timing_ = std::move(profiledTiming);
  twins_ = std::move(twins);
  const std::vector<Nodes> captured = frontiers_; // of the program's nodes
  for (std::vector<driver::Node> &frontier : frontiers_)
    for (driver::Node &node : frontier)
      if (const auto found = twins_.find(node); found != twins_.end())
        node = found->second;
      else if (why.empty())
        why = "a node that a region comes behind is gone";
  if (why.empty() && !linkTiming(profiled_, timing_, frontiers_, clock_.holdsUp()))
    why = "the driver refused to link a timing node";
  if (why.empty() && Session::instance().config().nodes && !timeNodes(Shape(graph), captured))
    why = "the driver refused a timing node";
  const auto sinks = why.empty() ? sinksOf(profiled_) : std::nullopt;
  if (why.empty() && !(sinks && clock_.finish(profiled_, timing_, *sinks, final_)))
    why = "the driver refused the node that publishes a replay";
  if (why.empty() && !settled(profiled_))
    why = "the driver does not say how the graph is built";
  if (!why.empty()) {
    if (profiled_)
      cu().graphDestroy(profiled_);
    profiled_ = nullptr;
    return false;
  }
  return true;
}

bool Registry::timeNodes(const Shape &shape, std::span<const Nodes> captured) {
  if (!shape.known())
    return false;
  Profile profile{profiled_, std::move(timing_), nullptr, std::move(twins_), std::move(regions_)};
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
  const bool marked = marker.addLeaves();
  if (marked)
    profile.regions = nodes.among(std::move(profile.regions), ownersIn(shape, extents), marker);
  timing_ = std::move(profile.timing);
  twins_ = std::move(profile.twins);
  regions_ = std::move(profile.regions);
  return marked;
}

bool Registry::stayIn(driver::Graph graph, std::string &why) {
  const driver::RelaxedCapture relaxed;
  std::shared_ptr<ReplayBuffer> buffer = relaxed ? clock_.makeBuffer(timing_.size()) : nullptr;
  const bool linked = linkTiming(graph, timing_, frontiers_, clock_.holdsUp());
  const auto sinks = linked ? sinksOf(graph) : std::nullopt;
  if (!buffer || !sinks || !clock_.finish(graph, timing_, *sinks, final_)) {
    why = "its nodes cannot be copied (memory or conditional nodes), and it takes none of ours";
    if (buffer)
      buffer->retire();
    return false;
  }
  // Some nodes may write to the buffer even where the driver refuses others: then nobody else may.
  if (!buffer->bind(timing_, final_)) {
    why = "its nodes cannot be copied (memory or conditional nodes), nor ours changed";
    return false;
  }
  inPlace_ =
      std::shared_ptr<ReplayBuffer>(buffer.get(), [buffer, spoiled = spoiled_](ReplayBuffer *last) {
        if (!*spoiled)
          last->retire();
      });
  if (settled(graph))
    return true;
  inPlace_.reset();
  why = "the driver does not say how the graph is built";
  return false;
}

bool Registry::settled(driver::Graph graph) {
  const auto structure = structureOf(graph, timing_);
  if (!structure)
    return false;
  auto table = std::make_shared<RegionTable>();
  table->graphNumber = nextGraphNumber();
  table->regions = std::move(regions_);
  table->boundaries = static_cast<std::uint32_t>(timing_.size());
  table->clock = &clock_;
  table->layout = RegionTable::nextLayout();
  table->structure = *structure;
  table_ = std::move(table);
  frontiers_.clear();
  state_ = State::Split;
  return true;
}

driver::Node Registry::twin(driver::Node node) const {
  const std::lock_guard lock(mutex_);
  const auto found = twins_.find(node);
  return found == twins_.end() ? nullptr : found->second;
}

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const std::lock_guard lock(mutex_);
  auto other = std::make_shared<Registry>(clock_, captureId_);
  if (!ok(cu().graphClone(&other->profiled_, profiled_)))
    return nullptr;
  const auto inClone = [](driver::Node node, driver::Graph graph) {
    driver::Node found = nullptr;
    return ok(cu().graphNodeFindInClone(&found, node, graph)) ? found : nullptr;
  };
  for (const driver::Node node : timing_)
    other->timing_.push_back(inClone(node, other->profiled_));
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
