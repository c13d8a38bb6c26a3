// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/registry/InPlaceTiming.h"
#include "graph/timing/Choice.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/TimedNodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

std::atomic<bool> anyTimed{false};

// Returns whether nothing is lost. `why` may already tell what was lost elsewhere.
bool untimed(const Choice &choice, std::string &why) {
  if (!choice.why.empty())
    why = choice.why;
  return choice.why.empty();
}

} // namespace

bool Registry::anyTimedChild() { return anyTimed; }

Registry::Registry(Services &services, GraphClock &clock, driver::Stream origin,
                   const Frontier &frontier, bool isBody)
    : services_(services), clock_(clock), captureId_(frontier.captureId), origin_(origin),
      recorder_(std::make_shared<CaptureRecorder>(services, clock, origin, frontier, isBody)) {
  count(true);
}

Registry::Registry(Services &services, GraphClock &clock, std::uint64_t captureId)
    : services_(services), clock_(clock), captureId_(captureId), state_(State::Untimed) {}

Registry::Registry(Services &services, GraphClock &clock, std::shared_ptr<Recorder> built)
    : services_(services), clock_(clock), captureId_(0), recorder_(std::move(built)) {}

// After a device reset that was not seen, the handle belongs to another graph, if any.
Registry::~Registry() {
  count(false);
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  if (rebuilt && rebuilt->graph && (!device_ || Device::of(device_->context()) == device_)) {
    const driver::RelaxedCapture relaxed;
    if (relaxed)
      cu().graphDestroy(rebuilt->graph);
  }
}

CaptureRecorder *Registry::capture() const {
  return recorder_ && recorder_->isCapture() ? static_cast<CaptureRecorder *>(recorder_.get())
                                             : nullptr;
}

void Registry::cannotBeCopied() {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    recorder->cannotBeCopied();
}

bool Registry::marked() const {
  const MutexLock lock(mutex_);
  return recorder_ && recorder_->isMarked();
}

std::string Registry::nameOf(std::size_t region) const {
  const MutexLock lock(mutex_);
  const CaptureRecorder *const recorder = capture();
  return recorder ? recorder->nameOf(region) : std::string();
}

std::size_t Registry::regionCount() const {
  const MutexLock lock(mutex_);
  return recorder_ ? recorder_->regionCount() : 0;
}

bool Registry::resume(driver::Stream origin, std::uint64_t captureId) {
  const MutexLock lock(mutex_);
  CaptureRecorder *const recorder = capture();
  if (!recorder)
    return false;
  origin_ = origin;
  captureId_ = captureId;
  recorder->resume(origin);
  ended_ = ending_ = false;
  count(true);
  return true;
}

void Registry::captureEnding(const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    recorder->closeJoined(frontier);
  ending_ = true;
}

void Registry::captureEnded(driver::Graph graph) {
  ended_ = true;
  count(false);
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture(); recorder && graph)
    recorder->ended(graph);
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
  if (!timed_)
    return recorder_ ? recorder_->regionCount() : 0;
  return static_cast<std::size_t>(
      std::count_if(timed_->table->regions.begin(), timed_->table->regions.end(),
                    [](const Region &region) { return region.kind == Kind::Region; }));
}

std::size_t Registry::openAt(const Site &site, std::vector<Value> context, int depth,
                             driver::Stream stream, const Frontier &frontier, Holds holds) {
  CaptureRecorder *const recorder = capture();
  if (recorder && recorder->regionCount() >= services_.config().maxRegions) {
    ++services_.counters.notMarked;
    return noRegion;
  }
  const auto opened = recorder
                          ? recorder->open(site, std::move(context), depth, stream, frontier, holds)
                          : std::nullopt;
  if (!opened)
    ++services_.counters.incomplete;
  return opened.value_or(noRegion);
}

std::size_t Registry::open(const Site &site, std::vector<Value> context, int depth,
                           driver::Stream stream, const Frontier &frontier, Holds holds) {
  const MutexLock lock(mutex_);
  return openAt(site, std::move(context), depth, stream, frontier, holds);
}

std::optional<Frontier> Registry::frontierOfOrigin() const {
  Frontier frontier;
  if (ending_ || ended_ || Frontier::read(origin_, frontier) != Frontier::Status::Capturing ||
      frontier.captureId != captureId_)
    return std::nullopt;
  return frontier;
}

std::size_t Registry::openJoined(const Site &site, std::vector<Value> context, int depth) {
  const MutexLock lock(mutex_);
  const auto frontier = capture() ? frontierOfOrigin() : std::nullopt;
  return frontier ? openAt(site, std::move(context), depth, origin_, *frontier, Holds::OfThread)
                  : noRegion;
}

void Registry::closeJoined(std::size_t region) {
  const MutexLock lock(mutex_);
  CaptureRecorder *const recorder = capture();
  if (!recorder || !recorder->isOpen(region))
    return;
  if (const auto frontier = frontierOfOrigin())
    recorder->close(region, origin_, *frontier);
}

void Registry::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    recorder->close(region, stream, frontier);
}

