// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A model of five layers, each an addition and a ReLU, for layers and transparent_profiler. Each of
// them defines what a layer does on the device, and times it in its own way; main.cu decides how
// the model runs: eagerly or in a graph, and how often.

#ifndef GRAPHPROF_EXAMPLES_COMMON_MODEL_CUH
#define GRAPHPROF_EXAMPLES_COMMON_MODEL_CUH

#include <cstddef>
#include <vector>

#include "example.h"

class Layer {
public:
  Layer(int id, std::size_t size)
      : id_(id), offsetOnHost_(example::randomNumbers(size, 100 + id)), offset_(offsetOnHost_) {}
  /// x = relu(x + offset), in place and in `stream`'s order.
  void forward(float *x, cudaStream_t stream) const;
  /// The same on the host.
  void forward(std::vector<float> &x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += offsetOnHost_[i];
      if (x[i] < 0.0F)
        x[i] = 0.0F;
    }
  }

private:
  int id_;
  std::vector<float> offsetOnHost_;
  example::DeviceArray offset_;
};

class Model {
public:
  /// Every layer works on `size` elements.
  explicit Model(std::size_t size) {
    layers_.reserve(5);
    for (int id = 0; id < 5; ++id)
      layers_.emplace_back(id, size);
  }
  void forward(float *x, cudaStream_t stream) const {
    for (const Layer &layer : layers_)
      layer.forward(x, stream);
  }
  void forward(std::vector<float> &x) const {
    for (const Layer &layer : layers_)
      layer.forward(x);
  }

private:
  std::vector<Layer> layers_;
};

#endif // GRAPHPROF_EXAMPLES_COMMON_MODEL_CUH
