// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/ChildUses.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Registry.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

void ChildUses::add(ChildUse use) {
  const MutexLock lock(mutex_);
  all_.push_back(std::move(use));
}

std::vector<ChildUse> ChildUses::in(driver::Graph graph) {
  const MutexLock lock(mutex_);
  std::vector<ChildUse> uses;
  std::ranges::copy_if(all_, std::back_inserter(uses),
                       [graph](const ChildUse &use) { return use.graph == graph; });
  return uses;
}

bool ChildUses::anyIn(driver::Graph graph) {
  const MutexLock lock(mutex_);
  return std::ranges::count(all_, graph, &ChildUse::graph) > 0;
}

std::vector<ChildUse> ChildUses::takeFrom(driver::Graph graph) {
  std::vector<ChildUse> uses = in(graph);
  forgetIn(graph);
  return uses;
}

bool ChildUses::exchanged(driver::Node node, const std::shared_ptr<Registry> &child) {
  driver::Graph held = nullptr;
  const auto profiled = child ? child->usable() : nullptr;
  const bool timed =
      profiled && profiled->rebuilt() && ok(cu().graphChildGraphNodeGetGraph(node, &held));
  const TimedGraph::Pairs pairs = timed ? profiled->twinsOf(held) : TimedGraph::Pairs();
  const MutexLock lock(mutex_);
  const auto use = std::ranges::find(all_, node, &ChildUse::node);
  if (use == all_.end())
    return !child;
  if (!timed) {
    all_.erase(use);
    return !child;
  }
  child->used();
  use->child = child;
  use->profiled = profiled;
  use->nodes = pairs;
  use->held = std::make_shared<ChildContents>(node);
  use->edited = false;
  return true;
}

std::vector<driver::Graph> ChildUses::edited(driver::Graph graph, driver::Node node) {
  std::vector<driver::Graph> around;
  const MutexLock lock(mutex_);
  for (ChildUse &use : all_)
    if (use.held->graphs.contains(graph) || use.held->nodes.contains(node)) {
      use.edited = true;
      around.push_back(use.graph);
    }
  return around;
}

void ChildUses::cloned(driver::Graph graph, driver::Graph clone) {
  for (ChildUse &use : in(graph)) {
    use.graph = clone;
    use.nodes.clear(); // the clone contains other nodes
    if (driver::Node node = nullptr; ok(cu().graphNodeFindInClone(&node, use.node, clone))) {
      use.node = node;
      use.held = std::make_shared<ChildContents>(node);
      add(std::move(use));
    } else {
      services_.lose(&Counters::incomplete, use.profiled->table->regions.size(),
                     "regions of a child graph are not measured: its node was not found in a clone "
                     "of the graph around it; build that again instead of cloning it");
    }
  }
}

void ChildUses::forgetIn(driver::Graph graph) {
  const MutexLock lock(mutex_);
  std::erase_if(all_, [graph](const ChildUse &use) { return use.graph == graph; });
}

void ChildUses::forget(driver::Node node) {
  const MutexLock lock(mutex_);
  std::erase_if(all_, [node](const ChildUse &use) { return use.node == node; });
}

void ChildUses::forgetAll() {
  const MutexLock lock(mutex_);
  all_.clear();
}

} // namespace graphprof
