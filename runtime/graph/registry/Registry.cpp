// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/TimedNodes.h"
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

} // namespace graphprof
