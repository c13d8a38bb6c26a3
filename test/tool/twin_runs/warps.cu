// RUN: %instrument %s -o %t.cu -- %on_cpu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %build_on_cpu %t.cu -o %t
// RUN: %t | FileCheck %s --strict-whitespace --match-full-lines
//
// Values that go from lane to lane, with device functions that have regions of their own, and whose numbers differ from call to
// call.
// SAID-NOT: warning
// SAID: 11 regions inside 4 kernels

#include "on_cpu.h"

__device__ float sumOf(float x) {
  [[graphprof::time("shuffle")]] for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xFFFFFFFF, x, by);
  return x;
}
__device__ float largestOf(float x, int by = 16) {
  for (; by > 0; by /= 2)
    [[graphprof::time("step")]] x = max(x, __shfl_xor_sync(0xFFFFFFFF, x, by));
  return x;
}
template <class T, int Lanes> __device__ T scan(T x) {
  for (int by = 1; by < Lanes; by *= 2) {
    [[graphprof::time("up")]] {
      const T before = __shfl_up_sync(0xFFFFFFFF, x, by);
      if (static_cast<int>(threadIdx.x % 32) < by)
        continue;
      x += before;
    }
  }
  return x;
}
static __device__ int rank() {
  [[graphprof::time("rank")]] {
    const unsigned votes = __ballot_sync(0xFFFFFFFF, threadIdx.x % 3 == 0);
    return __builtin_popcount(votes & ((1U << threadIdx.x % 32) - 1));
  }
}

// A warp has a row.
__global__ void softmax(float *rows, int count, int n) {
  const int lane = threadIdx.x % 32;
  for (int row = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32; row < count; row += gridDim.x * blockDim.x / 32) {
    float largest = rows[row * n], sum = 0;
    [[graphprof::time("largest")]] {
      for (int i = lane; i < n; i += 32)
        largest = max(largest, rows[row * n + i]);
      largest = largestOf(largest);
    }
    [[graphprof::time("sum")]] {
      for (int i = lane; i < n; i += 32)
        sum += onCpuExp(rows[row * n + i] - largest);
      sum = sumOf(sum);
    }
    [[graphprof::time("divide")]]
    for (int i = lane; i < n; i += 32)
      rows[row * n + i] = onCpuExp(rows[row * n + i] - largest) / sum;
  }
}

namespace ours {
__global__ void both(float *x, int *ranks) {
  ranks[threadIdx.x] = rank();
  x[threadIdx.x] = sumOf(largestOf(x[threadIdx.x], 2)) + sumOf(1);
  [[graphprof::time("count")]] atomicAdd(ranks, rank());
}
} // namespace ours

template <class T> __global__ void scanned(T *x) {
  [[graphprof::time("whole")]] x[threadIdx.x] = scan<T, 32>(x[threadIdx.x]);
  x[threadIdx.x] += scan<int, 4>(static_cast<int>(threadIdx.x));
}

// Of a warp with fewer lanes than 32, and with lanes that have ended.
__global__ void few(int *to) {
  if (threadIdx.x % 2 == 1)
    return;
  [[graphprof::time("own")]] to[threadIdx.x] = 1;
  [[graphprof::time("next")]] to[threadIdx.x] += __shfl_down_sync(0x55, to[threadIdx.x], 2);
}

int main() {
  float rows[5 * 40];
  int ranks[64] = {}, to[8] = {5, 6, 7, 8, 9, 10, 11, 12};
  for (int i = 0; i < 5 * 40; ++i)
    rows[i] = 0.37F * (i % 11);
  on_cpu::compare(softmax, {2, 64, 2}, {on_cpu::all(rows)}, rows, 5, 40);
  // CHECK:softmax: same bytes
  // CHECK-NEXT:block 0, warp 0: largest{step step step step step} sum{shuffle} divide largest{step step step step step} sum{shuffle} divide
  // CHECK-NEXT:block 0, warp 1: largest{step step step step step} sum{shuffle} divide
  // CHECK-NEXT:block 1, warp 0: largest{step step step step step} sum{shuffle} divide
  // CHECK-NEXT:block 1, warp 1: largest{step step step step step} sum{shuffle} divide
  on_cpu::compare(ours::both, {1, 64, 2}, {on_cpu::all(rows), on_cpu::all(ranks)}, rows, ranks);
  // CHECK-NEXT:both: same bytes
  // CHECK-NEXT:block 0, warp 0: rank step step shuffle shuffle count{rank}
  // CHECK-NEXT:block 0, warp 1: rank step step shuffle shuffle count{rank}
  on_cpu::compare(scanned<float>, {1, 32}, {on_cpu::all(rows)}, rows);
  // CHECK-NEXT:scanned<float>: same bytes
  // CHECK-NEXT:block 0, warp 0: whole{up up up up up} up up
  on_cpu::compare(few, {1, 8}, {on_cpu::all(to)}, to);
  // CHECK-NEXT:few: same bytes
  // CHECK-NEXT:block 0, warp 0: own next
  // CHECK-NOT:{{.}}
}
