// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Choice.h"

namespace graphprof {

namespace {

struct Row {
  bool (*applies)(const GraphFacts &facts, const GraphClock &clock);
  Way way;
  std::string_view why;
};

// Without regions, nodes are timed in rebuilt graphs only. For a graph that cannot be rebuilt, a
// message says so.
bool hasWork(const GraphFacts &facts, const GraphClock &clock) {
  if (facts.hasRegions)
    return true;
  if (facts.isBody || facts.holdsBodies)
    return facts.hasTimedBodies || (facts.hasTimedChildren && clock.timesChildren());
  const bool inPlace = facts.isMarked || (facts.isUnique && !facts.isBuilt);
  return facts.hasTimedNodes || (facts.hasTimedChildren && (!inPlace || clock.timesChildren()));
}

constexpr Row rows[] = {
    {[](const GraphFacts &facts, const GraphClock &clock) {
       return facts.isBody && !clock.timesBodies();
     },
     Way::Untimed,
     "the body of a conditional node is not timed with events: it takes none; use the stamp clock"},

    {[](const GraphFacts &facts, const GraphClock &clock) { return !hasWork(facts, clock); },
     Way::Untimed, ""},

    {[](const GraphFacts &facts, const GraphClock &) {
       return facts.mayBeRecaptured && (facts.isBody || facts.holdsBodies || facts.keepsNodes);
     },
     Way::Untimed,
     "a graph with memory or conditional nodes would keep graphprof's nodes, and CUDA would refuse "
     "to capture it once more (cudaStreamBeginRecaptureToGraph); if the program never does that, "
     "set GRAPHPROF_IN_PLACE=1"},

    {[](const GraphFacts &facts, const GraphClock &) { return facts.isBody; }, //
     Way::Body, ""},

    {[](const GraphFacts &facts, const GraphClock &) { return facts.holdsBodies; }, Way::InPlace,
     ""},

    // The program may add nodes to such a graph later, with graphprof's nodes in it.
    {[](const GraphFacts &facts, const GraphClock &) { return facts.isUnique && facts.isBuilt; },
     Way::Untimed,
     "a graph that is built by hand is not timed where it holds memory or conditional nodes, or "
     "nodes that the device may update; capture it instead"},

    {[](const GraphFacts &facts, const GraphClock &) { return facts.isUnique || facts.isMarked; },
     Way::InPlace, ""},

    {[](const GraphFacts &, const GraphClock &) { return true; }, //
     Way::Rebuilt, ""},
};

} // namespace

Choice chooseTiming(const GraphFacts &facts, const GraphClock &clock) {
  const Row *row = rows;
  while (!row->applies(facts, clock)) // the last one always applies
    ++row;
  return {row->way, row->why};
}

} // namespace graphprof
