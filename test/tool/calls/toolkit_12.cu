// Programs for CUDA 12, against headers that declare what a toolkit of 12.3 and of 12.9 does. The result is compiled with the
// simulation's headers, which have the forms of both.
//
// RUN: %instrument %s -o %t.3.cu -- -I%inputs/cuda12 %cuda
// RUN: FileCheck %s --match-full-lines < %t.3.cu
// RUN: %compile -DCUDART_VERSION=12030 %t.3.cu
// RUN: %instrument %s -o %t.9.cu -- -I%inputs/cuda12 %cuda -DCUDART_VERSION=12090
// RUN: FileCheck %s --match-full-lines --check-prefixes=CHECK,LATE < %t.9.cu
// RUN: %compile -DCUDART_VERSION=12090 %t.9.cu
// RUN: %instrument %s -o %t.13.cu -- %simulated -DFOR_13
// RUN: FileCheck %s --check-prefix=NEWER --match-full-lines < %t.13.cu
// RUN: %compile -DFOR_13 %t.13.cu
//
// The forms of 12 are no calls that a toolkit of 13 has: the tool says where, as the compiler will.
// RUN: %instrument %s -o %t.wrong.cu -- %simulated 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: toolkit_12.cu:[[#@LINE+12]]:3: warning: no matching function for call to 'cudaGraphAddNode'

void build(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphNodeParams *params, cudaStream_t stream, void **memory,
           cudaMemcpyAttributes *attributes) {
  cudaGraphExec_t exec;
  cudaGraphNode_t failed;
  char log[80];
  size_t count = 1;
  cudaStreamCaptureStatus status;
  unsigned long long id;
#ifndef FOR_13
  // Without edge data under the plain names, with it under names that end in _v2.
  cudaGraphAddNode(&node, graph, &node, 1, params);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphAddNode(&node, graph, &node, 1, params);
  cudaGraphAddNode_v2(&node, graph, &node, nullptr, 1, params);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphAddNode(&node, graph, &node, nullptr, 1, params);
  cudaGraphAddDependencies(graph, &node, &node, 1);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphAddDependencies(graph, &node, &node, 1);
  cudaGraphRemoveDependencies_v2(graph, &node, &node, nullptr, 1);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphRemoveDependencies(graph, &node, &node, nullptr, 1);
  // These ask.
  cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, nullptr, &count);
  // CHECK: {{^}}  cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, nullptr, &count);
  cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, nullptr, nullptr, &count);
  // CHECK: {{^}}  cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, nullptr, nullptr, &count);
#if CUDART_VERSION >= 12080
  cudaMemcpyBatchAsync(memory, memory, &count, 1, attributes, &count, 1, &count, stream);
  // LATE: {{^}}  ::graphprof::cuda::cudaMemcpyBatchAsync(memory, memory, &count, 1, attributes, &count, 1, &count, stream);
#endif
#else
  cudaGraphAddNode(&node, graph, &node, nullptr, 1, params);
  // NEWER: {{^}}  ::graphprof::cuda::cudaGraphAddNode(&node, graph, &node, nullptr, 1, params);
#endif
  // In both: an overload with a log, and the one with flags.
  cudaGraphInstantiate(&exec, graph, &failed, log, sizeof log);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphInstantiate(&exec, graph, &failed, log, sizeof log);
  // NEWER: {{^}}  ::graphprof::cuda::cudaGraphInstantiate(&exec, graph, &failed, log, sizeof log);
  cudaGraphInstantiate(&exec, graph, 0);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphLaunch(exec, stream);
}
