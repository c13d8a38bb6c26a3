// RUN: %instrument %s -o %t.cu --strict -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu --strict -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// Brackets of a launch that stand apart, and braces between them, as nvcc accepts them and clang does not.
// They stay as they are.

#include <cuda_runtime.h>

__global__ void kernel(int);
template <class T> struct Of {};
struct Stream {
} Out;
template <class T> struct Two {
  T A, B;
};
template <class T> void operator<<(Stream &, Two<T>);
using Nested = Of<Of<Of<int>> >;

void launches(cudaStream_t s, int n) {
  [[graphprof::time]] kernel<<<1, 1, 0, s>> >(n >> 1);
  // CHECK: { GRAPHPROF_SCOPE(1, "kernel", ::graphprof::on_stream(s)); kernel<<<1, 1, 0, s>> >(n >> 1); }
  [[graphprof::time]] kernel<< <1, 1, 0, s >>>(2); // not a launch: << <
  // CHECK: { GRAPHPROF_SCOPE(2, "kernel", ::graphprof::on_stream(s)); kernel<< <1, 1, 0, s >>>(2); } // not a launch: << <
  const char *text = "<< < >> >";
  // CHECK: const char *text = "<< < >> >";
  (void)text;
  [[graphprof::time]] kernel<<<{1, 2}, {32u, 8, (unsigned)n}, 0, s>>>(4);
  // CHECK: { GRAPHPROF_SCOPE(3, "kernel", ::graphprof::on_stream(s)); kernel<<<{1, 2}, {32u, 8, (unsigned)n}, 0, s>>>(4); }
  [[graphprof::time]] kernel<<< dim3{1, 2}, {8}, 0, {s}>> >([](Two<int>) { return 5; }({1, 2}));
  // CHECK: { GRAPHPROF_SCOPE(4, "kernel", ::graphprof::on_stream(s)); kernel<<< dim3{1, 2}, {8}, 0, {s}>> >([](Two<int>) { return 5; }({1, 2})); }
  operator<< <int>(Out, {1, 2});
}
