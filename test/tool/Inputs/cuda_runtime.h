// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tool's tests need of CUDA C++ to parse: launches, attribute macros, the C++ overloads of the runtime API.

#pragma once

#include "cuda_runtime_api.h"

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, CUstream_st *stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
typedef struct cudaLaunchConfig_st {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
} cudaLaunchConfig_t;
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
}

// As cuda_device_runtime_api.h has it: launching a graph from a kernel is another function of the same name.
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
__device__ cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);

static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        cudaGraphNode_t *, char *, size_t) {
  return ::cudaGraphInstantiate(exec, graph, 0);
}

template <class T> static inline __host__ cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return ::cudaMalloc((void **)memory, bytes);
}
#if defined(__CUDA__) // as cuda_device_runtime_api.h has them
extern "C" __device__ cudaError_t cudaFree(void *memory);
extern "C" __device__ cudaError_t cudaMalloc(void **memory, size_t bytes);
#endif

template <class T>
static inline __host__ cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned flags = 0) {
  return ::cudaHostAlloc((void **)memory, bytes, flags);
}
static inline __host__ cudaError_t cudaMallocHost(void **memory, size_t bytes, unsigned flags) {
  return ::cudaHostAlloc(memory, bytes, flags);
}
template <class T>
static inline __host__ cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                                      size_t offset = 0,
                                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