bool Registry::isOpen(std::size_t region) const {
  const MutexLock lock(mutex_);
  const CaptureRecorder *const recorder = capture();
  return recorder && !ended_ && recorder->isOpen(region);
}

int Registry::openInOrigin() const {
  const MutexLock lock(mutex_);
  const CaptureRecorder *const recorder = capture();
  return recorder ? recorder->openInOrigin() : 0;
}

void Registry::discard(std::size_t region) {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    recorder->discard(region);
}

void Registry::forked() {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    recorder->forked();
}

GraphFacts Registry::factsOf(const GraphInUse &use, const Recorder &recorder,
                             const Services &services) {
  GraphFacts facts;
  facts.isBody = use.isBody;
  facts.holdsBodies = use.holdsBodies;
  facts.isBuilt = !recorder.isCapture();
  facts.isMarked = recorder.isMarked();
  facts.hasRegions = recorder.hasRegions();
  facts.hasTimedChildren = !use.uses.empty();
  facts.hasTimedBodies = !use.bodies.empty();
  facts.hasTimedNodes = facts.isBuilt && services.config().nodes;
  return facts;
}

bool Registry::time(const GraphInUse &use, std::string &why) {
  const MutexLock lock(mutex_);
  if (state_ != State::Recording)
    return true;
  state_ = State::Untimed;
  const std::shared_ptr<Recorder> recorder = std::exchange(recorder_, nullptr);

  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  GraphFacts facts = factsOf(use, *recorder, services_);
  Choice choice = chooseTiming(facts, clock_); // as far as is known
  if (choice.way == Way::Untimed) {
    recorder->giveUp();
    if (use.isBody || use.holdsBodies)
      loseChildren(use.uses, services_);
    return untimed(choice, why);
  }
  const Shape shape(use.graph);
  auto request = recorder->request(shape, why);
  if (!request) {
    if (choice.way != Way::Rebuilt)
      loseChildren(use.uses, services_);
    return false;
  }
  facts.hasRegions = !request->regions.empty();
  facts.hasTimedNodes = facts.hasTimedNodes && holdsWork(shape);
  facts.isUnique = choice.way == Way::Rebuilt && isUnique(shape);
  choice = chooseTiming(facts, clock_);
  switch (choice.way) {
  case Way::Untimed:
    return untimed(choice, why);
  case Way::Rebuilt:
    return rebuild(use, shape, std::move(*request), why);
  case Way::InPlace:
  case Way::Body:
    return placeIn(use, std::move(*request), why);
  }
  return false;
}

bool Registry::rebuild(const GraphInUse &use, const Shape &shape, TimingRequest request,
                       std::string &why) {
  auto profile = profileOf(use, shape, request, why);
  if (!profile)
    return false;
  take(std::move(*profile), 0);
  extents_ = std::move(request.extents);
  return true;
}

bool Registry::placeIn(const GraphInUse &use, TimingRequest request, std::string &why) {
  // Allocated now: once the graph writes to a buffer, the buffer must not be released for lack of
  // memory.
  auto place = std::make_unique<TimedGraph>();
  auto timed = InPlaceTiming(services_, clock_, use, spoiled_).run(std::move(request), why);
  if (!timed)
    return false;
  *place = std::move(*timed);
  timed_ = std::move(place);
  if (!timed_->children.empty())
    anyTimed = true;
  state_ = State::Timed;
  return true;
}

std::optional<Profile> Registry::profileOf(const GraphInUse &use, const Shape &shape,
                                           TimingRequest &request, std::string &why) const {
  std::optional<TimedNodes> nodes;
  if (services_.config().nodes)
    nodes.emplace(TimedNodes::beside(request.regions.size(), shape, services_));
  return makeProfile(services_, clock_, use, shape, request, nodes ? &*nodes : nullptr, why);
}

void Registry::take(Profile profile, std::uint64_t graphNumber) {
  auto place = std::make_unique<TimedGraph>();
  place->way = RebuiltGraph{profile.graph, std::move(profile.twins), std::move(profile.innerTwins)};
  place->root = profile.root;
  place->timing = std::move(profile.timing);
  place->final = profile.final;
  place->children = std::move(profile.children);
  try {
    auto table =
        tableOf(*place, *profile.clock, std::move(profile.regions), {}, std::move(profile.drawn),
                profile.structure, graphNumber ? graphNumber : nextGraphNumber());
    table->setEdges(std::move(profile.edges), profile.lags);
    table->kernels = std::move(profile.kernels);
    table->waiting = std::move(profile.waiting);
    table->stampThreads = std::move(profile.stampThreads);
    place->table = std::move(table);
  } catch (...) { // no memory: without its table nothing is timed
    if (const driver::RelaxedCapture relaxed; relaxed)
      cu().graphDestroy(profile.graph);
    throw;
  }
  timed_ = std::move(place);
  state_ = State::Timed;
}

driver::Graph Registry::profiled() const {
  const MutexLock lock(mutex_);
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  return rebuilt ? rebuilt->graph : nullptr;
}

std::shared_ptr<const RegionTable> Registry::table() const {
  const MutexLock lock(mutex_);
  return timed_ ? timed_->table : nullptr;
}

