// RUN: %instrument %s -o %t.c -- %c11
// RUN: FileCheck %s --match-full-lines < %t.c
// RUN: %instrument %t.c -o %t.again.c -- %c11
// RUN: cmp %t.c %t.again.c
// RUN: %check_c -DCUDART_VERSION=12090 %t.c
//
// In CUDA 12 the forms with edge data have names of their own, and C functions have no overloads.

#include <cuda_runtime_api.h>

int edit(cudaGraph_t g, cudaGraphNode_t n) {
  // CHECK-LABEL: int edit({{.*}}
  int failed = cudaGraphAddDependencies(g, &n, &n, 1);
  // CHECK: {{^}}  int failed = graphprof_cudaGraphAddDependencies(g, &n, &n, 1);
  failed |= cudaGraphAddDependencies_v2(g, &n, &n, 0, 1);
  // CHECK: {{^}}  failed |= graphprof_cudaGraphAddDependencies_v2(g, &n, &n, 0, 1);
  return failed | cudaGraphRemoveDependencies_v2(g, &n, &n, 0, 1);
  // CHECK: {{^}}  return failed | graphprof_cudaGraphRemoveDependencies_v2(g, &n, &n, 0, 1);
}
