// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
//
// A function as an argument of a kernel's template: the kernel calls what a table or a macro chose. It is written by its name, so
// one that has overloads cannot be.

#include <cuda_runtime.h>

namespace ours {
namespace {
__device__ float half(float x) { return x / 2; }
} // namespace
template <class T, int By> __device__ T times(T x) { return x * By; }
} // namespace ours
static __device__ float twice(float x) { return x + x; }
static __host__ __device__ float other(float x) { return x; }
static __host__ __device__ int other(int x) { return x; }

typedef float (*Change)(float);
template <Change By, class T> __global__ void change(T *x) {
  [[graphprof::time("change")]] *x = By(*x);
}
template <auto By> __global__ void automatic(float *x) {
  [[graphprof::time("change")]] *x = By(*x);
}
template <Change By> __global__ void overloaded(float *x) {
  // SAID: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'overloaded' are not timed, and it runs as it is: it is a template, and an argument of it cannot be written behind it: a template, an overloaded or a member function, an object,
  [[graphprof::time("change")]] *x = By(*x);
}

void run(float *x) {
  change<twice><<<1, 1>>>(x);
  change<&ours::half, float><<<1, 1>>>(x);
  change<ours::times<float, 3>><<<1, 1>>>(x);
  automatic<twice><<<1, 1>>>(x);
  overloaded<other><<<1, 1>>>(x);
}

// CHECK: GRAPHPROF_TWIN_INSTANCE(change_graphprof_twin_0, ::change_graphprof_twin_scopes, "change<ours::half, float>", ::change<ours::half, float>, ::change_graphprof_twin<ours::half, float>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(change_graphprof_twin_1, ::change_graphprof_twin_scopes, "change<ours::times<float, 3>, float>", ::change<ours::times<float, 3>, float>, ::change_graphprof_twin<ours::times<float, 3>, float>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(change_graphprof_twin_2, ::change_graphprof_twin_scopes, "change<twice, float>",
// CHECK: GRAPHPROF_TWIN_INSTANCE(automatic_graphprof_twin_0, ::automatic_graphprof_twin_scopes, "automatic<twice>",
// CHECK-NOT: overloaded_graphprof_twin
