// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// Values in the names of regions inside kernels: constants, and the kernel's parameters. Constants are written behind the kernel
// as numbers, because their names may not be known there.
// SAID-NOT: warning
// SAID: 16 regions inside 5 kernels

#include <cuda_runtime.h>

#define WIDTH 16
#define TWICE(x) (2 * (x))
constexpr int stages = 3;
static const unsigned long big = 1UL << 40;
enum Old { first = 5 };
namespace ours {
enum class Kind : short { Small = -1, Large = 7 };
namespace deep {
constexpr char letter = 'a';
}
struct Holds {
  static constexpr bool isOn = true;
};
constexpr int stages = 4;
namespace {
constexpr int hidden = 8;
}

__global__ void plain(float *x, int n, const unsigned char m, bool is, Kind kind, char c) {
  constexpr int own = 7 * stages;
  [[graphprof::time("load {} of {}", n, stages)]] { *x = 0; }
  [[graphprof::time("{1:02} {0}", m, WIDTH)]] { *x = 0; }
  [[graphprof::time("{} {} {}", is, kind, c)]] { *x = 0; }
  [[graphprof::time("{} {} {}", own, ::stages, TWICE(first) - 1)]] { *x = 0; }
  [[graphprof::time("{} {} {} {}", big, ours::deep::letter, Holds::isOn, Kind::Small)]] { *x = 0; }
  [[graphprof::time("{} {} {} {}", stages > 3, -own, hidden, 'b')]] { *x = 0; }
  for (int i = 0; i < n; ++i) {
    const int n = 4; // not the parameter
    [[graphprof::time("{}", n)]] { *x = n; }
  }
  [[graphprof::time("{{no value}}")]] { *x = n + m + is + c; }
}

// A parameter that is only read, whatever reads it.
__device__ int twice(int n) { return 2 * n; }
__device__ int thrice(const int &n) { return 3 * n; }
__global__ void reads(float *x, int n) {
  [[graphprof::time("{}", n)]] { *x = twice(n) + thrice(n) + sizeof(n); }
  auto copy = [=] { return n; };
  (void)n;
  *x = copy();
}

__device__ void helper(float *x) {
  [[graphprof::time("helper {}", stages)]] { *x = 1; }
}
__global__ void calls(float *x, int n) {
  [[graphprof::time("call {}", n)]] { helper(x); }
}

template <class T, int N, bool Is, Kind Of = Kind::Large> __global__ void made(T *x, T n, int k) {
  constexpr int own = N + 1;
  [[graphprof::time("{} {} {}", N, Is, Of)]] { *x = n; }
  [[graphprof::time("{} {}", k, own * N)]] { *x = n; }
  [[graphprof::time("{}", n)]] { *x = n; }
  [[graphprof::time("constant")]] { helper(nullptr); }
}
template <int N> __global__ void constant(float *x) { [[graphprof::time("constant")]] { *x = N; } }
} // namespace ours

void run(float *x, int *y, long *z) {
  ours::made<int, 2, true><<<1, 1>>>(y, 1, 2);
  ours::made<long, -3, false, ours::Kind::Small><<<1, 1>>>(z, 1L, 2);
  ours::constant<1><<<1, 1>>>(x);
}

