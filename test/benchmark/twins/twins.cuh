// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels of originals.cuh with scopes, by hand, as a tool would write them: the same text, one
// more parameter, a scope around each annotated statement. What a kernel calls gets a twin, too,
// where it holds a scope.

#pragma once

#include "originals.cuh"
#include "recorder.cuh"

namespace graphprof::benchmark {

__global__ void productTwin(const float *a, const float *b, float *c, int n,
                            const __grid_constant__ Recording recording) {
  Recorder recorder(recording);
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * tile + x;
  const int row = static_cast<int>(blockIdx.y) * tile + y;
  float sums[4] = {};
  for (int k = 0; k < n; k += tile) {
    {
      const Scope load(recorder, 0);
      for (int i = 0; i < 4; ++i) {
        left[y + 8 * i][x] = a[(row + 8 * i) * n + k + x];
        right[y + 8 * i][x] = b[(k + y + 8 * i) * n + column];
      }
    }
    {
      const Scope wait(recorder, 1);
      __syncthreads();
    }
    {
      const Scope multiply(recorder, 2);
      for (int j = 0; j < tile; ++j)
        for (int i = 0; i < 4; ++i)
          sums[i] += left[y + 8 * i][j] * right[j][x];
    }
    {
      const Scope wait(recorder, 3);
      __syncthreads();
    }
  }
  {
    const Scope store(recorder, 4);
    for (int i = 0; i < 4; ++i)
      c[(row + 8 * i) * n + column] = sums[i];
  }
}

/// Scopes: `scope`, the shuffles, and `scope + 1`, what goes through shared memory.
template <typename Operation>
__device__ float overBlockTwin(float value, Operation operation, Recorder &recorder,
                               std::uint32_t scope) {
  __shared__ float values[32];
  {
    const Scope shuffles(recorder, scope);
    for (int step = 16; step > 0; step /= 2)
      value = operation(value, __shfl_xor_sync(~0U, value, step));
  }
  const Scope shared(recorder, scope + 1);
  __syncthreads(); // who reads the last call's
  if (threadIdx.x % 32 == 0)
    values[threadIdx.x / 32] = value;
  __syncthreads();
  value = values[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    value = operation(value, values[warp]);
  return value;
}

__global__ void softmaxTwin(float *rows, const __grid_constant__ Recording recording) {
  Recorder recorder(recording);
  float *row = rows + static_cast<long>(blockIdx.x) * softmaxWidth;
  float largest = row[threadIdx.x];
  {
    const Scope scope(recorder, 0);
    for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
      largest = largest > row[i] ? largest : row[i];
  }
  largest = overBlockTwin(largest, Largest(), recorder, 3);
  float sum = 0;
  {
    const Scope scope(recorder, 1);
    for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
      sum += __expf(row[i] - largest);
  }
  sum = overBlockTwin(sum, Sum(), recorder, 3);
  {
    const Scope scope(recorder, 2);
    for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
      row[i] = __expf(row[i] - largest) / sum;
  }
}

__global__ void sumTwin(const float *values, float *sums, int count,
                        const __grid_constant__ Recording recording) {
  Recorder recorder(recording);
  float mine = 0;
  {
    const Scope load(recorder, 0);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += static_cast<int>(gridDim.x * blockDim.x))
      mine += values[i];
  }
  mine = overBlockTwin(mine, Sum(), recorder, 1);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = mine;
}

} // namespace graphprof::benchmark
