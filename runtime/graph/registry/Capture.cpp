// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Capture.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/timing/Drawing.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

std::optional<std::size_t> nodesIn(driver::Graph graph) {
  std::size_t count = 0;
  return ok(cu().graphGetNodes(graph, nullptr, &count)) ? std::optional(count) : std::nullopt;
}

} // namespace

Capture::Capture(Services &services, GraphClock &clock, driver::Stream origin,
                 const Frontier &frontier, Kind kind, CaptureBegin begun)
    : services_(services), isTimed_(kind != Kind::Untimed), begun_(begun), id_(frontier.captureId),
      origin_(origin), graph_(frontier.graph), isTaken_(!isTimed_), marks_(clock) {
  if (!isTimed_)
    return;
  facts_.isRecapture = kind == Kind::Recapture;
  facts_.oneStream = facts_.isRecapture || nodesIn(frontier.graph) == std::size_t{0};
  if (facts_.isRecapture || Recaptures::arePossible(services.config(), begun))
    marks_.neverMark();
  if (kind == Kind::Body) {
    marks_.cannotBeCopied();
    marks_.begin(origin, frontier); // now, so that its root comes before everything else
  }
  inProgress_.set(true);
}

std::size_t Capture::countNodes(driver::Stream stream, const Frontier &frontier) {
  facts_.oneStream = facts_.oneStream && stream == origin_ && frontier.nodes.size() < 2;
  return facts_.oneStream || facts_.isRecapture ? Added::unknown
                                                : nodesIn(frontier.graph).value_or(Added::unknown);
}

void Capture::forked() {
  const MutexLock lock(mutex_);
  facts_.oneStream = false;
}

void Capture::cannotBeCopied() {
  const MutexLock lock(mutex_);
  marks_.cannotBeCopied();
}

bool Capture::isMarked() const {
  const MutexLock lock(mutex_);
  return marks_.marked();
}

bool Capture::mayBeRecaptured() const {
  const MutexLock lock(mutex_);
  return !marks_.marked() && Recaptures::arePossible(services_.config(), begun_);
}

std::size_t Capture::regionCount() const {
  const MutexLock lock(mutex_);
  return regions_.size();
}

// The nodes are listed again when this capture has ended; without those that are gone by then, the
// counts of earlier regions would be of other nodes.
bool Capture::resume(driver::Stream origin, std::uint64_t id) {
  const MutexLock lock(mutex_);
  if (isTaken_)
    return false;
  origin_ = origin;
  id_ = id;
  openInOrigin_ = 0;
  for (Added &added : added_)
    added.inOrigin = false;
  facts_.oneStream = false;
  facts_.isEdited =
      facts_.isEdited || std::ranges::find(facts_.nodes, nullptr) != facts_.nodes.end();
  facts_.nodes.clear();
  hasEnded_ = isEnding_ = false;
  inProgress_.set(true);
  return true;
}

void Capture::ending() {
  const MutexLock lock(mutex_);
  const auto count = nodesNow();
  for (std::size_t region = 0; count && region < regions_.size(); ++region)
    if (added_[region].holds == Holds::OfThread && isUnfinished(region)) {
      regions_[region].end = 0;
      added_[region].last = *count;
    }
  isEnding_ = true;
}

void Capture::ended(driver::Graph graph) {
  hasEnded_ = true;
  inProgress_.set(false);
  const MutexLock lock(mutex_);
  if (graph && !regions_.empty())
    facts_.nodes = nodesOf(graph).value_or(Nodes());
}

void Capture::giveUp() {
  const MutexLock lock(mutex_);
  isTaken_ = true;
  marks_.remove();
}

Expected<TimingRequest> Capture::request(const Shape &shape) {
  const MutexLock lock(mutex_);
  isTaken_ = true;
  TimingRequest request;
  request.marks = marks_.take();
  if (!shape.known())
    return Failure{"the driver does not say how the graph is built"};
  auto frontiers = marks_.takeFrontiers(shape);
  if (!frontiers)
    return Failure{"the node before a region was removed; capture it again"};
  request.extents.frontiers = std::move(*frontiers);
  CaptureExtents extents(shape, facts_, request.marks, request.extents);
  for (std::size_t i = 0; i < regions_.size(); ++i)
    extents.add(regions_[i], added_[i]);
  extents.keepApart(added_);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Extent &extent = request.extents.regions[i];
    regions_[i].isEmpty = extent.isEmpty;
    if (!extent.ends() || extent.isEmpty)
      regions_[i].endAt({});
  }
  if (!extents.loss().empty())
    services_.say(extents.loss());
  if (wantsOwners(services_))
    request.owners = ownersIn(shape, request.extents);
  request.regions = std::move(regions_);
  return request;
}

