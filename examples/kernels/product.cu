// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A tiled product of matrices whose kernel has regions inside: how long a warp loads, waits at the
// barrier, multiplies, stores. The graph is replayed a few times, and the product is checked.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (const cudaError_t error = (call); error != cudaSuccess) {                                  \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

constexpr int tile = 32; // so many rows and columns a block

/// c = a * b, all n by n. Blocks of tile x 8 threads, each with four elements of a column.
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * tile + x;
  const int row = static_cast<int>(blockIdx.y) * tile + y;
  float sums[4] = {};
  for (int k = 0; k < n; k += tile) {
    [[graphprof::time("load")]] {
      for (int i = 0; i < 4; ++i) {
        left[y + 8 * i][x] = a[(row + 8 * i) * n + k + x];
        right[y + 8 * i][x] = b[(k + y + 8 * i) * n + column];
      }
    }
    [[graphprof::time("barrier")]] __syncthreads();
    [[graphprof::time("product")]] {
      for (int j = 0; j < tile; ++j)
        for (int i = 0; i < 4; ++i)
          sums[i] += left[y + 8 * i][j] * right[j][x];
    }
    [[graphprof::time("barrier")]] __syncthreads();
  }
  [[graphprof::time("store")]] {
    for (int i = 0; i < 4; ++i)
      c[(row + 8 * i) * n + column] = sums[i];
  }
}

int main() {
  constexpr int n = 512, replays = 20;
  constexpr std::size_t elements = std::size_t{n} * n, bytes = elements * sizeof(float);
  std::vector<float> a(elements), b(elements), c(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    a[i] = static_cast<float>(i % 13) / 13;
    b[i] = static_cast<float>(i % 7) / 7;
  }
  float *onDevice[3] = {};
  for (float *&each : onDevice)
    CHECK(cudaMalloc(&each, bytes));
  CHECK(cudaMemcpy(onDevice[0], a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(onDevice[1], b.data(), bytes, cudaMemcpyHostToDevice));

  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const dim3 grid(n / tile, n / tile), block(tile, 8);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  [[graphprof::time("square")]] product<<<grid, block, 0, stream>>>(onDevice[0], onDevice[1],
                                                                    onDevice[2], n);
  [[graphprof::time("cube")]] product<<<grid, block, 0, stream>>>(onDevice[2], onDevice[1],
                                                                  onDevice[0], n);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < replays; ++i) {
    CHECK(cudaMemcpyAsync(onDevice[0], a.data(), bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaGraphLaunch(exec, stream));
  }
  CHECK(cudaMemcpyAsync(c.data(), onDevice[2], bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));

#ifndef WITHOUT_DEVICE // a simulation computes nothing
  for (int row = 0; row < n; row += 37)
    for (int column = 0; column < n; column += 41) {
      double expected = 0;
      for (int k = 0; k < n; ++k)
        expected += static_cast<double>(a[static_cast<std::size_t>(row) * n + k]) *
                    b[static_cast<std::size_t>(k) * n + column];
      const float computed = c[static_cast<std::size_t>(row) * n + column];
      if (std::fabs(computed - expected) > 1e-3 * expected) {
        std::fprintf(stderr, "c[%d][%d] is %f, not %f\n", row, column,
                     static_cast<double>(computed), expected);
        return 1;
      }
    }
  std::printf("the product is right\n");
#endif
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  for (float *each : onDevice)
    CHECK(cudaFree(each));
  return 0;
}
