// RUN: %instrument %s -o %t.cu -- %on_cpu
// RUN: %build_on_cpu %t.cu -o %t
// RUN: %t | FileCheck %s --strict-whitespace --match-full-lines
//
// What finds no room is counted, and nothing is written behind a warp's own entries. Blocks between the sampled ones and warps
// behind them write nothing, and a block may have fewer warps than may write.

#include "on_cpu.h"

__global__ void turns(int *to, int n) {
  [[graphprof::time("all")]] {
    for (int i = 0; i < n; ++i)
      [[graphprof::time("turn")]] to[threadIdx.x] += i;
  }
}
__global__ void places(int *to) {
  [[graphprof::time("place")]] {
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    to[block * 96 + thread] = thread;
  }
  if (threadIdx.z == 1)
    [[graphprof::time("second")]] to[0] += 1;
}

int main() {
  static int to[32], many[12 * 96];
  on_cpu::compare(turns, {1, 32, 1, 1, 8}, {on_cpu::all(to)}, to, 3);
  // CHECK:turns: same bytes
  // CHECK-NEXT:block 0, warp 0: all{turn turn turn}
  on_cpu::compare(turns, {1, 32, 1, 1, 7}, {on_cpu::all(to)}, to, 3);
  // CHECK-NEXT:turns: same bytes
  // CHECK-NEXT:block 0, warp 0: all{turn turn turn; 1 open; 1 found no room
  on_cpu::compare(turns, {3, 32, 1, 1, 4}, {on_cpu::all(to)}, to, 100);
  // CHECK-NEXT:turns: same bytes
  // CHECK-NEXT:block 0, warp 0: all{turn turn; 2 open; 198 found no room
  // CHECK-NEXT:block 1, warp 0: all{turn turn; 2 open; 198 found no room
  // CHECK-NEXT:block 2, warp 0: all{turn turn; 2 open; 198 found no room
  on_cpu::compare(turns, {1, 32, 1, 1, 2}, {on_cpu::all(to)}, to, 40000);
  // CHECK-NEXT:turns: same bytes
  // CHECK-NEXT:block 0, warp 0: all{turn; 2 open; 65533 found no room
  on_cpu::compare(places, {{2, 3, 2}, {8, 4, 3}, 3, 5}, {on_cpu::all(many)}, many);
  // CHECK-NEXT:places: same bytes
  // CHECK-NEXT:block 0, warp 0: place
  // CHECK-NEXT:block 0, warp 1: place second
  // CHECK-NEXT:block 0, warp 2: place
  // CHECK-NEXT:block 5, warp 0: place
  // CHECK-NEXT:block 5, warp 1: place second
  // CHECK-NEXT:block 5, warp 2: place
  // CHECK-NEXT:block 10, warp 0: place
  // CHECK-NEXT:block 10, warp 1: place second
  // CHECK-NEXT:block 10, warp 2: place
  on_cpu::compare(turns, {2, 20, 2}, {on_cpu::all(to)}, to, 2);
  // CHECK-NEXT:turns: same bytes
  // CHECK-NEXT:block 0, warp 0: all{turn turn}
  // CHECK-NEXT:block 0, warp 1: nothing
  // CHECK-NEXT:block 1, warp 0: all{turn turn}
  // CHECK-NEXT:block 1, warp 1: nothing
  // CHECK-NOT:{{.}}
}
