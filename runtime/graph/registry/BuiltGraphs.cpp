// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/BuiltGraphs.h"

#include <algorithm>
#include <utility>

#include "services/Services.h"

namespace graphprof {

void BuiltGraphs::add(driver::Graph graph) {
  set(graph, std::make_shared<ExplicitGraph>(services_, devices_));
}

void BuiltGraphs::set(driver::Graph graph, std::shared_ptr<ExplicitGraph> built) {
  const std::vector<driver::Node> nodes = built->nodes();
  const MutexLock lock(mutex_);
  graphs_.insert_or_assign(graph, std::move(built));
  any_ = true;
  for (const driver::Node node : nodes)
    nodes_.add(graph, node);
}

void BuiltGraphs::nodeAdded(driver::Graph graph, driver::Node node) {
  const MutexLock lock(mutex_);
  nodes_.add(graph, node);
}

std::shared_ptr<ExplicitGraph> BuiltGraphs::of(driver::Graph graph) {
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(graph);
  return found == graphs_.end() ? nullptr : found->second;
}

bool BuiltGraphs::hasRegions(driver::Graph graph) {
  const auto built = of(graph);
  return built && built->hasRegions();
}

std::vector<std::shared_ptr<ExplicitGraph>> BuiltGraphs::with(driver::Node node) {
  std::vector<std::shared_ptr<ExplicitGraph>> all;
  const MutexLock lock(mutex_);
  for (const driver::Graph graph : nodes_.graphsOf(node))
    if (const auto found = graphs_.find(graph); found != graphs_.end())
      all.push_back(found->second);
  return all;
}

std::vector<driver::Graph> BuiltGraphs::on(std::span<Device *const> devices) {
  std::vector<driver::Graph> found;
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[graph, built] : graphs_)
    if (std::ranges::find(devices, built->device()) != devices.end())
      found.push_back(graph);
  return found;
}

void BuiltGraphs::forget(driver::Graph graph) {
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(graph);
  if (found == graphs_.end())
    return;
  count(*found->second);
  graphs_.erase(found);
  nodes_.forget(graph);
  any_ = !graphs_.empty();
}

void BuiltGraphs::forgetAll() {
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[graph, built] : graphs_)
    count(*built);
  graphs_.clear();
  nodes_.clear();
  any_ = false;
}

void BuiltGraphs::count(const ExplicitGraph &forgotten) {
  services_.lose(&Counters::incomplete, forgotten.unused(),
                 "regions of a graph that was built by hand were never measured: no "
                 "exec was made of it, or it is a conditional node's body, which "
                 "takes no events; instantiate it, or use the stamp clock");
}

} // namespace graphprof
