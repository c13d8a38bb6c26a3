// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
//
// The arguments of kernels that are made of a template have the type that tells them apart.
// SAID-NOT: warning
// SAID: 3 regions inside 3 kernels

#include <cuda_runtime.h>

namespace ours {
enum class Kind { Small, Large };
} // namespace ours
template <auto V> struct Box {};

template <auto V> __global__ void one(int *p) { [[graphprof::time("a")]] *p = int(V); }
template <class T, auto... V> __global__ void all(int *p) { [[graphprof::time("a")]] *p = sizeof...(V); }
template <unsigned long long V, ours::Kind K> __global__ void known(int *p) { [[graphprof::time("a")]] *p = int(K); }

void run(int *p) {
  one<5><<<1, 1>>>(p);
  one<5ull><<<1, 1>>>(p);
  one<short(5)><<<1, 1>>>(p);
  one<true><<<1, 1>>>(p);
  one<ours::Kind::Large><<<1, 1>>>(p);
  one<ours::Kind(7)><<<1, 1>>>(p);
  all<Box<5>, 1, 2u><<<1, 1>>>(p);
  all<Box<5l>, 'a', (unsigned char)1><<<1, 1>>>(p);
  known<5, ours::Kind(7)><<<1, 1>>>(p);
}

// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<(ours::Kind)7>", ::one<(ours::Kind)7>, ::one_graphprof_twin<(ours::Kind)7>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<(short)5>", ::one<(short)5>, ::one_graphprof_twin<(short)5>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<5>", ::one<5>, ::one_graphprof_twin<5>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<5ULL>", ::one<5ULL>, ::one_graphprof_twin<5ULL>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<ours::Kind::Large>", ::one<ours::Kind::Large>, ::one_graphprof_twin<ours::Kind::Large>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "one<true>", ::one<true>, ::one_graphprof_twin<true>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "all<Box<5>, 1, 2U>", ::all<Box<5>, 1, 2U>, ::all_graphprof_twin<Box<5>, 1, 2U>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, ::all_graphprof_twin<Box<5L>, 'a', (unsigned char)'\x01'>)
// CHECK: GRAPHPROF_TWIN_INSTANCE({{.*}}, "known<5, (ours::Kind)7>", ::known<5, (ours::Kind)7>, ::known_graphprof_twin<5, (ours::Kind)7>)
