// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// The twin of a device function's template is a template, which takes the same arguments.

#include <cuda_runtime.h>

namespace ours {
template <int Rows, class T = float> __device__ void load(const T *from, T *to) {
  for (int i = 0; i < Rows; ++i)
    [[graphprof::time("row")]] to[i] = from[i];
}
} // namespace ours
template <class T> static __device__ T sum(T a, T b) {
  [[graphprof::time("sum")]] return a + b;
}
template <class T> __device__ T outer(T a) {
  [[graphprof::time("outer")]] a = sum(a, a);
  return a;
}
template <class T> __device__ T several(T a) {
  // SAID: :[[#@LINE+1]]:5: warning: the regions inside the device function 'several' are not timed, and it runs as it is: it is a template with specializations
  [[graphprof::time("several")]] return a;
}
template <> __device__ int several(int a) { return a + 1; }
template <int By> __device__ float named(float a) {
  // SAID: :[[#@LINE+1]]:5: warning: 'By' is {{.*}}; the region inside the kernel is not timed
  [[graphprof::time("by {}", By)]] return a * By;
}

template <class T, int Rows> __global__ void all(T *x) {
  [[graphprof::time("load")]] ours::load<Rows, T>(x, x + Rows);
  x[0] = sum(x[0], x[1]) + sum<T>(x[1], T()) + outer(x[2]) + several(x[3]);
}
__global__ void plain(float *x) {
  ours::load<3>(x, x + 3);
  x[0] = sum(x[0], x[1]) + sum<double>(x[1], 2) + outer(x[2]) + named<3>(x[3]);
}
void run(float *x, int *y) {
  all<float, 2><<<1, 1>>>(x);
  all<int, 3><<<1, 1>>>(y);
  plain<<<1, 1>>>(x);
}

// CHECK: template <int Rows, class T = float> __device__ void load_graphprof_twin(::graphprof::device::Recorder &graphprof_recorder, unsigned graphprof_base, const T *from, T *to) {
// CHECK: void all_graphprof_twin(
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0); ours::load_graphprof_twin<Rows, T>(graphprof_recorder, 1, x, x + Rows); }
// CHECK-NEXT: x[0] = sum_graphprof_twin(graphprof_recorder, 2, x[0], x[1]) + sum_graphprof_twin<T>(graphprof_recorder, 2, x[1], T()) + outer_graphprof_twin(graphprof_recorder, 3, x[2]) + several(x[3]);
// CHECK: GRAPHPROF_TWIN_SCOPES(all_graphprof_twin_scopes, {"load", __FILE__, 35}, {"row", __FILE__, 14}, {"sum", __FILE__, 18}, {"outer", __FILE__, 21}, {"sum", __FILE__, 18})
// CHECK: void plain_graphprof_twin(
// CHECK-NEXT: ours::load_graphprof_twin<3>(graphprof_recorder, 0, x, x + 3);
// CHECK-NEXT: x[0] = sum_graphprof_twin(graphprof_recorder, 1, x[0], x[1]) + sum_graphprof_twin<double>(graphprof_recorder, 1, x[1], 2) + outer_graphprof_twin(graphprof_recorder, 2, x[2]) + named_graphprof_twin<3>(graphprof_recorder, 4, x[3]);
