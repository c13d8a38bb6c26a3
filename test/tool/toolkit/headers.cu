// REQUIRES: toolkit, all
// RUN: %instrument %s -o %t.cu --strict -- -std=c++17 -arch=sm_90 --extended-lambda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu --strict -- -std=c++17 -arch=sm_90 --extended-lambda
// RUN: cmp %t.cu %t.again.cu
// RUN: %instrument %s -o %t.release.cu --strict -- -std=c++17 -arch=sm_90 --extended-lambda -DNDEBUG 2>&1 | FileCheck %s --check-prefix=RELEASE
// RELEASE-NOT: warning
//
// With a real toolkit, clang parses what nvcc parses: its macros, its global min and max for the host, CCCL.

#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/std/atomic>
#include <cuda_fp16.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#if !defined(__NVCC__) || !__CUDACC__ || __CUDACC_VER_MAJOR__ < 12
#error the tool does not look like nvcc
#endif

__global__ void waits() { __shared__ cuda::barrier<cuda::thread_scope_block> barrier; }
__global__ void kernel(int *p) { p[0] = max(p[0], min(3, threadIdx.x)); }

cudaError_t run(cudaStream_t s, cudaGraphExec_t e, cudaGraph_t g) {
  thrust::device_vector<int> v(10);
  [[graphprof::time("sort")]] thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end());
  // CHECK: { GRAPHPROF_SCOPE(1, "sort", ::graphprof::on_stream(s)); thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end()); }
  [[graphprof::time]] kernel<<<min(3, 4), max(2u, 3), 0, s>>>(thrust::raw_pointer_cast(v.data()));
  // CHECK: { GRAPHPROF_SCOPE(2, "kernel", ::graphprof::on_stream(s)); kernel<<<min(3, 4), max(2u, 3), 0, s>>>(thrust::raw_pointer_cast(v.data())); }
  auto device = [] __device__(int x) { return min(x, 1); };
  (void)device;
  cudaGraphInstantiate(&e, g, NULL, NULL, 0); // an inline function of CUDA's C++ header
  // CHECK: ::graphprof::cuda::cudaGraphInstantiate(&e, g, NULL, NULL, 0); // an inline function of CUDA's C++ header
  return cudaGraphLaunch(e, s);
  // CHECK: return ::graphprof::cuda::cudaGraphLaunch(e, s);
}
