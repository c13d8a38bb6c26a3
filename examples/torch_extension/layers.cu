// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels of a PyTorch extension. They need only CUDA, so nvcc can compile their instrumented
// copy on a machine without PyTorch. binding.cpp makes them available to Python.

#include "layers.h"

namespace {

__global__ void add(float *x, float offset, long n) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long>(blockDim.x) * gridDim.x)
    x[i] += offset;
}

__global__ void relu(float *x, long n) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long>(blockDim.x) * gridDim.x)
    x[i] = x[i] > 0 ? x[i] : 0;
}

constexpr int blocks = 256, threads = 256;

} // namespace

extern "C" int layersForward(float *x, long n, int layers, cudaStream_t stream) {
  for (int layer = 0; layer < layers; ++layer) {
    [[graphprof::time("[Layer {}] add", layer)]] {
      add<<<blocks, threads, 0, stream>>>(x, 1.0F, n);
    }
    [[graphprof::time("[Layer {}] relu", layer)]] { relu<<<blocks, threads, 0, stream>>>(x, n); }
  }
  return static_cast<int>(cudaGetLastError());
}

extern "C" int layersInstantiate(cudaGraph_t graph, cudaGraphExec_t *exec) {
  return static_cast<int>(cudaGraphInstantiate(exec, graph, 0ULL));
}

extern "C" int layersReplay(cudaGraphExec_t exec, cudaStream_t stream) {
  return static_cast<int>(cudaGraphLaunch(exec, stream));
}

extern "C" int layersDestroy(cudaGraphExec_t exec) {
  return static_cast<int>(cudaGraphExecDestroy(exec));
}
