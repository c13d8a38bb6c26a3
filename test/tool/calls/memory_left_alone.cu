// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu
//
// Copies and allocations that stay, without a word: what is missing in the profile then is only themselves.

#include <cuda_runtime.h>

#include "project/memory.h"

namespace mine {
template <class T> cudaError_t cudaMalloc(T **, size_t, const char *);
struct Pool {
  cudaError_t cudaFree(void *);
};
} // namespace mine

// The device has functions of these names.
__global__ void kernel(void **p) { cudaMalloc(p, 4), cudaFree(*p); }
__device__ void device(void **p) { cudaMalloc(p, 4); }
__host__ __device__ void both(int **p) { cudaFree(*p); }

// A name that a macro puts together.
#define ALLOCATE(name, ...) cuda##name(__VA_ARGS__)

// An overload of the program's own, which the argument may choose once it is known.
struct Handle {};
cudaError_t cudaFree(Handle);
template <class T> void release(T p) { cudaFree(p); }

void run(int *p, mine::Pool &pool) {
  mine::cudaMalloc(&p, 4, "here");
  pool.cudaFree(p);
  cudaFree(Handle());
  ALLOCATE(Malloc, &p, 4);
  ALLOCATE(StreamWaitEvent, nullptr, nullptr);
  IN_HEADER(p);
  cudaMemcpyPeerAsync(p, 0, p, 1, 4); // between devices
}
// CHECK-NOT: warning
// CHECK: memory_left_alone.cu -> {{.*}}: 0 regions, 0 redirected calls{{$}}
