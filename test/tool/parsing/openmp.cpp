// RUN: %instrument %s -o - --strict -- %cxx -fopenmp | FileCheck %s
// RUN: %instrument %s -o - --strict -- %cxx | FileCheck %s
//
// <omp.h> belongs to the host compiler: clang finds gcc's where it has none of its own, with and without -fopenmp.

#include <cuda_runtime.h>
#include <omp.h>

void run(cudaGraphExec_t exec, cudaStream_t stream) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    // CHECK: ::graphprof::cuda::cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
}