// CHECK: GRAPHPROF_TWIN(plain, plain_graphprof_twin, {"load {} of {}", __FILE__, {{[0-9]+}}, 2, ::graphprof::device::Values<::graphprof::device::Parameter<1>, ::graphprof::device::Constant<(4)>>::all},
// CHECK-SAME: {"{1:02} {0}", __FILE__, {{[0-9]+}}, 2, ::graphprof::device::Values<::graphprof::device::Parameter<2>, ::graphprof::device::Constant<(16)>>::all},
// CHECK-SAME: {"{} {} {}", __FILE__, {{[0-9]+}}, 3, ::graphprof::device::Values<::graphprof::device::Parameter<3>, ::graphprof::device::Parameter<4>, ::graphprof::device::Parameter<5>>::all},
// CHECK-SAME: {"{} {} {}", __FILE__, {{[0-9]+}}, 3, ::graphprof::device::Values<::graphprof::device::Constant<(28)>, ::graphprof::device::Constant<(3)>, ::graphprof::device::Constant<((2 * (5)) - 1)>>::all},
// CHECK-SAME: {"{} {} {} {}", __FILE__, {{[0-9]+}}, 4, ::graphprof::device::Values<::graphprof::device::Constant<((unsigned long)1099511627776ULL)>, ::graphprof::device::Constant<((char)97LL)>, ::graphprof::device::Constant<(true)>, ::graphprof::device::Constant<((short)(-1LL))>>::all},
// CHECK-SAME: {"{} {} {} {}", __FILE__, {{[0-9]+}}, 4, ::graphprof::device::Values<::graphprof::device::Constant<(4 > 3)>, ::graphprof::device::Constant<(- 28)>, ::graphprof::device::Constant<(8)>, ::graphprof::device::Constant<('b')>>::all},
// CHECK-SAME: {"{}", __FILE__, {{[0-9]+}}, 1, ::graphprof::device::Values<::graphprof::device::Constant<(4)>>::all},
// CHECK-SAME: {"{no value}", __FILE__, {{[0-9]+}}})
// CHECK: GRAPHPROF_TWIN(reads, reads_graphprof_twin, {"{}", __FILE__, {{[0-9]+}}, 1, ::graphprof::device::Values<::graphprof::device::Parameter<1>>::all})
// CHECK: GRAPHPROF_TWIN(calls, calls_graphprof_twin, {"call {}", __FILE__, {{[0-9]+}}, 1, ::graphprof::device::Values<::graphprof::device::Parameter<1>>::all}, {"helper {}", __FILE__, {{[0-9]+}}, 1, ::graphprof::device::Values<::graphprof::device::Constant<(4)>>::all})
// Kernels of a template have scopes of their own where names have values.
// CHECK-NOT: GRAPHPROF_TWIN_SCOPES(made_graphprof_twin_scopes,
// CHECK: GRAPHPROF_TWIN_SCOPES(constant_graphprof_twin_scopes, {"constant", __FILE__, {{[0-9]+}}})
// CHECK: GRAPHPROF_TWIN_SCOPES(made_graphprof_twin_0_scopes, {"{} {} {}", __FILE__, {{[0-9]+}}, 3, ::graphprof::device::Values<::graphprof::device::Constant<(2)>, ::graphprof::device::Constant<(true)>, ::graphprof::device::Constant<((short)7LL)>>::all}, {"{} {}", __FILE__, {{[0-9]+}}, 2, ::graphprof::device::Values<::graphprof::device::Parameter<2>, ::graphprof::device::Constant<(3 * 2)>>::all}, {"{}", __FILE__, {{[0-9]+}}, 1, ::graphprof::device::Values<::graphprof::device::Parameter<1>>::all}, {"constant", __FILE__, {{[0-9]+}}},
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(made_graphprof_twin_0, made_graphprof_twin_0_scopes, "made<int, 2, true, ours::Kind::Large>", ::ours::made<int, 2, true, ours::Kind::Large>,
// CHECK: GRAPHPROF_TWIN_SCOPES(made_graphprof_twin_1_scopes, {"{} {} {}", __FILE__, {{[0-9]+}}, 3, ::graphprof::device::Values<::graphprof::device::Constant<((int)(-3LL))>, ::graphprof::device::Constant<(false)>, ::graphprof::device::Constant<((short)(-1LL))>>::all}, {"{} {}", __FILE__, {{[0-9]+}}, 2, ::graphprof::device::Values<::graphprof::device::Parameter<2>, ::graphprof::device::Constant<((int)(-2LL) * (int)(-3LL))>>::all},
// CHECK: GRAPHPROF_TWIN_INSTANCE(constant_graphprof_twin_0, ::ours::constant_graphprof_twin_scopes, "constant<1>",
