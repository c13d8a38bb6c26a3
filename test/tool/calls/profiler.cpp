// RUN: %instrument %s -o %t.cpp -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %compile %t.cpp
//
// CUDA's profiler is declared in headers of its own. Its calls open and close windows (GRAPHPROF_WINDOW).

#include <cuda.h>
#include <cuda_runtime_api.h>

extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
}

void profiled() {
  // CHECK-LABEL: void profiled() {
  cudaProfilerStart();
  // CHECK: ::graphprof::cuda::cudaProfilerStart();
  cudaProfilerStop();
  // CHECK: ::graphprof::cuda::cudaProfilerStop();
  cuProfilerStart();
  // CHECK: ::graphprof::cuda::cuProfilerStart();
  cuProfilerStop();
  // CHECK: ::graphprof::cuda::cuProfilerStop();
}
