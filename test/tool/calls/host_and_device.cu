// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu
//
// A function for both sides would call graphprof's host function on the device: its calls stay, and the tool says so.

#include <cuda_runtime.h>

__host__ __device__ void both(cudaGraphExec_t e, cudaStream_t s) { cudaGraphLaunch(e, s); }
// CHECK: :[[#@LINE-1]]:68: warning: 'cudaGraphLaunch' is not redirected: host and device code share it here; call it from host code
