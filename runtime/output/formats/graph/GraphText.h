// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with their times as text: for Graphviz, and as JSON.

#ifndef GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTEXT_H
#define GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTEXT_H

#include <string>

#include "output/formats/graph/GraphTimes.h"

namespace graphprof {

/// One picture of all graphs, in Graphviz's language: nested boxes for regions, with their nodes
/// inside. The darker a box, the larger its share of the replay's time.
[[nodiscard]] std::string graphsAsDot(const GraphTimes &times);

/// The same as JSON. docs/output.md describes its form.
[[nodiscard]] std::string graphsAsJson(const GraphTimes &times);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTEXT_H