std::shared_ptr<ReplayBuffer> Registry::ring() const {
  const MutexLock lock(mutex_);
  const auto *body = timed_ ? std::get_if<BodyGraph>(&timed_->way) : nullptr;
  return body ? body->ring : nullptr;
}

std::shared_ptr<ReplayBuffer> Registry::inPlace() const {
  const MutexLock lock(mutex_);
  const auto *inPlace = timed_ ? std::get_if<InPlaceGraph>(&timed_->way) : nullptr;
  return inPlace ? inPlace->buffer : nullptr;
}

driver::Graph Registry::bound(ReplayBuffer &buffer) const {
  const MutexLock lock(mutex_);
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  return rebuilt && buffer.bind(timed_->clockNodes()) ? rebuilt->graph : nullptr;
}

driver::Exec Registry::instantiate(ReplayBuffer &buffer, unsigned long long flags) const {
  const MutexLock lock(execMutex_);
  const driver::Graph graph = bound(buffer);
  driver::Exec exec = nullptr;
  return graph && ok(cu().graphInstantiate(&exec, graph, flags)) ? exec : nullptr;
}

bool Registry::update(driver::Exec exec, ReplayBuffer &buffer) const {
  const MutexLock lock(execMutex_);
  const driver::Graph graph = bound(buffer);
  driver::ExecUpdateResult result{};
  return graph && ok(cu().graphExecUpdate(exec, graph, &result));
}

void Registry::attach(ReplayBuffer &buffer) const {
  const MutexLock lock(mutex_);
  if (timed_)
    buffer.attach(timed_->clockNodes());
}

driver::Node Registry::twin(driver::Node node) const {
  const MutexLock lock(mutex_);
  return timed_ ? timed_->twin(node) : nullptr;
}

ProfiledGraph Registry::profiledNow() const {
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  if (!rebuilt)
    return {};
  return {rebuilt->graph, timed_->root, timed_->final, timed_->timingNodes(), timed_->table};
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
  return timed_ && !edited_ && !given_ && !used_ ? timed_->twin(node) : nullptr;
}

std::optional<std::vector<driver::Node>> Registry::nodes() const {
  const MutexLock lock(mutex_);
  if (state_ == State::Recording)
    return std::nullopt;
  std::vector<driver::Node> nodes;
  if (const RebuiltGraph *const rebuilt = rebuiltGraph()) {
    nodes.reserve(rebuilt->twins.pairs().size() + rebuilt->innerTwins.size());
    for (const auto &[node, twin] : rebuilt->twins.pairs())
      nodes.push_back(node);
    for (const auto &[node, twin] : rebuilt->innerTwins)
      nodes.push_back(node);
  }
  if (timed_ && timed_->timedChildren)
    for (const TimedChild &child : *timed_->timedChildren)
      nodes.push_back(child.holder);
  return nodes;
}

Registry::Pairs Registry::twinsOf(driver::Graph copy) const {
  const MutexLock lock(mutex_);
  Pairs pairs;
  if (const RebuiltGraph *const rebuilt = rebuiltGraph())
    for (const auto &[node, twin] : rebuilt->twins.pairs())
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
  return timed_ ? timed_->timingNodes() : TimingNodes();
}

// For graphs that are timed in place: what they hold.

std::shared_ptr<const TimedChildren> Registry::timedChildren() const {
  const MutexLock lock(mutex_);
  return timed_ ? timed_->timedChildren : nullptr;
}

std::optional<TimedChild> Registry::timedChild(driver::Node holder) const {
  const MutexLock lock(mutex_);
  const TimedChild *const found = timed_ ? timed_->timedChild(holder) : nullptr;
  return found ? std::optional(*found) : std::nullopt;
}

void Registry::bindChild(driver::Node holder, std::span<const driver::Node> timing) const {
  const MutexLock lock(mutex_);
  if (const TimedChild *const child = timed_ ? timed_->timedChild(holder) : nullptr)
    placeOf(*child, *timed_->table, timed_->ownBuffer())
        .buffer->bindStamps(timing, child->range.first, {});
}

// CUDA may have made a new graph for the node; then the timing nodes are new, too.
bool Registry::setChild(driver::Node holder, const TimingNodes &timing, const Registry *child) {
  const MutexLock lock(mutex_);
  const TimedChild *const found = timed_ ? timed_->timedChild(holder) : nullptr;
  if (!found)
    return !child;
  const TimedChild before = *found;
  driver::Graph held = nullptr;
  if (!before.isThere() && ok(cu().graphChildGraphNodeGetGraph(holder, &held)))
    if (auto now = timing.in(held)) {
      now->setHolder(holder, before.range.depth, before.range.structure);
      TimedChildren listed = ChildPlan::listed(before.plan, *now, before.range.first);
      auto children = std::make_shared<TimedChildren>(*timed_->timedChildren);
      auto place = children->begin() + (found - timed_->timedChildren->data());
      for (TimedChild &each : listed) {
        each.bodies = before.bodies;
        *place++ = std::move(each);
      }
      timed_->timedChildren = std::move(children);
    }
  return exchangeIn(timed_->table, before, child, device_);
}

} // namespace graphprof
