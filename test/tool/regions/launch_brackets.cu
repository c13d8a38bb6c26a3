// RUN: %instrument %s -o %t.cu --strict -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu --strict -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// Brackets of a launch that stand apart, as nvcc accepts them and clang does not. They stay as they are.

#include <cuda_runtime.h>

__global__ void kernel(int);
template <class T> struct Of {};
using Nested = Of<Of<Of<int>> >;

void launches(cudaStream_t s, int n) {
  [[graphprof::time]] kernel<<<1, 1, 0, s>> >(n >> 1);
  // CHECK: { GRAPHPROF_SCOPE(1, "kernel", ::graphprof::onStream(s)); kernel<<<1, 1, 0, s>> >(n >> 1); }
  [[graphprof::time]] kernel<< <1, 1, 0, s >>>(2); // not a launch: << <
  // CHECK: { GRAPHPROF_SCOPE(2, "kernel", ::graphprof::onStream(s)); kernel<< <1, 1, 0, s >>>(2); } // not a launch: << <
  const char *text = "<< < >> >";
  // CHECK: const char *text = "<< < >> >";
  (void)text;
}
