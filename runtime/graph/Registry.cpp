// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/Children.h"
#include "graph/Drawing.h"
#include "graph/InPlace.h"
#include "graph/NodeNames.h"
#include "graph/Nodes.h"
#include "graph/TimedNodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::uint64_t Registry::nextGraphNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

Registry::Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier, Role role)
    : clock_(clock), captureId_(frontier.captureId), origin_(origin),
      lanes_(std::in_place, origin, frontier.nodes) {
  count(true);
  if (role != Role::Body)
    return;
  marks_.cannotBeCopied();
  marks_.begin(origin, frontier); // now, so that its root stands before everything else
}

Registry::Registry(GraphClock &clock, std::uint64_t captureId)
    : clock_(clock), captureId_(captureId), state_(State::Inert) {}

Registry::Registry(GraphClock &clock, Profile profile, std::uint64_t graphNumber)
    : clock_(clock), captureId_(0) {
  take(std::move(profile), graphNumber);
}

Registry::Registry(GraphClock &clock, InPlace inPlace)
    : clock_(clock), captureId_(0), linked_(true), marks_(clock, std::move(inPlace.timing)),
      regions_(std::move(inPlace.regions)), owners_(std::move(inPlace.owners)) {}

// After a device reset that nobody saw, what has the graph's handle is another's, if anybody's.
Registry::~Registry() {
  count(false);
  if (profiled_ && (!device_ || Device::of(device_->context()) == device_)) {
    const driver::RelaxedCapture relaxed;
    if (relaxed)
      cu().graphDestroy(profiled_);
  }
}

void Registry::cannotBeCopied() {
  const MutexLock lock(mutex_);
  marks_.cannotBeCopied();
}

bool Registry::marked() const {
  const MutexLock lock(mutex_);
  return marks_.marked();
}

std::string Registry::nameOf(std::size_t region) const {
  const MutexLock lock(mutex_);
  return region < regions_.size() ? regions_[region].name : std::string();
}

std::size_t Registry::regionCount() const {
  const MutexLock lock(mutex_);
  return regions_.size();
}

bool Registry::resume(driver::Stream origin, std::uint64_t captureId) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing)
    return false;
  origin_ = origin;
  captureId_ = captureId;
  if (lanes_)
    lanes_->resume(origin);
  ended_ = false;
  count(true);
  return true;
}

bool Registry::claim() {
  if (claimed_.exchange(true))
    spoil();
  return !spoiled();
}

void Registry::spoil() { *spoiled_ = true; }

std::size_t Registry::unused() const {
  const MutexLock lock(mutex_);
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
  const MutexLock lock(mutex_);
  if (regions_.size() >= session.config().maxRegions) {
    ++session.counters.notMarked;
    return noRegion;
  }
  const auto begin = state_ == State::Capturing ? marks_.boundary(stream, frontier) : std::nullopt;
  if (!begin) {
    ++session.counters.incomplete;
    return noRegion;
  }
  std::string name = session.nameOf(site, context);
  if (lanes_)
    lanes_->opened(regions_.size(), stream, frontier.nodes);
  regions_.push_back(Region{&site,
                            std::move(context),
                            std::move(name),
                            depth,
                            *begin,
                            Region::unfinished,
                            Kind::Region,
                            nullptr,
                            {}});
  return regions_.size() - 1;
}

void Registry::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing)
    return;
  regions_[region].end = marks_.boundary(stream, frontier).value_or(Region::unfinished);
  if (lanes_)
    lanes_->closed(region, stream, frontier.nodes);
}

void Registry::discard(std::size_t region) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing || region + 1 != regions_.size())
    return;
  regions_.pop_back();
  if (lanes_)
    lanes_->discarded(region);
}

void Registry::waiting(driver::Stream stream, const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (state_ == State::Capturing && lanes_)
    lanes_->observe(stream, frontier.nodes);
}

void Registry::waited(driver::Stream stream, const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing || !lanes_)
    return;
  for (const driver::Stream other : lanes_->openOnes()) {
    Frontier there;
    if (other != stream && !driver::isInEachContext(other) &&
        Frontier::read(other, there) == Frontier::Status::Capturing &&
        there.captureId == frontier.captureId)
      lanes_->observe(other, std::move(there.nodes));
  }
  std::size_t created = 0;
  if (!ok(cu().graphGetNodes(frontier.graph, nullptr, &created)))
    created = 0;
  lanes_->waited(stream, frontier.nodes, created);
}

