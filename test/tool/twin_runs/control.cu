// RUN: %instrument %s -o %t.cu -- %on_cpu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %build_on_cpu %t.cu -o %t
// RUN: %t | FileCheck %s --strict-whitespace --match-full-lines
//
// However control leaves a region, its end is written, and the kernel does what it does without regions.
// SAID-NOT: warning
// SAID: 16 regions inside 4 kernels

#include "on_cpu.h"

__global__ void leave(int *to, int n) {
  [[graphprof::time("begin")]] to[threadIdx.x] = n;
  for (int i = 0; i < 6; ++i) {
    [[graphprof::time("turn")]] {
      if (i == 1)
        continue;
      [[graphprof::time("inner")]] {
        if (i == 3)
          break;
        to[threadIdx.x] += i;
      }
    }
  }
  [[graphprof::time("search")]] {
    for (int i = 0;; ++i)
      for (int k = 0; k < 3; ++k)
        [[graphprof::time("look")]] if (i + k == 3) goto found;
  }
found:
  [[graphprof::time("rest")]] {
    if (threadIdx.x == 0 && n == 1)
      return;
    to[threadIdx.x] *= 2;
  }
  [[graphprof::time("last")]] to[threadIdx.x] += 1;
}

__global__ void choose(int *to, int n) {
  int left = n;
  [[graphprof::time("while")]] while (left > 0) {
    switch (left % 3) {
    case 0: {
      [[graphprof::time("three")]] to[0] += 3;
      break;
    }
    case 1:
      [[graphprof::time("one")]] { to[1] += 1; break; }
    default:
      [[graphprof::time("two")]] to[2] += 2;
    }
    --left;
  }
  [[graphprof::time("do")]] do
    to[3] += left;
  while (++left < 2);
  [[graphprof::time("if")]] if (left == 2) to[4] = 1;
  else to[4] = 2;
}

// Lane 0 writes: the region that it does not enter is not there.
__global__ void lanes(int *to) {
  if (threadIdx.x % 32 == 1)
    [[graphprof::time("lane 1")]] to[threadIdx.x] = 1;
  else
    [[graphprof::time("others")]] to[threadIdx.x] = 2;
}

__global__ void shared(int *to) {
  extern __shared__ int numbers[];
  [[graphprof::time("fill")]] numbers[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}
ON_CPU_DYNAMIC(int, numbers, 64)

int main() {
  int to[64] = {};
  for (int i = 0; i < 64; ++i)
    to[i] = i;
  on_cpu::compare(leave, {1, 2}, {on_cpu::all(to)}, to, 0);
  // CHECK:leave: same bytes
  // CHECK-NEXT:block 0, warp 0: begin turn{inner} turn turn{inner} turn{inner} search{look look look look look look} rest last
  on_cpu::compare(leave, {1, 2}, {on_cpu::all(to)}, to, 1);
  // CHECK-NEXT:leave: same bytes
  // CHECK-NEXT:block 0, warp 0: begin turn{inner} turn turn{inner} turn{inner} search{look look look look look look} rest
  on_cpu::compare(choose, {1, 1}, {on_cpu::all(to)}, to, 4);
  // CHECK-NEXT:choose: same bytes
  // CHECK-NEXT:block 0, warp 0: while{one three two one} do if
  on_cpu::compare(lanes, {1, 64, 2}, {on_cpu::all(to)}, to);
  // CHECK-NEXT:lanes: same bytes
  // CHECK-NEXT:block 0, warp 0: others
  // CHECK-NEXT:block 0, warp 1: others
  on_cpu::compare(shared, {1, 64, 2}, {on_cpu::all(to)}, to);
  // CHECK-NEXT:shared: same bytes
  // CHECK-NEXT:block 0, warp 0: fill
  // CHECK-NEXT:block 0, warp 1: fill
  // CHECK-NOT:{{.}}
}
