// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs Graphviz's program `dot`, if it is installed.

#ifndef GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H
#define GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H

#include <chrono>
#include <string>

namespace graphprof {

struct Drawn {
  std::string svg;
  std::string why; ///< why there is no picture, as a clause; empty: there is one
};

/// Draws `dot`, a picture in Graphviz's language, as SVG. Runs `program`, which is searched in
/// PATH, and ends it if it takes longer than `patience`.
[[nodiscard]] Drawn svgOf(const std::string &dot, const std::string &program = "dot",
                          std::chrono::seconds patience = std::chrono::seconds(60));

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H
