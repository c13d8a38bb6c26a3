// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/ExplicitGraph.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "clock/Devices.h"
#include "cuda/Driver.h"
#include "graph/registry/Recaptures.h"
#include "graph/timing/Span.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::uint64_t ExplicitGraph::now() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

bool ExplicitGraph::mayBeRecaptured() const {
  return Recaptures::arePossible(services_.config(), CaptureBegin::Seen);
}

void ExplicitGraph::add(const BuildingScope &scope, int depth, driver::Node node) {
  const MutexLock lock(mutex_);
  if (!device_)
    device_ = devices_.current();
  const auto found = std::find_if(parts_.rbegin(), parts_.rend(), [&](const Part &part) {
    return part.scope.began == scope.began;
  });
  if (found != parts_.rend()) {
    found->nodes.push_back(node);
    return;
  }
  if (parts_.size() >= services_.config().maxRegions) {
    services_.counters.notMarked += refused_ != scope.began ? 1 : 0;
    refused_ = scope.began;
    return;
  }
  parts_.push_back({scope, services_.nameOf(*scope.site, scope.context), depth, {node}});
}

void ExplicitGraph::remove(driver::Node node) {
  const MutexLock lock(mutex_);
  for (Part &part : parts_)
    std::erase(part.nodes, node);
}

Device *ExplicitGraph::device() const {
  const MutexLock lock(mutex_);
  return device_;
}

bool ExplicitGraph::hasRegions() const {
  const MutexLock lock(mutex_);
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part &part) { return !part.nodes.empty(); });
}

std::size_t ExplicitGraph::unused() const {
  const MutexLock lock(mutex_);
  return used_ ? 0 : parts_.size();
}

std::vector<driver::Node> ExplicitGraph::nodes() const {
  const MutexLock lock(mutex_);
  std::vector<driver::Node> nodes;
  for (const Part &part : parts_)
    nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  return nodes;
}

std::size_t ExplicitGraph::regionCount() const {
  const MutexLock lock(mutex_);
  return parts_.size();
}

// The innermost region of each node.
Owners ExplicitGraph::ownersOf(const std::vector<Part> &parts) {
  Owners owners;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const driver::Node node : parts[i].nodes) {
      const auto [owner, isFirst] = owners.try_emplace(node, i);
      if (!isFirst && parts[i].depth >= parts[owner->second].depth)
        owner->second = i;
    }
  return owners;
}

// Leaves out nodes that were destroyed unseen.
std::vector<ExplicitGraph::Part> ExplicitGraph::partsIn(const Shape &shape) const {
  std::vector<Part> parts = parts_;
  const std::unordered_set<driver::Node> there(shape.order().begin(), shape.order().end());
  for (Part &part : parts)
    std::erase_if(part.nodes, [&](driver::Node node) { return !there.contains(node); });
  std::erase_if(parts, [](const Part &part) { return part.nodes.empty(); });
  return parts;
}

TimingRequest ExplicitGraph::requestOf(const std::vector<Part> &parts, const Shape &shape) {
  TimingRequest request;
  for (const Part &part : parts) {
    request.regions.push_back({.site = part.scope.site,
                               .context = part.scope.context,
                               .name = part.name,
                               .depth = part.depth});
    request.extents.regions.push_back({.depth = part.depth});
    std::vector<std::size_t> places;
    places.reserve(part.nodes.size());
    for (const driver::Node node : part.nodes)
      places.push_back(shape.createdAt(node));
    request.extents.place(request.extents.regions.back(), spanOf(shape, places));
  }
  request.owners = ownersOf(parts);
  return request;
}

Expected<TimingRequest> ExplicitGraph::request(const Shape &shape) {
  const MutexLock lock(mutex_);
  used_ = true;
  if (!shape.known())
    return Failure{"the driver does not say how it is built"};
  return requestOf(partsIn(shape), shape);
}

void ExplicitGraph::giveUp() {
  const MutexLock lock(mutex_);
  used_ = true;
}

std::shared_ptr<ExplicitGraph> ExplicitGraph::cloned(driver::Graph clone) const {
  auto other = std::make_shared<ExplicitGraph>(services_, devices_);
  other->mutex_.assertHeld(); // no other thread knows it yet
  if (!other->serves())
    other->serveAs(*this);
  const MutexLock lock(mutex_);
  other->parts_ = parts_;
  other->device_ = device_;
  for (Part &part : other->parts_)
    for (driver::Node &node : part.nodes) {
      driver::Node twin = nullptr;
      if (!ok(cu().graphNodeFindInClone(&twin, node, clone)))
        return nullptr;
      node = twin;
    }
  return other;
}

} // namespace graphprof
