// RUN: %instrument %s -o %t.c -- %c11
// RUN: FileCheck %s --match-full-lines < %t.c
// RUN: %instrument %t.c -o %t.again.c -- %c11
// RUN: cmp %t.c %t.again.c
// RUN: %check_c %t.c
// RUN: %instrument %s -o %t.plain.c --no-memory -- %c11
// RUN: cmp %s %t.plain.c
//
// Copies and allocations in C, through either API.

// CHECK:      #include <graphprof/c.h>
// CHECK-NEXT: #line 1 "{{.*}}memory_in_c.c"
#include <cuda.h>
#include <cuda_runtime_api.h>

#define CHECK(call)                                                                                                    \
  if ((call) != 0)                                                                                                     \
    return 1;

static cudaError_t (*const allocate)(void **, size_t) = &cudaMalloc;
// CHECK: static cudaError_t (*const allocate)(void **, size_t) = &graphprof_cudaMalloc;

int run(const void *from, cudaStream_t s) {
  // CHECK-LABEL: int run({{.*}}
  void *p;
  CUdeviceptr d;
  CHECK(cudaMalloc(&p, 4) || cudaMemcpyAsync(p, from, 4, cudaMemcpyHostToDevice, s))
  // CHECK: CHECK(graphprof_cudaMalloc(&p, 4) || graphprof_cudaMemcpyAsync(p, from, 4, cudaMemcpyHostToDevice, s))
  CHECK(cudaMemcpyToSymbol(p, from, 4, 0, cudaMemcpyHostToDevice))
  // CHECK: CHECK(graphprof_cudaMemcpyToSymbol(p, from, 4, 0, cudaMemcpyHostToDevice))
  CHECK(cuMemAlloc(&d, 4) || cuMemcpyHtoD_v2(d, from, 4) || cuMemcpyHtoDAsync(d, from, 4, s))
  // CHECK: CHECK(graphprof_cuMemAlloc(&d, 4) || graphprof_cuMemcpyHtoD(d, from, 4) || graphprof_cuMemcpyHtoDAsync(d, from, 4, s))
  CHECK(cudaMemcpy3DAsync(0, s) || cuMemcpyDtoH(p, d, 4) || cuMemcpy2D(0))
  // CHECK: CHECK(graphprof_cudaMemcpy3DAsync(0, s) || graphprof_cuMemcpyDtoH(p, d, 4) || graphprof_cuMemcpy2D(0))
  CHECK(cuMemRelease(1) || cuMemUnmap(d, 4))
  // CHECK: CHECK(graphprof_cuMemRelease(1) || graphprof_cuMemUnmap(d, 4))
  return allocate(&p, 4) || cudaFree(p) || cuMemFree(d);
  // CHECK: return allocate(&p, 4) || graphprof_cudaFree(p) || graphprof_cuMemFree(d);
}
