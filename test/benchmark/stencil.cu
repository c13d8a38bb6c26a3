// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Another realistic workload: a stencil solver. Jacobi's method for Poisson's equation with
// periodic edges, in single precision. Its kernels are memory-bound and take 2 to 15 us on an H200.

#include "check.h"
#include "workload.h"

#include <string>
#include <utility>

namespace benchmark {
namespace {

constexpr int side = 2048;      // the inner grid
constexpr int pitch = side + 2; // with its edges
constexpr int sweeps = 10;
constexpr int residualEvery = 2; // sweeps
constexpr int regionCount = 2 * sweeps + sweeps / residualEvery;

__device__ int at(int x, int y) { return y * pitch + x; }

/// Copies the opposite sides into the edges.
__global__ void wrapEdges(float *u) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > side)
    return;
  u[at(i, 0)] = u[at(i, side)];
  u[at(i, side + 1)] = u[at(i, 1)];
  u[at(0, i)] = u[at(side, i)];
  u[at(side + 1, i)] = u[at(1, i)];
}

__global__ void sweep(const float *u, const float *f, float *next) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  next[at(x, y)] =
      0.25f * (u[at(x - 1, y)] + u[at(x + 1, y)] + u[at(x, y - 1)] + u[at(x, y + 1)] - f[at(x, y)]);
}

/// Adds the squares of the residual.
__global__ void residual(const float *u, const float *f, float *sum) {
  __shared__ float partial[8];
  float squares = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y + 1; y <= side; y += gridDim.y * blockDim.y) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const float r = u[at(x - 1, y)] + u[at(x + 1, y)] + u[at(x, y - 1)] + u[at(x, y + 1)] -
                    4 * u[at(x, y)] - f[at(x, y)];
    squares += r * r;
  }
  for (int offset = 16; offset; offset /= 2)
    squares += __shfl_xor_sync(~0u, squares, offset);
  if (threadIdx.x == 0)
    partial[threadIdx.y] = squares;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (int row = 1; row < 8; ++row)
      squares += partial[row];
    atomicAdd(sum, squares);
  }
}

class Stencil : public Workload {
public:
  Stencil() {
    const std::size_t bytes = sizeof(float) * pitch * pitch;
    for (float *grid : {u_.get(), next_.get(), f_.get()})
      CHECK(cudaMemset(grid, 0, bytes));
    CHECK(cudaMemset(sum_.get(), 0, sizeof(float)));
    const float source = 1;
    CHECK(cudaMemcpy(f_.get() + static_cast<std::size_t>(side / 2) * pitch + side / 2, &source,
                     sizeof source, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
  }

  std::string name() const override { return "stencil solver"; }
  int regions() const override { return regionCount; }
  std::string regionName(int index) const override { return "region " + std::to_string(index); }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    const dim3 block(32, 8), grid(side / 32, side / 8);
    float *from = u_.get(), *to = next_.get();
    int region = 0;
    for (int i = 0; i < sweeps; ++i) {
      visitor.region(region++, [&] { wrapEdges<<<side / 256, 256, 0, stream>>>(from); });
      visitor.region(region++, [&] { sweep<<<grid, block, 0, stream>>>(from, f_.get(), to); });
      if (i % residualEvery == residualEvery - 1)
        visitor.region(region++, [&] {
          residual<<<dim3(side / 32, 8), block, 0, stream>>>(from, f_.get(), sum_.get());
        });
      std::swap(from, to);
    }
    CHECK(cudaGetLastError());
  }

private:
  DeviceArray<float> u_{pitch * pitch}, next_{pitch * pitch}, f_{pitch * pitch}, sum_{1};
};

} // namespace

std::unique_ptr<Workload> makeStencil() { return std::make_unique<Stencil>(); }

} // namespace benchmark
