// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "model.h"

__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }

void mlp(int layer, float *x, cudaStream_t stream) {
  [[graphprof::time("mlp {}", layer)]] { scale<<<1, 32, 0, stream>>>(x, 0.5F); }
}
