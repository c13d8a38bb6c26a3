// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Helpers for the tests of edges with data: kernels that record when they ran, and short forms of
// the calls that make such edges.

#ifndef GRAPHPROF_TEST_EDGES_H
#define GRAPHPROF_TEST_EDGES_H

#include "Conformance.h"

#include <string>

inline void PrintTo(const cudaGraphEdgeData &data, std::ostream *out) {
  *out << "port " << int{data.from_port} << " to " << int{data.to_port} << ", type "
       << int{data.type};
}

namespace conformance {

// Writes the time at which it runs. Defined in EdgeTimes.cu.
__global__ void stampNow(unsigned long long *word);

constexpr cudaGraphEdgeData kCompletion{};
constexpr cudaGraphEdgeData kLaunched = {cudaGraphKernelNodePortLaunchCompletion, 0, 0, {}};
constexpr cudaGraphEdgeData kProgrammatic = {
    cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};
// The edge of graphprof's stamps: on the same port, and visible to the dependent kernel.
constexpr cudaGraphEdgeData kProgrammaticLaunched = {
    cudaGraphKernelNodePortLaunchCompletion, 0, cudaGraphDependencyTypeProgrammatic, {}};

// All kinds of edges that wait for less than a whole kernel.
inline const auto kEveryEdge = testing::Values(kLaunched, kProgrammatic, kProgrammaticLaunched);
inline std::string nameOfEdge(const testing::TestParamInfo<cudaGraphEdgeData> &info) {
  return std::string(info.param.type ? "Programmatic" : "Plain") +
         (info.param.from_port == cudaGraphKernelNodePortProgrammatic ? "AtTrigger"
                                                                      : "AtLaunchCompletion");
}

inline void expectSame(const cudaGraphEdgeData &expected, const cudaGraphEdgeData &actual) {
  EXPECT_EQ(expected.from_port, actual.from_port);
  EXPECT_EQ(expected.to_port, actual.to_port);
  EXPECT_EQ(expected.type, actual.type);
}

// For device code. Neither exists below compute capability 9.0, where no test needs them.
__device__ inline void triggerDependents() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ inline void waitForDependencies() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
__device__ inline unsigned long long deviceTimeNs() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
// Occupies the device for about `ns` nanoseconds. times[0] is the first block's begin, negated so
// that zero means none, and times[1] is the last block's end.
__device__ inline void runTimed(unsigned long long *times, unsigned long long ns) {
  if (threadIdx.x == 0)
    atomicMax(&times[0], ~deviceTimeNs());
  const long long begin = clock64();
  while (clock64() - begin < static_cast<long long>(2 * ns)) {
  }
  if (threadIdx.x == 0)
    atomicMax(&times[1], deviceTimeNs());
}

struct Dependency {
  cudaGraphNode_t node;
  cudaGraphEdgeData data;
};

// Adds the node of `params` with these dependencies.
inline cudaError_t tryAdd(cudaGraph_t graph, const std::vector<Dependency> &after,
                          cudaGraphNodeParams params, cudaGraphNode_t *node) {
  std::vector<cudaGraphNode_t> nodes;
  std::vector<cudaGraphEdgeData> data;
  for (const Dependency &each : after) {
    nodes.push_back(each.node);
    data.push_back(each.data);
  }
  return cudaGraphAddNode(node, graph, nodes.data(), data.data(), nodes.size(), &params);
}

template <typename... Parameters>
cudaGraphNodeParams kernelParams(void (*kernel)(Parameters...), void **arguments) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void *>(kernel);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  return params;
}

inline bool isBelowHopper() {
  int major = 0;
  EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major < 9;
}

// Goes first in every test of programmatic edges.
#define NEEDS_PROGRAMMATIC_EDGES                                                                   \
  if (conformance::isBelowHopper())                                                                \
  GTEST_SKIP() << "programmatic edges need compute capability 9.0"

// A graph to which tests add spins, and the queries that the tests of both kinds of edges use.
struct EdgeTest : Conformance {
  Stream stream;
  Graph graph, other;
  Exec exec;
  unsigned long long ns = kShortNs;
  void *arguments[1] = {&ns};

  EdgeTest() { EXPECT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0)); }

  cudaError_t trySpin(cudaGraph_t to, const std::vector<Dependency> &after, cudaGraphNode_t *node) {
    return tryAdd(to, after, kernelParams(spin, arguments), node);
  }
  cudaGraphNode_t addSpin(cudaGraph_t to, const std::vector<Dependency> &after = {}) {
    cudaGraphNode_t node = nullptr;
    EXPECT_CUDA(cudaSuccess, trySpin(to, after, &node));
    return node;
  }
  static cudaError_t tryEmpty(cudaGraph_t to, const std::vector<Dependency> &after,
                              cudaGraphNode_t *node) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeEmpty;
    return tryAdd(to, after, params, node);
  }
  static std::vector<Dependency> dependenciesOf(cudaGraphNode_t node) {
    std::size_t count = 0;
    EXPECT_EQ(cudaSuccess, cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    std::vector<cudaGraphEdgeData> data(count);
    if (count)
      EXPECT_EQ(cudaSuccess, cudaGraphNodeGetDependencies(node, nodes.data(), data.data(), &count));
    std::vector<Dependency> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back({nodes[i], data[i]});
    return result;
  }
  static cudaGraphEdgeData onlyEdgeTo(cudaGraphNode_t node) {
    const auto dependencies = dependenciesOf(node);
    EXPECT_EQ(1u, dependencies.size());
    return dependencies.empty() ? cudaGraphEdgeData{} : dependencies[0].data;
  }
};

} // namespace conformance

#endif // GRAPHPROF_TEST_EDGES_H
