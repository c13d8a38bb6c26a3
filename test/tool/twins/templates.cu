// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// The twin of a template is a template. At the end of the source stands which kernels the source makes of it.
// SAID-NOT: warning
// SAID: 3 regions inside 2 kernels

#include <cuda_runtime.h>

namespace ours {
struct Pair { int a, b; };
enum class Kind { Small, Large };
namespace {
template <class T, int N = 3, Kind Of = Kind::Small>
__global__ void fill(T *to) {
  [[graphprof::time("load")]] { to[0] = T(); }
  [[graphprof::time("store")]] to[1] = T();
} // behind
int line = __LINE__;
} // namespace

template <class... T> __global__ void many(T... all) {
  [[graphprof::time("all")]] { }
}
template <class T> __global__ void never(T *to) {}
} // namespace ours

template __global__ void ours::many<float>(float);

void run(float *x, ours::Pair *y) {
  ours::fill<<<1, 1>>>(x);
  ours::fill<ours::Pair, 4, ours::Kind::Large><<<1, 1>>>(y);
  ours::fill<float, 3><<<1, 1>>>(x);
  ours::many<int, const char *><<<1, 1>>>(1, "");
}

// CHECK: template <class T, int N = 3, Kind Of = Kind::Small>
// CHECK-NEXT: __global__ void fill(T *to) {
// CHECK-NEXT: {{^ *\{ to}}
// CHECK: #line 17
// CHECK-NEXT: template <class T, int N = 3, Kind Of = Kind::Small>
// CHECK-NEXT: __global__ void fill_graphprof_twin(GRAPHPROF_RECORDING graphprof_recording, T *to) { ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);
// CHECK: } GRAPHPROF_TWIN_SCOPES(fill_graphprof_twin_scopes, {"load", __FILE__, 19}, {"store", __FILE__, 20})
// CHECK-NEXT: #define fill_graphprof_twin_is_here
// CHECK-NEXT: #line 21
// CHECK: #ifdef fill_graphprof_twin_is_here
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(fill_graphprof_twin_0, ::ours::fill_graphprof_twin_scopes, "fill<float, 3, ours::Kind::Small>", ::ours::fill<float, 3, ours::Kind::Small>, ::ours::fill_graphprof_twin<float, 3, ours::Kind::Small>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(fill_graphprof_twin_1, ::ours::fill_graphprof_twin_scopes, "fill<ours::Pair, 4, ours::Kind::Large>",
// CHECK-NEXT: #endif
// CHECK: GRAPHPROF_TWIN_INSTANCE(many_graphprof_twin_0, ::ours::many_graphprof_twin_scopes, "many<float>", ::ours::many<float>, ::ours::many_graphprof_twin<float>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(many_graphprof_twin_1, ::ours::many_graphprof_twin_scopes, "many<int, const char *>", ::ours::many<int, const char *>, ::ours::many_graphprof_twin<int, const char *>)
