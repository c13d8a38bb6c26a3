// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: child graphs that are added or replaced.

#include "graphprof/detail/seam.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "calls/GraphCheck.h"
#include "calls/Guarded.h"
#include "graph/Graphs.h"
#include "graph/registry/Children.h"
#include "process/Lifetime.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

void graphprof_seam_childAdded(CUgraph_st *graph, CUgraphNode_st *node,
                               CUgraph_st *child) noexcept {
  guardedChange([&](Process &own) {
    used();
    const auto held = std::make_shared<ChildContents>(node);
    if (!held->graphs.contains(child)) // otherwise CUDA moved `child` into the node
      for (const driver::Graph copy : held->graphs)
        own.graphs.forgetStale(copy);
    needPrepared();
    const auto registry = own.follower.registryForChild(child);
    if (!registry)
      return;
    driver::Graph copy = nullptr;
    const auto profiled = registry->usable();
    if (!profiled || !profiled->rebuilt() ||
        !driver::ok(driver::cu().graphChildGraphNodeGetGraph(node, &copy)))
      return own.session.lose(
          &Counters::notInstantiated, 1, "a child graph is not timed: ",
          "it was changed after its capture, or the driver does not show its copy; capture "
          "it again");
    registry->used();
    const auto [depth, position] = endOf(own.graphs, graph);
    own.graphs.children().add(
        {graph, node, registry, profiled, profiled->twinsOf(copy), depth, position, held});
  });
}

namespace {

// The graph that the driver gets instead of the program's, from childSetting() to childSet(). Owned
// by a raw pointer: each thread would have to register a unique_ptr's destructor, and there may be
// no memory for that.
thread_local ChildCopy *givenChild = nullptr;

void dropGivenChild() {
  if (!givenChild)
    return;
  const driver::RelaxedCapture relaxed;
  delete std::exchange(givenChild, nullptr);
}

// The program gives a node of its graph, which is timed in place, a graph with these timing nodes.
void bindChild(const TimedGraph &around, const TimedChild &child,
               std::span<const driver::Node> timing) {
  placeOf(child, *around.table, around.ownBuffer())
      .buffer->bindStamps(timing, child.range.first, {});
}

} // namespace

// Also works after timing has stopped, because the exec still holds its timing nodes.
CUgraph_st *graphprof_seam_childSetting(CUgraphExec_st *exec, CUgraphNode_st *node,
                                        CUgraph_st *child) noexcept {
  if (!Registry::anyTimedChild() || inForkedChild())
    return child;
  CUgraph_st *given = child;
  guarded([&] {
    const driver::RelaxedCapture relaxed;
    std::optional<TimedChild> timed;
    const auto registries = process().graphs.registriesTiming(node);
    const auto found = std::find_if(registries.begin(), registries.end(), [&](const auto &each) {
      const auto around = each.registry->device() ? each.registry->timed() : nullptr;
      const TimedChild *const child = around ? around->timedChild(node) : nullptr;
      timed = child ? std::optional(*child) : std::nullopt;
      return timed && timed->isThere();
    });
    if (!relaxed || found == registries.end())
      return;
    Registry &registry = *found->registry;
    const driver::CurrentContext current(registry.device()->context());
    auto copy =
        std::make_unique<ChildCopy>(child, *timed->plan, registry.clock(), *registry.device());
    if (!copy->timing())
      return; // another shape: the driver refuses `child`, and the program gets that error
    if (!exec)
      bindChild(*registry.timed(), *timed, *copy->timing());
    else if (const auto pair = process().execs.pairOf(exec))
      pair->bindChild(node, *copy->timing());
    given = copy->graph();
    givenChild = copy.release();
  });
  return given;
}

void graphprof_seam_childSet(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child,
                             int succeeded) noexcept {
  dropGivenChild();
  if (!succeeded || !tracks())
    return;
  checkChanged(exec);
  const auto pair = process().execs.pairOf(exec);
  const bool followed = guardedChange([&](Process &own) {
    needPrepared();
    const auto registry = own.follower.registryForChild(child);
    const ChildChange change = pair       ? pair->setChild(node, child, registry)
                               : registry ? ChildChange::ExecUntimed
                                          : ChildChange::Followed;
    if (change == ChildChange::ChildUntimed)
      own.session.lose(
          &Counters::notMirrored, 1, "a child graph is not timed from now on: ",
          "its node got one with other regions; change the graph instead, and instantiate "
          "it again");
    if (change == ChildChange::ExecUntimed)
      own.session.lose(
          &Counters::notMirrored, 1, "an exec runs unprofiled from now on: ",
          "one of its child nodes got a graph with other regions; change the graph instead, and "
          "instantiate it again");
  });
  if (!followed && pair)
    pair->invalidate();
}

void graphprof_seam_childSetInGraph(CUgraphNode_st *node, CUgraph_st *child,
                                    int succeeded) noexcept {
  if (!succeeded)
    return dropGivenChild();
  guardedChange([&](Process &own) {
    needPrepared();
    own.follower.childSet(node, own.follower.registryForChild(child),
                          givenChild ? &*givenChild->levels() : nullptr);
  });
  dropGivenChild();
}
