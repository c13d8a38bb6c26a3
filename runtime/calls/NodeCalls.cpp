// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: nodes that are added, edited or destroyed, in graphs and
// execs.

#include "graphprof/detail/seam.h"

#include "calls/Guarded.h"
#include "graph/Graphs.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

void graphprof_seam_nodeAdded(CUgraph_st *graph, CUgraphNode_st *node) noexcept {
  guardedChange([&](Process &own) {
    own.follower.edited(graph);
    const auto built = own.graphs.registryOf(graph) ? nullptr : own.graphs.built().of(graph);
    if (!built)
      return;
    int depth = 0;
    for (const auto &open : OpenRegions::ofThisThread().stack) {
      if (!open->building || open->left.load() || !built->isWithin(*open->building))
        continue;
      open->isOfGraph = true;
      built->add(*open->building, depth++, node);
    }
    if (depth > 0)
      own.graphs.built().nodeAdded(graph, node);
  });
}

void graphprof_seam_bodiesAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *const *bodies,
                                unsigned count) noexcept {
  guardedChange([&](Process &own) {
    used();
    const auto [depth, position] = endOf(own.graphs, graph);
    own.graphs.bodiesAdded(
        {graph, node, std::vector<driver::Graph>(bodies, bodies + count), depth, position});
  });
}

void graphprof_seam_graphEdited(CUgraph_st *graph) noexcept {
  guardedChange([&](Process &own) { own.follower.edited(graph); });
}

void graphprof_seam_nodeEdited(CUgraphNode_st *node) noexcept {
  guardedChange([&](Process &own) { own.follower.edited(node); });
}

void graphprof_seam_nodeDestroying(CUgraphNode_st *node) noexcept {
  guardedChange([&](Process &own) { own.follower.nodeDestroying(node); });
}

CUgraphNode_st *graphprof_seam_nodeTwin(CUgraphNode_st *node) noexcept {
  CUgraphNode_st *result = nullptr;
  guardedChange([&](Process &own) { result = own.follower.changing(node); });
  return result;
}

void graphprof_seam_nodeChanged(CUgraphNode_st *node) noexcept {
  guardedChange([&](Process &own) {
    if (const auto registry = own.graphs.registryOf(node))
      registry->nodeChanged(node);
  });
}

void graphprof_seam_execKernelChanging(CUgraphExec_st *exec, CUgraphNode_st *node,
                                       CUfunc_st *function, CUkern_st *kernel,
                                       unsigned long long blocks, unsigned threads,
                                       unsigned sharedBytes) noexcept {
  guardedChange([&](Process &own) {
    if (const auto pair = own.execs.pairOf(exec))
      pair->kernelChanging(node, {function, kernel, blocks, threads, sharedBytes});
  });
}

void graphprof_seam_execNodeChanged(CUgraphExec_st *exec, CUgraphNode_st *node,
                                    const char *kernel) noexcept {
  guardedChange([&](Process &own) {
    if (const auto pair = own.execs.pairOf(exec))
      pair->nodeChanged(node, kernel);
  });
}

int graphprof_seam_twin(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraphExec_st **otherExec,
                        CUgraphNode_st **otherNode) noexcept {
  Twin twin{nullptr, nullptr, false};
  guardedChange([&](Process &own) {
    if (const auto pair = own.execs.pairOf(exec))
      twin = pair->twin(node);
  });
  *otherExec = twin.exec;
  *otherNode = twin.node;
  return !twin.exec ? 0 : twin.isShown ? 2 : 1;
}

void graphprof_seam_nodeSwitching(CUgraphExec_st *exec, CUgraphNode_st *node, int isOn) noexcept {
  guardedChange([&](Process &own) {
    own.execs.nodeSwitching(exec);
    if (const auto pair = own.execs.pairOf(exec))
      pair->switching(node, isOn != 0);
  });
}

void graphprof_seam_notMirrored(CUgraphExec_st *exec) noexcept {
  guardedChange([&](Process &own) {
    const auto pair = own.execs.pairOf(exec);
    if (pair && pair->drop())
      own.session.lose(
          &Counters::notMirrored, 1, "an exec runs unprofiled from now on: ",
          "a change of one of its nodes could not be repeated; instantiate it again after the "
          "change");
  });
}
