// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names the work of a graph's node for users. Kernels, copies and memsets have the names that
// torch.profiler (Kineto) gives them. Asks the driver; does not know what is timed.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H

#include <string>
#include <string_view>
#include <vector>

#include "cuda/DriverApi.h"
#include "graphprof/record.h"

namespace graphprof {

class Services;

/// The work of a node.
struct NodeWork {
  Kind kind;
  std::string name;           ///< cut to the configured length
  std::vector<Value> context; ///< of a copy or memset: `bytes`
};

/// Whether nodes of this type are timed: kernels, copies, memsets, host functions and child graphs.
/// Not events, allocations and conditional nodes.
constexpr bool isWork(driver::NodeType type) { return type <= driver::NodeType::Graph; }

/// The work of `node`. Its type must be isWork().
NodeWork workOf(driver::Node node, driver::NodeType type, Services &services);

/// The name of a kernel for users: demangled, without return type and parameters.
///
///     kernelName("_ZN2ns5scaleIfEEvPT_i")  // "ns::scale<float>"
std::string kernelName(std::string_view symbol);
/// That of a kernel node's kernel: the driver gives its function or, for a library's kernel, the
/// kernel. "kernel" if CUDA does not tell.
std::string nameOfKernel(const driver::KernelNodeParams &params);

/// The site of all nodes with this name. Beyond a bound, all nodes of a kind share one site. It
/// lives as long as the process.
const Site &siteOf(Kind kind, const std::string &name);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODENAMES_H
