// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning:
// RUN: FileCheck %s < %t.cu
// RUN: %compile %t.cu
//
// What builds a graph has no stream to show: its region is the nodes that it adds.
// SAID: 2 regions, 4 redirected calls

#include <cuda_runtime.h>

cudaGraph_t build(const cudaKernelNodeParams &params) {
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&graph, 0);
  // CHECK: { GRAPHPROF_SCOPE(1, "first", ::graphprof::on_capture()); ::graphprof::cuda::cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params); }
  [[graphprof::time("first")]] cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
  // CHECK: { GRAPHPROF_SCOPE(2, "second", ::graphprof::on_capture());
  [[graphprof::time("second")]] {
    if (cudaGraphAddKernelNode(&second, graph, &first, 1, &params) != cudaSuccess)
      cudaGraphDestroy(graph);
  }
  return graph;
}
