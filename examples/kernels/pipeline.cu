// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A tiled product of matrices in which one warp of each block loads the next tiles while the others
// multiply. The trace shows both beside each other. The graph is replayed a few times, and the
// product is checked.

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

constexpr int tile = 32;       // so many rows and columns a block
constexpr int multiplying = 8; // warps of a block, each with four rows of a tile
constexpr int atOnce = 4;      // floats of a copy

/// Copies 16 bytes to shared memory while the thread goes on, from compute capability 8.0 on.
__device__ void copy(float *to, const float *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(shared), "l"(from) : "memory");
#else
  *reinterpret_cast<float4 *>(to) = *reinterpret_cast<const float4 *>(from);
#endif
}
__device__ void waitForCopies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/// Copies a tile with one warp. `from`: its first element, in rows of n.
__device__ void copyTile(float (*to)[tile], const float *from, int n) {
  constexpr int ofRow = tile / atOnce;
  for (int i = static_cast<int>(threadIdx.x); i < tile * ofRow; i += 32)
    copy(&to[i / ofRow][i % ofRow * atOnce], from + i / ofRow * n + i % ofRow * atOnce);
}

/// c = a * b, all n by n. Blocks of 32 x (1 + multiplying) threads: the first warp loads.
__global__ void pipelined(const float *a, const float *b, float *c, int n) {
  __shared__ alignas(16) float left[2][tile][tile], right[2][tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y) - 1;
  const bool loads = y < 0;
  const int column = static_cast<int>(blockIdx.x) * tile, row = static_cast<int>(blockIdx.y) * tile;
  float sums[4] = {};
  if (loads) {
    [[graphprof::time("load")]] {
      copyTile(left[0], a + row * n, n);
      copyTile(right[0], b + column, n);
      waitForCopies();
    }
  }
  [[graphprof::time("barrier")]] __syncthreads();
  for (int k = 0; k < n; k += tile) {
    const int now = k / tile % 2, next = k + tile;
    if (!loads) {
      [[graphprof::time("product")]] {
        for (int j = 0; j < tile; ++j)
          for (int i = 0; i < 4; ++i)
            sums[i] += left[now][y + multiplying * i][j] * right[now][j][x];
      }
    } else if (next < n) {
      [[graphprof::time("load")]] {
        copyTile(left[1 - now], a + row * n + next, n);
        copyTile(right[1 - now], b + next * n + column, n);
        waitForCopies();
      }
    }
    [[graphprof::time("barrier")]] __syncthreads();
  }
  if (!loads) {
    [[graphprof::time("store")]] {
      for (int i = 0; i < 4; ++i)
        c[(row + y + multiplying * i) * n + column + x] = sums[i];
    }
  }
}

int main() {
  constexpr int n = 512, replays = 8;
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
  const dim3 grid(n / tile, n / tile), block(32, 1 + multiplying);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  pipelined<<<grid, block, 0, stream>>>(onDevice[0], onDevice[1], onDevice[2], n);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < replays; ++i) {
    CHECK(cudaMemsetAsync(onDevice[2], 0, bytes, stream));
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
