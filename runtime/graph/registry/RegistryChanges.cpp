// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Registry: what becomes of it when the program changes or clones its graph after the split.

#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Registry.h"
#include "graph/timing/InPlace.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

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

std::shared_ptr<Registry> Registry::rebuilt(driver::Graph graph, std::span<const ChildUse> uses,
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
