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

namespace {

driver::Node inClone(driver::Node node, driver::Graph clone) {
  driver::Node found = nullptr;
  return node && ok(cu().graphNodeFindInClone(&found, node, clone)) ? found : nullptr;
}

// What times `clone`, a clone of the graph that `timed` times in a graph of its own. Null if the
// driver refuses.
std::shared_ptr<const TimedGraph> timedClone(const TimedGraph &timed, driver::Graph clone) {
  const RebuiltGraph &original = *timed.rebuilt();
  driver::Graph graph = nullptr;
  if (!ok(cu().graphClone(&graph, original.graph)))
    return nullptr;
  const auto rebuilt = std::make_shared<RebuiltGraph>(graph, timed.table->clock->currentDevice());
  auto result = std::make_shared<TimedGraph>();
  auto timing = timed.timingNodes().in(graph);
  if (!timing)
    return nullptr;
  timing->appendTo(result->timing);
  result->children = std::move(timing->children);
  result->root = inClone(timed.root, graph);
  result->final = inClone(timed.final, graph);
  Nodes nodes, twins;
  for (const auto &[node, twin] : original.twins.pairs()) {
    nodes.push_back(inClone(node, clone));
    twins.push_back(inClone(twin, graph));
  }
  rebuilt->twins = Twins(nodes, twins);
  result->way = std::shared_ptr<const RebuiltGraph>(rebuilt);
  auto table = std::make_shared<RegionTable>(*timed.table);
  table->graphNumber = nextGraphNumber();
  table->layout = RegionTable::nextLayout();
  for (Region &region : table->regions)
    region.node = inClone(region.node, clone);
  for (driver::Node &kernel : table->kernels)
    kernel = inClone(kernel, clone);
  for (WaitingKernel &kernel : table->waiting)
    kernel.node = inClone(kernel.node, clone);
  result->table = std::move(table);
  return result;
}

} // namespace

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const MutexLock lock(mutex_);
  auto timed = rebuiltGraph() ? timedClone(*timed_, clone) : nullptr;
  if (!timed)
    return nullptr;
  Extents extents = extents_;
  for (driver::Node &node : extents.captured)
    node = inClone(node, clone);
  for (Nodes &behind : extents.frontiers) {
    for (driver::Node &node : behind)
      node = inClone(node, clone);
    behind = frontier(std::move(behind));
  }
  return std::shared_ptr<Registry>(
      new Registry(services_, clock_, std::move(timed), std::move(extents)));
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
  auto timed = std::make_shared<TimedGraph>(*timed_);
  timed->table = std::move(table);
  timed_ = std::move(timed);
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
  if (capture_ && capture_->nodeGoes(node))
    return;
  const RebuiltGraph *const rebuilt = rebuiltGraph();
  if (!rebuilt || !rebuilt->twins.of(node) || !gone_.insert(node).second)
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

Expected<std::shared_ptr<Registry>> Registry::rebuilt(const GraphInUse &use) const {
  const MutexLock lock(mutex_);
  const RebuiltGraph *const own = rebuiltGraph();
  if (!own)
    return Failure{};
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  const Shape shape(use.graph);
  const Nodes &created = shape.created();
  if (!edited_ && (created.size() != own->twins.pairs().size() ||
                   !std::all_of(created.begin(), created.end(), [own](driver::Node node) {
                     return own->twins.of(node) != nullptr;
                   })))
    return Failure{"code that is not instrumented changed it, or its handle now belongs to another "
                   "graph; instrument that code"};
  if (isUnique(shape)) // the choice of chooseTiming() is not valid any more
    return Failure{"it got a node that it cannot be copied with; capture it again"};
  TimingRequest request;
  request.extents = extents_;
  request.serves = timed_->table->serves;
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
      }))
    return Failure{"the node before a region was removed; capture it again"};
  if (wantsOwners(services_))
    request.owners = ownersIn(shape, request.extents);
  auto timed = rebuild(use, shape, request, edited_ ? 0 : timed_->table->graphNumber);
  if (!timed)
    return timed.failure();
  auto next = std::shared_ptr<Registry>(
      new Registry(services_, clock_, std::move(*timed), std::move(request.extents)));
  next->life_ = life_;
  return next;
}

} // namespace graphprof