bool Capture::nodeGoes(driver::Node node) {
  const MutexLock lock(mutex_);
  if (isTaken_)
    return false;
  marks_.nodeGoes(node);
  facts_.isEdited = facts_.isEdited || facts_.nodes.empty();
  std::ranges::replace(facts_.nodes, node, nullptr);
  return true;
}

bool Capture::hasRoom() {
  if (!isTaken_ && regions_.size() < services_.config().maxRegions)
    return true;
  ++(isTaken_ ? services_.counters.incomplete : services_.counters.notMarked);
  return false;
}

std::size_t Capture::add(const Site &site, std::vector<Value> context, int depth,
                         std::uint32_t begin, Added added) {
  std::string name = services_.nameOf(site, context);
  if (added_.size() == added_.capacity()) // so that without memory neither list has one more
    added_.reserve(2 * added_.capacity() + 1);
  regions_.push_back({.site = &site,
                      .context = std::move(context),
                      .name = std::move(name),
                      .depth = depth,
                      .begin = begin});
  added_.push_back(added);
  openInOrigin_ += added.inOrigin ? 1 : 0;
  return regions_.size() - 1;
}

std::size_t Capture::open(const Site &site, std::vector<Value> context, int depth,
                          driver::Stream stream, const Frontier &frontier, Holds holds) {
  const MutexLock lock(mutex_);
  if (!hasRoom())
    return noRegion;
  const auto begin = marks_.boundary(stream, frontier);
  if (!begin) {
    ++services_.counters.incomplete;
    return noRegion;
  }
  return add(site, std::move(context), depth, *begin,
             {.holds = holds,
              .first = countNodes(stream, frontier),
              .inOrigin = stream == origin_,
              .thread = std::this_thread::get_id()});
}

void Capture::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  const MutexLock lock(mutex_);
  if (isTaken_)
    return;
  regions_[region].end = marks_.boundary(stream, frontier).value_or(Region::unfinished);
  added_[region].last = countNodes(stream, frontier);
  if (std::exchange(added_[region].inOrigin, false))
    --openInOrigin_;
}

std::optional<std::size_t> Capture::nodesNow() const {
  driver::CaptureStatus status{};
  if (isEnding_ || hasEnded_ || isTaken_ || facts_.isRecapture ||
      !ok(cu().streamIsCapturing(origin_, &status)) || status != driver::CaptureStatus::Active)
    return std::nullopt;
  return nodesIn(graph_);
}

std::size_t Capture::openJoined(const Site &site, std::vector<Value> context, int depth) {
  const MutexLock lock(mutex_);
  if (isEnding_ || hasEnded_ || !hasRoom())
    return noRegion;
  const auto count = nodesNow();
  if (!count) {
    ++services_.counters.incomplete;
    return noRegion;
  }
  return add(site, std::move(context), depth, 0,
             {.holds = Holds::OfThread, .first = *count, .thread = std::this_thread::get_id()});
}

void Capture::closeJoined(std::size_t region) {
  const MutexLock lock(mutex_);
  const auto count = isUnfinished(region) ? nodesNow() : std::nullopt;
  if (!count)
    return;
  regions_[region].end = 0;
  added_[region].last = *count;
}

bool Capture::isOpen(std::size_t region) const {
  const MutexLock lock(mutex_);
  return !hasEnded_ && isUnfinished(region);
}

int Capture::openInOrigin() const {
  const MutexLock lock(mutex_);
  return openInOrigin_;
}

void Capture::discard(std::size_t region) {
  const MutexLock lock(mutex_);
  if (region + 1 != regions_.size())
    return;
  openInOrigin_ -= added_.back().inOrigin ? 1 : 0;
  regions_.pop_back();
  added_.pop_back();
}

std::string Capture::nameOf(std::size_t region) const {
  const MutexLock lock(mutex_);
  return region < regions_.size() ? regions_[region].name : std::string();
}

} // namespace graphprof
