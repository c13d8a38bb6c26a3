// RUN: %instrument %s -o %t.cu -- %on_cpu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %build_on_cpu %t.cu -o %t
// RUN: %t | FileCheck %s --strict-whitespace --match-full-lines
//
// Kernels of templates, with shared memory and barriers. Each kernel that is made of a template has a twin of its own.
// SAID-NOT: warning
// SAID: 6 regions inside 2 kernels

#include "on_cpu.h"

enum class Layout { Rows, Columns };

template <int Tile, Layout Second = Layout::Rows>
__global__ void __launch_bounds__(Tile * Tile) product(const float *a, const float *b, float *c, int n) {
  __shared__ float left[Tile][Tile], right[Tile][Tile + 1];
  const int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += Tile) {
    [[graphprof::time("load")]] {
      left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
      const int i = k + threadIdx.y;
      if constexpr (Second == Layout::Rows)
        right[threadIdx.y][threadIdx.x] = i < n && column < n ? b[i * n + column] : 0;
      else
        right[threadIdx.y][threadIdx.x] = i < n && column < n ? b[column * n + i] : 0;
    }
    [[graphprof::time("barrier")]] __syncthreads();
    [[graphprof::time("product")]]
#pragma unroll
    for (int i = 0; i < Tile; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  [[graphprof::time("store")]] if (row < n && column < n) c[row * n + column] = sum;
}

// Half of the threads end at each step, and do not come to the next barrier.
template <class T, bool Halves> __global__ void sum(T *of) {
  __shared__ T part[128];
  part[threadIdx.x] = of[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    [[graphprof::time("wait")]] __syncthreads();
    if (Halves && threadIdx.x >= step)
      return;
    [[graphprof::time("add")]] if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0)
    of[blockIdx.x * blockDim.x] = part[0];
}

int main() {
  float a[100], b[100], c[100] = {}, to[256];
  for (int i = 0; i < 100; ++i) {
    a[i] = 1.0F / (i + 1);
    b[i] = 0.1F * (i % 7);
  }
  for (int i = 0; i < 256; ++i)
    to[i] = 0.3F * i;
  on_cpu::compare(product<8>, {{2, 2}, {8, 8}, 2, 3}, {on_cpu::all(c)}, a, b, c, 10);
  // CHECK:product<8, Layout::Rows>: same bytes
  // CHECK-NEXT:block 0, warp 0: load barrier product load barrier product store
  // CHECK-NEXT:block 0, warp 1: load barrier product load barrier product store
  // CHECK-NEXT:block 3, warp 0: load barrier product load barrier product store
  // CHECK-NEXT:block 3, warp 1: load barrier product load barrier product store
  on_cpu::compare(product<4, Layout::Columns>, {{3, 3}, {4, 4}, 1, 4}, {on_cpu::all(c)}, a, b, c, 10);
  // CHECK-NEXT:product<4, Layout::Columns>: same bytes
  // CHECK-NEXT:block 0, warp 0: load barrier product load barrier product load barrier product store
  // CHECK-NEXT:block 4, warp 0: load barrier product load barrier product load barrier product store
  // CHECK-NEXT:block 8, warp 0: load barrier product load barrier product load barrier product store
  on_cpu::compare(sum<float, false>, {2, 128, 4, 2}, {on_cpu::all(to)}, to);
  // CHECK-NEXT:sum<float, false>: same bytes
  // CHECK-NEXT:block 0, warp 0: wait add wait add wait add wait add wait add wait add wait add
  // CHECK-NEXT:block 0, warp 1: wait add wait add wait add wait add wait add wait add wait add
  // CHECK-NEXT:block 0, warp 2: wait add wait add wait add wait add wait add wait add wait add
  // CHECK-NEXT:block 0, warp 3: wait add wait add wait add wait add wait add wait add wait add
  on_cpu::compare(sum<float, true>, {2, 128, 3, 2}, {on_cpu::all(to)}, to);
  // CHECK-NEXT:sum<float, true>: same bytes
  // CHECK-NEXT:block 0, warp 0: wait add wait add wait add wait add wait add wait add wait add
  // CHECK-NEXT:block 0, warp 1: wait add wait
  // CHECK-NEXT:block 0, warp 2: wait
  // CHECK-NOT:{{.}}
}
