// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
//
// A twin has the linkage of its kernel. Where `extern __shared__` arrays are in it, nvcc warns of another one.
// SAID-NOT: warning
// SAID: 5 regions inside 4 kernels

#include <cuda_runtime.h>

extern "C" __global__ void before(int *p) {
  extern __shared__ int raw[];
  [[graphprof::time("a")]] p[0] = raw[0];
}
extern "C" {
__global__ void inside(int *p) {
  [[graphprof::time("a")]] p[0] = 1;
}
extern __global__ void inside_too(int *p) {
  [[graphprof::time("a")]] p[0] = 1;
}
}
extern "C" __device__ void function(int *p) {
  [[graphprof::time("b")]] p[0] = 1;
}
extern "C" __global__ void earlier(int *p);
__global__ void earlier(int *p) {
  [[graphprof::time("a")]] function(p);
}

// CHECK: #line 11
// CHECK-NEXT: {{^}}extern "C" __global__ void before_graphprof_twin(
// CHECK: {{^}}__global__ void inside_graphprof_twin(
// CHECK: {{^}}extern __global__ void inside_too_graphprof_twin(
// CHECK: {{^}}extern "C" __device__ void function_graphprof_twin(
// CHECK: {{^}}extern "C" __global__ void earlier_graphprof_twin(
// CHECK: function_graphprof_twin(graphprof_recorder, 1, p);
