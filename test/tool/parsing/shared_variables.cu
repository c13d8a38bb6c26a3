// RUN: %instrument --strict %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
//
// What nvcc accepts of __shared__ variables and clang does not is device code, which stays as it is: no error even for --strict.
// SAID-NOT: error
// SAID: 0 regions, 1 redirected call;

#include <cuda_runtime.h>

struct Barrier {
  __device__ Barrier();
  __device__ ~Barrier();
  int arrived;
};
struct Two {
  int a = 1, b = 2;
};

template <class T> __global__ void waits(float *x) {
  __shared__ T one;
  __shared__ Barrier several[4];
}
template __global__ void waits<Barrier>(float *);

__global__ void adds(float *x) {
  __shared__ Two both;
  extern __shared__ float single;
  *x = single + both.a;
}

void run(cudaGraphExec_t exec, cudaStream_t stream) {
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
}