std::optional<Wanted> Registry::takeWanted(const Shape &shape, std::string &why) {
  if (!shape.known()) {
    why = "the driver does not say how the graph is built";
    return std::nullopt;
  }
  auto frontiers = marks_.takeFrontiers(shape);
  if (!frontiers) {
    why = "a node that a region comes behind is gone";
    return std::nullopt;
  }
  Wanted wanted;
  wanted.extents.frontiers = std::move(*frontiers);
  wanted.extents.regions.reserve(regions_.size());
  for (const Region &region : regions_)
    wanted.extents.regions.push_back({region.begin, region.end, region.depth});
  if (lanes_ && (Session::instance().config().nodes || wantsDrawings()))
    wanted.extents.open = lanes_->resolve(shape);
  wanted.regions = std::move(regions_);
  return wanted;
}

bool Registry::split(driver::Graph graph, std::span<const ChildUse> uses, std::string &why) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;

  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  if (regions_.empty() && uses.empty()) {
    marks_.remove();
    return true;
  }
  timing_ = marks_.take();
  const Shape shape(graph);
  if (!timing_.empty() || isUnique(shape))
    return stayIn(graph, Role::Graph, uses, {}, why);
  auto wanted = takeWanted(shape, why);
  if (!wanted)
    return false;
  auto profile = profileOf(graph, shape, *wanted, uses, why);
  if (!profile)
    return false;
  take(std::move(*profile));
  extents_ = std::move(wanted->extents);
  return true;
}

std::optional<Profile> Registry::profileOf(driver::Graph graph, const Shape &shape, Wanted &wanted,
                                           std::span<const ChildUse> uses, std::string &why) const {
  std::optional<TimedNodes> nodes;
  if (Session::instance().config().nodes)
    nodes.emplace(TimedNodes::beside(wanted.regions.size(), shape));
  if (nodes || wantsDrawings())
    wanted.owners = ownersIn(shape, wanted.extents);
  return makeProfile(clock_, graph, shape, wanted, nodes ? &*nodes : nullptr, uses, why);
}

void Registry::take(Profile profile, std::uint64_t graphNumber) {
  profiled_ = profile.graph;
  root_ = profile.root;
  timing_ = std::move(profile.timing);
  final_ = profile.final;
  twins_ = std::move(profile.twins);
  innerTwins_ = std::move(profile.innerTwins);
  children_ = std::move(profile.children);
  regions_ = std::move(profile.regions);
  drawn_ = std::move(profile.drawn);
  settled(profile.structure, Role::Graph, {}, graphNumber);
}

void Registry::settled(std::uint64_t structure, Role role, std::vector<BodyTable> bodies,
                       std::uint64_t graphNumber) {
  auto table = std::make_shared<RegionTable>();
  if (role == Role::Graph)
    table->graphNumber = graphNumber ? graphNumber : nextGraphNumber();
  table->regions = std::move(regions_);
  table->bodies = std::move(bodies);
  table->boundaries = static_cast<std::uint32_t>(timing_.size());
  table->clock = &clock_;
  table->layout = RegionTable::nextLayout();
  table->drawn = std::move(drawn_);
  table->structure = structure;
  for (const TimingNodes &child : children_)
    table->structure = table->structure * 31 + child.structure;
  table_ = std::move(table);
  marks_.forget();
  lanes_.reset();
  state_ = State::Split;
}

driver::Graph Registry::profiled() const {
  const MutexLock lock(mutex_);
  return profiled_;
}

std::shared_ptr<const RegionTable> Registry::table() const {
  const MutexLock lock(mutex_);
  return table_;
}

std::shared_ptr<ReplayBuffer> Registry::ring() const {
  const MutexLock lock(mutex_);
  return ring_;
}

std::shared_ptr<ReplayBuffer> Registry::inPlace() const {
  const MutexLock lock(mutex_);
  return inPlace_;
}

