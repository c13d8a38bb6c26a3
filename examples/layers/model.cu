// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a layer of the model does on the device, and its two annotations, which are all that this
// program has of graphprof.

#include "../common/model.cuh"

__global__ void add(float *x, const float *offset, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += offset[i];
}

__global__ void relu(float *x, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.0F)
    x[i] = 0.0F;
}

void Layer::forward(float *x, cudaStream_t stream) const {
  const std::size_t n = offset_.size();
  const int blocks = example::blocksFor(n);
  [[graphprof::time("[Layer {}] add", id_)]] {
    add<<<blocks, example::threadsPerBlock, 0, stream>>>(x, offset_.data(), n);
  }
  [[graphprof::time("[Layer {}] relu", id_)]] {
    relu<<<blocks, example::threadsPerBlock, 0, stream>>>(x, n);
  }
}
