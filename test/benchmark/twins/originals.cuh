// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Three kernels as programs write them: a tiled product of matrices, a softmax, a sum. What
// twins.cuh adds to copies of them must leave their machine code as it is.

#pragma once

namespace graphprof::benchmark {

inline constexpr int tile = 32; // of the product: so many rows and columns a block
inline constexpr int softmaxWidth = 4096, softmaxThreads = 256;
inline constexpr int sumThreads = 256; // a power of two

/// c = a * b, all n by n. Blocks of tile x 8 threads, each with four elements of a column.
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * tile + x;
  const int row = static_cast<int>(blockIdx.y) * tile + y;
  float sums[4] = {};
  for (int k = 0; k < n; k += tile) {
    for (int i = 0; i < 4; ++i) {
      left[y + 8 * i][x] = a[(row + 8 * i) * n + k + x];
      right[y + 8 * i][x] = b[(k + y + 8 * i) * n + column];
    }
    __syncthreads();
    for (int j = 0; j < tile; ++j)
      for (int i = 0; i < 4; ++i)
        sums[i] += left[y + 8 * i][j] * right[j][x];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    c[(row + 8 * i) * n + column] = sums[i];
}

struct Largest {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// The value of all threads of a block.
template <typename Operation> __device__ float overBlock(float value, Operation operation) {
  __shared__ float values[32];
  for (int step = 16; step > 0; step /= 2)
    value = operation(value, __shfl_xor_sync(~0U, value, step));
  __syncthreads(); // who reads the last call's
  if (threadIdx.x % 32 == 0)
    values[threadIdx.x / 32] = value;
  __syncthreads();
  value = values[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    value = operation(value, values[warp]);
  return value;
}

/// Each block one row of softmaxWidth elements, in place.
__global__ void softmax(float *rows) {
  float *row = rows + static_cast<long>(blockIdx.x) * softmaxWidth;
  float largest = row[threadIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
    largest = largest > row[i] ? largest : row[i];
  largest = overBlock(largest, Largest());
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
    sum += __expf(row[i] - largest);
  sum = overBlock(sum, Sum());
  for (int i = static_cast<int>(threadIdx.x); i < softmaxWidth; i += softmaxThreads)
    row[i] = __expf(row[i] - largest) / sum;
}

/// The sums of the blocks' shares of `count` values.
__global__ void sum(const float *values, float *sums, int count) {
  float mine = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += static_cast<int>(gridDim.x * blockDim.x))
    mine += values[i];
  mine = overBlock(mine, Sum());
  if (threadIdx.x == 0)
    sums[blockIdx.x] = mine;
}

} // namespace graphprof::benchmark
