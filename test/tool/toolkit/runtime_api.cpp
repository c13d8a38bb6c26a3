// REQUIRES: toolkit
// RUN: %instrument %s -o - --strict -- -std=c++17 | FileCheck %s --match-full-lines
//
// A C++ source finds CUDA's headers without a flag, as under nvcc.

#include <cuda_runtime.h>

cudaError_t run(cudaStream_t s, cudaGraphExec_t e) { return cudaGraphLaunch(e, s); }
// CHECK: cudaError_t run(cudaStream_t s, cudaGraphExec_t e) { return ::graphprof::cuda::cudaGraphLaunch(e, s); }
