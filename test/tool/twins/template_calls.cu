// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
//
// Which function a template calls may be known only in what is made of it. A call without arguments may leave them to defaults.

#include <cuda_runtime.h>

namespace other {
struct Number {
  float x;
};
__device__ float g(Number n) { return n.x; }
} // namespace other
__device__ float f(float x = 1) {
  [[graphprof::time("f")]] x += 1;
  return x;
}
__device__ float g(float x) {
  [[graphprof::time("g")]] x += 1;
  return x;
}
template <class T> __global__ void k(T *p) {
  p[0] = f(p[1]);
  p[1] = f();
}
template <class T> __global__ void several(T *p, float *to) {
  // SAID: :[[#@LINE+1]]:11: warning: the regions inside 'g' are not timed in this call: a macro or a template calls another function here, too
  to[0] = g(p[0]);
  to[1] = f(to[0]);
}
void run(float *x, int *y, other::Number *z) {
  k<<<1, 1>>>(x);
  k<<<1, 1>>>(y);
  several<<<1, 1>>>(x, x);
  several<<<1, 1>>>(z, x);
}

// CHECK: void k_graphprof_twin(
// CHECK-NEXT: p[0] = f_graphprof_twin(graphprof_recorder, 0, p[1]);
// CHECK-NEXT: p[1] = f_graphprof_twin(graphprof_recorder, 0);
// CHECK: void several_graphprof_twin(
// CHECK-NEXT: to[0] = g(p[0]);
// CHECK-NEXT: to[1] = f_graphprof_twin(graphprof_recorder, 0, to[0]);
