// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graph serves, as the program named it: "decode", with the values that tell it apart from
// the others of that name, such as a batch size. The one place that says how a graph is called.

#ifndef GRAPHPROF_OUTPUT_DATA_GRAPHNAME_H
#define GRAPHPROF_OUTPUT_DATA_GRAPHNAME_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graphprof/value.h"

namespace graphprof {

/// Never changes. All replays of a graph share one.
struct GraphName {
  std::string name;          ///< with its positional values filled in
  std::vector<Value> values; ///< with keys that live as long as this does
  std::string text;          ///< "decode batch=8": the name, and the values that have keys
};

/// With its text made.
[[nodiscard]] std::shared_ptr<const GraphName> graphNameOf(std::string name,
                                                           std::vector<Value> values);

/// How outputs call a graph: its name's text; "graph 1" if it has none (null). A name from outside
/// may hold anything: text outputs print it with printable().
[[nodiscard]] std::string shownGraph(const GraphName *name, std::uint64_t number);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_GRAPHNAME_H
