// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Registry: what happens when the program changes or clones its graph after it was timed.

#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/registry/Registry.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/InPlace.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const MutexLock lock(mutex_);
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  auto other = std::make_shared<Registry>(services_, clock_, captureId_);
  other->mutex_.assertHeld(); // no other thread knows it yet
  RebuiltGraph copy;
  if (!rebuilt || !ok(cu().graphClone(&copy.graph, rebuilt->graph)))
    return nullptr;
  const driver::Graph profiled = copy.graph;
  other->timed_ = std::make_unique<TimedGraph>();
  TimedGraph &timed = *other->timed_;
  timed.way = std::move(copy); // `other` destroys it
  const auto inClone = [](driver::Node node, driver::Graph graph) {
    driver::Node found = nullptr;
    return ok(cu().graphNodeFindInClone(&found, node, graph)) ? found : nullptr;
  };
  auto found = timed_->timingNodes().in(profiled);
  if (!found)
    return nullptr;
  found->appendTo(timed.timing);
  timed.children = std::move(found->children);
  timed.root = inClone(timed_->root, profiled);
  timed.final = inClone(timed_->final, profiled);
  Nodes nodes, twins;
  for (const auto &[node, twin] : rebuilt->twins.pairs()) {
    nodes.push_back(inClone(node, clone));
    twins.push_back(inClone(twin, profiled));
  }
  std::get<RebuiltGraph>(timed.way).twins = Twins(nodes, twins);
  auto table = std::make_shared<RegionTable>(*timed_->table);
  table->graphNumber = nextGraphNumber();
  table->layout = RegionTable::nextLayout();
  for (Region &region : table->regions)
    if (region.node)
      region.node = inClone(region.node, clone);
  for (driver::Node &kernel : table->kernels)
    if (kernel)
      kernel = inClone(kernel, clone);
  for (WaitingKernel &kernel : table->waiting)
    kernel.node = inClone(kernel.node, clone);
  timed.table = std::move(table);
  other->extents_ = extents_;
  for (driver::Node &node : other->extents_.captured)
    if (node)
      node = inClone(node, clone);
  for (Nodes &behind : other->extents_.frontiers) {
    for (driver::Node &node : behind)
      node = inClone(node, clone);
    behind = frontier(std::move(behind));
  }
  other->state_ = State::Timed;
  return other;
}

void Registry::nodeChanged(driver::Node node) {
  const MutexLock lock(mutex_);
  const Region *region = timed_ ? timed_->table->regionOf(node) : nullptr;
  driver::NodeType type{};
  if (!region || !ok(cu().graphNodeGetType(node, &type)))
    return;
  const driver::RelaxedCapture relaxed; // names depend on where memory is
  NodeWork work = workOf(node, type, services_);
  auto table = std::make_shared<RegionTable>(*timed_->table);
  table->layout = RegionTable::nextLayout();
  Region &changed =
      table->regions[static_cast<std::size_t>(region - timed_->table->regions.data())];
  changed.site = &siteOf(work.kind, work.name);
  changed.name = std::move(work.name);
  changed.context = std::move(work.context);
  timed_->table = std::move(table);
}

bool Registry::edited() {
  const MutexLock lock(mutex_);
  if (!timed_ || edited_)
    return false;
  edited_ = true;
  return extents_.regions.empty();
}

// What was behind the node is now behind what the node waited for. Its handle may be reused.
void Registry::nodeGoes(driver::Node node) {
  const MutexLock lock(mutex_);
  if (CaptureRecorder *const recorder = capture())
    return recorder->nodeGoes(node);
  auto *rebuilt = timed_ ? std::get_if<RebuiltGraph>(&timed_->way) : nullptr;
  if (!rebuilt || !rebuilt->twins.forget(node))
    return;
  edited_ = true;
  extents_.forget(node);
  const auto before = neighboursOf(node, Side::Before);
  if (!before)
    return;
  for (Nodes &behind : extents_.frontiers)
    if (std::erase(behind, node) > 0) {
      behind.insert(behind.end(), before->nodes.begin(), before->nodes.end());
      behind = frontier(std::move(behind));
    }
}

// Code that is not instrumented may have changed the graph, or destroyed it; then another graph may
// have its handle.
bool Registry::mayBeStale() const {
  const MutexLock lock(mutex_);
  return rebuiltGraph() && (!edited_ || !extents_.regions.empty());
}

bool Registry::standsIn(driver::Graph graph) const {
  const MutexLock lock(mutex_);
  const auto nodes = nodesOf(graph);
  const GraphClock *const clock = timed_ ? timed_->table->clock : nullptr;
  const auto isThere = [&](driver::Node node) { // asks only about nodes that exist
    return std::find(nodes->begin(), nodes->end(), node) != nodes->end() && clock->isTiming(node);
  };
  return timed_ && nodes && isThere(timed_->root) && isThere(timed_->final);
}

std::shared_ptr<Registry> Registry::rebuilt(const GraphInUse &use, std::string &why) const {
  const MutexLock lock(mutex_);
  const RebuiltGraph *const own = rebuiltGraph();
  if (!own)
    return nullptr;
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  const Shape shape(use.graph);
  const Nodes &created = shape.created();
  if (!edited_ && (created.size() != own->twins.pairs().size() ||
                   !std::all_of(created.begin(), created.end(), [own](driver::Node node) {
                     return own->twins.of(node) != nullptr;
                   }))) {
    why = "code that is not instrumented changed it, or its handle now belongs to another graph; "
          "instrument that code";
    return nullptr;
  }
  if (isUnique(shape)) { // the choice of chooseTiming() is not valid any more
    why = "it got a node that it cannot be copied with; capture it again";
    return nullptr;
  }
  TimingRequest request;
  request.extents = extents_;
  const auto isThere = [&](std::uint32_t number) {
    const Nodes &nodes = request.extents.frontiers[number];
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](driver::Node node) { return shape.has(node); });
  };
  const auto ownTiming = static_cast<std::uint32_t>(timed_->ownTiming());
  std::copy_if(timed_->table->regions.begin(), timed_->table->regions.end(),
               std::back_inserter(request.regions), [ownTiming](const Region &region) {
                 return region.kind == Kind::Region && region.begin < ownTiming;
               });
  const std::vector<Extent> &extents = request.extents.regions;
  if (!shape.known() || request.regions.size() != extents.size() ||
      !std::all_of(extents.begin(), extents.end(), [&](const Extent &extent) {
        return extent.isEmpty || (std::ranges::all_of(extent.begins, isThere) &&
                                  (!extent.ends() || isThere(extent.end)));
      })) {
    why = "the node before a region was removed; capture it again";
    return nullptr;
  }
  if (services_.config().nodes || services_.wantsDrawings())
    request.owners = ownersIn(shape, request.extents);
  auto profile = profileOf(use, shape, request, why);
  if (!profile)
    return nullptr;
  auto other = std::make_shared<Registry>(services_, clock_, 0);
  other->mutex_.assertHeld(); // no other thread knows it yet
  other->take(std::move(*profile), edited_ ? 0 : timed_->table->graphNumber);
  other->extents_ = std::move(request.extents);
  return other;
}

bool Registry::usable() const {
  const MutexLock lock(mutex_);
  return timed_ && !edited_;
}

} // namespace graphprof