bool Registry::bind(ReplayBuffer &buffer) const {
  const MutexLock lock(mutex_);
  return buffer.bind(clockNodes());
}

void Registry::attach(ReplayBuffer &buffer) const {
  const MutexLock lock(mutex_);
  buffer.attach(clockNodes());
}

driver::Node Registry::twin(driver::Node node) const {
  const MutexLock lock(mutex_);
  return twinOf(node);
}

driver::Node Registry::twinOf(driver::Node node) const {
  if (const driver::Node found = twins_.of(node))
    return found;
  const auto inner = innerTwins_.find(node);
  return inner == innerTwins_.end() ? nullptr : inner->second;
}

ProfiledGraph Registry::profiledNow() const {
  return {profiled_, root_, final_, timingNow(), table_};
}

ProfiledGraph Registry::profiledGraph() const {
  const MutexLock lock(mutex_);
  return profiledNow();
}

std::shared_ptr<const ProfiledGraph> Registry::given() {
  const MutexLock lock(mutex_);
  given_ = true;
  return std::make_shared<const ProfiledGraph>(profiledNow());
}

driver::Node Registry::changing(driver::Node node) {
  const MutexLock lock(mutex_);
  return state_ == State::Split && !edited_ && !given_ ? twinOf(node) : nullptr;
}

std::optional<std::vector<driver::Node>> Registry::nodes() const {
  const MutexLock lock(mutex_);
  if (state_ == State::Capturing)
    return std::nullopt;
  std::vector<driver::Node> nodes;
  nodes.reserve(twins_.pairs().size() + innerTwins_.size());
  for (const auto &[node, twin] : twins_.pairs())
    nodes.push_back(node);
  for (const auto &[node, twin] : innerTwins_)
    nodes.push_back(node);
  if (timedChildren_)
    for (const TimedChild &child : *timedChildren_)
      nodes.push_back(child.holder);
  return nodes;
}

Registry::Pairs Registry::twinsOf(driver::Graph copy) const {
  const MutexLock lock(mutex_);
  Pairs pairs;
  for (const auto &[node, twin] : twins_.pairs())
    if (driver::Node inCopy = nullptr; ok(cu().graphNodeFindInClone(&inCopy, node, copy)))
      pairs.emplace_back(inCopy, twin);
  return pairs;
}

std::optional<BoundaryRange> Registry::boundariesIn(driver::Node holder) const {
  const TimingNodes timing = timingNodes();
  auto first = static_cast<std::uint32_t>(timing.own.size());
  for (const TimingNodes &child : timing.children) {
    if (child.holder == holder)
      return BoundaryRange{first, child.size(), child.depth, child.structure};
    first += child.size();
  }
  return std::nullopt;
}

TimingNodes Registry::timingNodes() const {
  const MutexLock lock(mutex_);
  return timingNow();
}

TimingNodes Registry::timingNow() const {
  TimingNodes timing;
  timing.own.assign(timing_.begin(), timing_.begin() + static_cast<std::ptrdiff_t>(ownTiming()));
  timing.children = children_;
  return timing;
}

std::size_t Registry::ownTiming() const {
  std::size_t own = timing_.size();
  for (const TimingNodes &child : children_)
    own -= child.size();
  return own;
}

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const MutexLock lock(mutex_);
  const TimingNodes timing = timingNow();
  auto other = std::make_shared<Registry>(clock_, captureId_);
  other->mutex_.assertHeld(); // nobody else knows it
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
  other->root_ = inClone(root_, other->profiled_);
  other->final_ = inClone(final_, other->profiled_);
  Nodes nodes, twins;
  for (const auto &[node, twin] : twins_.pairs()) {
    nodes.push_back(inClone(node, clone));
    twins.push_back(inClone(twin, other->profiled_));
  }
  other->twins_ = Twins(nodes, twins);
  auto table = std::make_shared<RegionTable>(*table_);
  table->graphNumber = nextGraphNumber();
  table->layout = RegionTable::nextLayout();
  for (Region &region : table->regions)
    if (region.node)
      region.node = inClone(region.node, clone);
  other->table_ = std::move(table);
  other->extents_ = extents_;
  other->extents_.open =
      extents_.open.cloned([&](driver::Node node) { return inClone(node, clone); });
  for (Nodes &behind : other->extents_.frontiers) {
    for (driver::Node &node : behind)
      node = inClone(node, clone);
    behind = frontier(std::move(behind));
  }
  other->state_ = State::Split;
  return other;
}

