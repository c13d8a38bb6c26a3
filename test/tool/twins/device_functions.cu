// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// Device functions with annotated statements get twins of their own, which kernels' twins call. Their regions have other numbers
// in each kernel.

#include <cuda_runtime.h>

namespace ours {
__device__ inline float inner(float x) {
  [[graphprof::time("inner")]] { x += 1; }
  return x;
}
__device__ float clock0(void) {
  [[graphprof::time("clock")]] return 1;
}
} // namespace ours
static __device__ float outer(float x) {
  [[graphprof::time("outer")]] x = ours::inner(x);
  return ours::inner(x) + ours::clock0();
}
__device__ void later(float *x);
#define CALL(x) ours::inner(x)

__global__ void first(float *x) {
  [[graphprof::time("begin")]] { x[0] = 0; }
  [[graphprof::time("call")]] x[1] = outer(x[0]) + ours::clock0();
  // SAID: :[[#@LINE+1]]:{{[0-9]+}}: warning: the regions inside 'later' are not timed in this call: the function is defined behind that which calls it
  later(x);
  // SAID: warning: the regions inside 'inner' are not timed in this call: a macro spells it
  x[2] = CALL(x[1]);
}
__global__ void parenthesized(float *x) { x[0] = (ours::inner)(x[1]) + ((ours::clock0))(); }
#define BOTH_IN_LAMBDA(e) ([](float y) { return e; }(1) + (e))
__global__ void nested(float *x) {
  const float y = 1;
  // SAID: :[[#@LINE+1]]:44: warning: the regions inside 'inner' are not timed in this call: it is in a lambda or a local class
  auto lambda = [](float z) { return ours::inner(z); };
  struct Local {
    // SAID: :[[#@LINE+2]]:56: warning: the regions inside 'clock0' are not timed in this call: it is in a lambda or a local class
    // SAID: :[[#@LINE+1]]:73: warning: the regions inside 'inner' are not timed in this call: it is in a lambda or a local class
    static __device__ float of(float z) { return ours::clock0() + ours::inner(z); }
  };
  // SAID: :[[#@LINE+1]]:31: warning: the regions inside 'inner' are not timed in this call: it is in a lambda or a local class
  x[0] = BOTH_IN_LAMBDA(ours::inner(y));
  x[1] = ours::inner(lambda(Local::of(1)));
}
__global__ void second(float *x) { x[0] = ours::clock0(); }

__device__ void later(float *x) {
  [[graphprof::time("later")]] { x[0] = 0; }
}
__device__ void many(float *x) {
  // SAID: :[[#@LINE+1]]:5: warning: the regions inside the device function 'many' are not timed, and it runs as it is: its name has overloads
  [[graphprof::time("many")]] { x[0] = 0; }
}
__device__ void many(int *x) {}
__device__ float defaults(float x, float by = 1);
__device__ float defaults(float x, float by) {
  // SAID: :[[#@LINE+1]]:5: warning: the regions inside the device function 'defaults' are not timed, and it runs as it is: an earlier declaration has the default of a parameter
  [[graphprof::time("defaults")]] return x + by;
}
__global__ void third(float *x) {
  later(x);
  many(x);
  x[1] = defaults(x[0]);
}

// CHECK: __device__ inline float inner(float x) {
// CHECK: __device__ inline float inner_graphprof_twin(::graphprof::device::Recorder &graphprof_recorder, unsigned graphprof_base, float x) {
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, graphprof_base + 0); x += 1; }
// CHECK: __device__ float clock0_graphprof_twin(::graphprof::device::Recorder &graphprof_recorder, unsigned graphprof_base) {
// CHECK: static __device__ float outer_graphprof_twin(
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, graphprof_base + 0); x = ours::inner_graphprof_twin(graphprof_recorder, graphprof_base + 1, x); }
// CHECK-NEXT: return ours::inner_graphprof_twin(graphprof_recorder, graphprof_base + 1, x) + ours::clock0_graphprof_twin(graphprof_recorder, graphprof_base + 2);
// CHECK: __global__ void first_graphprof_twin(
// CHECK: x[1] = outer_graphprof_twin(graphprof_recorder, 2, x[0]) + ours::clock0_graphprof_twin(graphprof_recorder, 5); }
// CHECK: later(x);
// CHECK: x[2] = CALL(x[1]);
// CHECK-NEXT: } GRAPHPROF_TWIN(first, first_graphprof_twin, {"begin", __FILE__, 29}, {"call", __FILE__, 30}, {"outer", __FILE__, 22}, {"inner", __FILE__, 14}, {"clock", __FILE__, 18}, {"clock", __FILE__, 18})
// CHECK: __global__ void parenthesized_graphprof_twin({{.*}} x[0] = (ours::inner_graphprof_twin)(graphprof_recorder, 0, x[1]) + ((ours::clock0_graphprof_twin))(graphprof_recorder, 1); }
// CHECK: __global__ void nested_graphprof_twin(
// CHECK: return ours::inner(z); };
// CHECK: return ours::clock0() + ours::inner(z); }
// CHECK: x[0] = BOTH_IN_LAMBDA(ours::inner(y));
// CHECK-NEXT: x[1] = ours::inner_graphprof_twin(graphprof_recorder, 0, lambda(Local::of(1)));
// CHECK: __global__ void second_graphprof_twin({{.*}} x[0] = ours::clock0_graphprof_twin(graphprof_recorder, 0); } GRAPHPROF_TWIN(second, second_graphprof_twin, {"clock", __FILE__, 18})
// CHECK: __global__ void third_graphprof_twin(
// CHECK-NEXT: later_graphprof_twin(graphprof_recorder, 0, x);
// CHECK-NEXT: many(x);
// CHECK-NEXT: x[1] = defaults(x[0]);
