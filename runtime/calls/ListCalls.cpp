// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: what the program asks about the nodes and edges of its
// graphs. It gets them without graphprof's nodes. The driver has answered before: what it refuses
// is refused, and where none of those nodes can be, its answer stays.

#include "graphprof/detail/seam.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "calls/Guarded.h"
#include "graph/timing/HiddenNodes.h"
#include "graph/topology/Nodes.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

// What the program asked for: where it wants `*count` entries, or null if it wants their number.
template <class Entry> void give(const std::vector<Entry> &found, Entry *wanted, std::size_t room) {
  if (!wanted)
    return;
  std::copy_n(found.begin(), std::min(room, found.size()), wanted);
  if (room > found.size())
    std::fill(wanted + found.size(), wanted + room, Entry{});
}

std::size_t shown(std::size_t found, bool areWanted, std::size_t room) {
  return areWanted ? std::min(found, room) : found;
}

// Asks about each node once.
class Hidden {
public:
  bool operator()(driver::Node node) {
    const auto [known, isNew] = known_.try_emplace(node, false);
    if (isNew)
      known->second = HiddenNodes::has(process().devices, node);
    return known->second;
  }

private:
  std::unordered_map<driver::Node, bool> known_;
};

template <class Work> void ifHidden(Work work) noexcept {
  if (HiddenNodes::mayBe())
    ifTracking(work);
}

} // namespace

void graphprof_seam_nodesListed(CUgraph_st *graph, int onlyRoots, CUgraphNode_st **nodes,
                                std::size_t room, std::size_t *count) noexcept {
  ifHidden([&] {
    auto found = nodesOf(graph);
    if (!found)
      return;
    Hidden isHidden;
    std::erase_if(*found, isHidden);
    if (onlyRoots) {
      const auto edges = edgesOf(graph);
      if (!edges)
        return;
      std::unordered_set<driver::Node> behind; // a node of the program's
      for (std::size_t i = 0; i < edges->to.size(); ++i)
        if (!isHidden(edges->from[i]))
          behind.insert(edges->to[i]);
      std::erase_if(*found, [&](driver::Node node) { return behind.contains(node); });
    }
    give(*found, nodes, room);
    *count = shown(found->size(), nodes, room);
  });
}

void graphprof_seam_edgesListed(CUgraph_st *graph, CUgraphNode_st **from, CUgraphNode_st **to,
                                void *data, std::size_t room, std::size_t *count) noexcept {
  ifHidden([&] {
    const auto all = edgesOf(graph);
    if (!all)
      return;
    Edges found;
    Hidden isHidden;
    for (std::size_t i = 0; i < all->from.size(); ++i) {
      if (isHidden(all->from[i]) || isHidden(all->to[i]))
        continue;
      found.from.push_back(all->from[i]);
      found.to.push_back(all->to[i]);
      found.data.push_back(all->data[i]);
    }
    give(found.from, from, room);
    give(found.to, to, room);
    give(found.data, static_cast<driver::EdgeData *>(data), room);
    *count = shown(found.from.size(), from, room);
  });
}

void graphprof_seam_neighboursListed(CUgraphNode_st *node, int behind, CUgraphNode_st **nodes,
                                     void *data, std::size_t room, std::size_t *count) noexcept {
  ifHidden([&] {
    const auto all = neighboursOf(node, behind ? Side::After : Side::Before);
    if (!all)
      return;
    Neighbours found;
    Hidden isHidden;
    for (std::size_t i = 0; i < all->nodes.size(); ++i) {
      if (isHidden(all->nodes[i]))
        continue;
      found.nodes.push_back(all->nodes[i]);
      found.edges.push_back(all->edges[i]);
    }
    give(found.nodes, nodes, room);
    give(found.edges, static_cast<driver::EdgeData *>(data), room);
    *count = shown(found.nodes.size(), nodes, room);
  });
}