void Registry::nodeChanged(driver::Node node) {
  const MutexLock lock(mutex_);
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
  const MutexLock lock(mutex_);
  if (state_ != State::Split || edited_)
    return false;
  edited_ = true;
  return extents_.regions.empty();
}

// What was behind it is behind what it waited for. Its handle may be given out again.
void Registry::nodeGoes(driver::Node node) {
  const MutexLock lock(mutex_);
  if (state_ == State::Capturing) {
    if (lanes_)
      lanes_->nodeGoes(node);
    return marks_.nodeGoes(node);
  }
  if (!twins_.forget(node))
    return;
  edited_ = true;
  extents_.open.forget(node);
  const auto before = neighboursOf(node, Side::Before);
  if (!before)
    return;
  for (Nodes &behind : extents_.frontiers)
    if (std::erase(behind, node) > 0) {
      behind.insert(behind.end(), before->nodes.begin(), before->nodes.end());
      behind = frontier(std::move(behind));
    }
}

// Where there is a profiled graph: in code that is not instrumented the program may have changed
// its own since, or destroyed it, and another has its handle now.
bool Registry::mayBeStale() const {
  const MutexLock lock(mutex_);
  return state_ == State::Split && profiled_ && (!edited_ || !extents_.regions.empty());
}

bool Registry::standsIn(driver::Graph graph) const {
  const MutexLock lock(mutex_);
  const auto nodes = nodesOf(graph);
  const auto isThere = [&](driver::Node node) { // one that is not there must not be asked about
    return std::find(nodes->begin(), nodes->end(), node) != nodes->end() && clock_.isTiming(node);
  };
  return nodes && isThere(root_) && isThere(final_);
}

std::shared_ptr<Registry> Registry::anew(driver::Graph graph, std::span<const ChildUse> uses,
                                         std::string &why) const {
  const MutexLock lock(mutex_);
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  const Shape shape(graph);
  const auto hasTwin = [this](driver::Node node)
                           REQUIRES(mutex_) { return twins_.of(node) != nullptr; };
  if (!edited_ && (shape.created().size() != twins_.pairs().size() ||
                   !std::all_of(shape.created().begin(), shape.created().end(), hasTwin))) {
    why = "code that is not instrumented changed it, or its handle is another graph's by now";
    return nullptr;
  }
  if (isUnique(shape)) {
    why = "it got a node that it cannot be copied with";
    return nullptr;
  }
  const auto isThere = [&](std::uint32_t number) REQUIRES(mutex_) {
    const Nodes &nodes = extents_.frontiers[number];
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](driver::Node node) { return shape.has(node); });
  };
  Wanted wanted;
  wanted.extents = extents_;
  const auto own = static_cast<std::uint32_t>(ownTiming());
  std::copy_if(
      table_->regions.begin(), table_->regions.end(), std::back_inserter(wanted.regions),
      [own](const Region &region) { return region.kind == Kind::Region && region.begin < own; });
  const std::vector<Extent> &extents = extents_.regions;
  if (!shape.known() || wanted.regions.size() != extents.size() ||
      !std::all_of(extents.begin(), extents.end(), [&](const Extent &extent) REQUIRES(mutex_) {
        return isThere(extent.begin) && (!extent.ends() || isThere(extent.end));
      })) {
    why = "a node that a region comes behind is gone";
    return nullptr;
  }
  auto profile = profileOf(graph, shape, wanted, uses, why);
  if (!profile)
    return nullptr;
  auto other =
      std::make_shared<Registry>(clock_, std::move(*profile), edited_ ? 0 : table_->graphNumber);
  other->mutex_.assertHeld(); // nobody else knows it
  other->extents_ = std::move(wanted.extents);
  return other;
}

bool Registry::usable() const {
  const MutexLock lock(mutex_);
  return state_ == State::Split && !edited_;
}

} // namespace graphprof
