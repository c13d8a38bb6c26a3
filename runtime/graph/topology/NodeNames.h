// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a node of a graph does, in a user's words: as torch.profiler (Kineto) names kernels, copies
// and memsets. Asks the driver; knows nothing of what is timed.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H

#include <string>
#include <string_view>
#include <vector>

#include "cuda/DriverApi.h"
#include "graphprof/record.h"

namespace graphprof {

/// A node's work.
struct NodeWork {
  Kind kind;
  std::string name;           ///< not longer than the configuration allows
  std::vector<Value> context; ///< of a copy or memset: its `bytes`
};

/// Whether nodes of that type do work that is timed: kernels, copies, memsets, host functions and
/// child graphs, not events, allocations and conditional nodes.
constexpr bool isWork(driver::NodeType type) { return type <= driver::NodeType::Graph; }

/// What `node` does, of a type that does some.
NodeWork workOf(driver::Node node, driver::NodeType type);

/// A kernel's name as users know it: demangled, without return type and parameters.
///
///     kernelName("_ZN2ns5scaleIfEEvPT_i")  // "ns::scale<float>"
std::string kernelName(std::string_view symbol);
/// A name, not longer than the configuration allows.
std::string shownName(std::string name);

/// The site of all nodes of that name: one for each, up to a bound, then one for all of the kind.
/// It lives as long as the process.
const Site &siteOf(Kind kind, const std::string &name);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H
