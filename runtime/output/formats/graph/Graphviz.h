// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphviz's `dot`, run as a program of its own where it is installed.

#ifndef GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H
#define GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H

#include <chrono>
#include <string>

namespace graphprof {

struct Drawn {
  std::string svg;
  std::string why; ///< there is none, as a clause; empty: there is
};

/// `dot`, a picture in Graphviz's language, as SVG. Runs `program`, found along PATH, and ends it
/// when it takes longer than `patience`.
[[nodiscard]] Drawn svgOf(const std::string &dot, const std::string &program = "dot",
                          std::chrono::seconds patience = std::chrono::seconds(60));

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHVIZ_H
