// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A model of five layers, each an addition and a ReLU. main.cu decides how it runs: eagerly or in a
// graph, and how often.

#ifndef GRAPHPROF_EXAMPLES_LAYERS_MODEL_CUH
#define GRAPHPROF_EXAMPLES_LAYERS_MODEL_CUH

#include <cstddef>
#include <vector>

#include "../common/example.h"

class Layer {
public:
  Layer(int id, std::size_t size);
  /// x = relu(x + offset), in place and in `stream`'s order.
  void forward(float *x, cudaStream_t stream) const;
  /// The same on the host.
  void forward(std::vector<float> &x) const;

private:
  int id_;
  std::vector<float> offsetOnHost_;
  example::DeviceArray offset_;
};

class Model {
public:
  /// Every layer works on `size` elements.
  explicit Model(std::size_t size);
  void forward(float *x, cudaStream_t stream) const;
  void forward(std::vector<float> &x) const;

private:
  std::vector<Layer> layers_;
};

#endif // GRAPHPROF_EXAMPLES_LAYERS_MODEL_CUH
