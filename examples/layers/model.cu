// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The model and its two annotations, which are all that this program has of graphprof.

#include "model.cuh"

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

Layer::Layer(int id, std::size_t size)
    : id_(id), offsetOnHost_(example::randomNumbers(size, 100 + id)), offset_(offsetOnHost_) {}

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

void Layer::forward(std::vector<float> &x) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += offsetOnHost_[i];
    if (x[i] < 0.0F)
      x[i] = 0.0F;
  }
}

Model::Model(std::size_t size) {
  layers_.reserve(5);
  for (int id = 0; id < 5; ++id)
    layers_.emplace_back(id, size);
}

void Model::forward(float *x, cudaStream_t stream) const {
  for (const Layer &layer : layers_)
    layer.forward(x, stream);
}

void Model::forward(std::vector<float> &x) const {
  for (const Layer &layer : layers_)
    layer.forward(x);
}
