// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
//
// Clang refuses `__shared__` variables that have a constructor, which nvcc accepts. Kernels with such have twins, made of a template or
// not. shared_variable_code.test compiles them.
// SAID-NOT: warning
// SAID: 2 regions inside 2 kernels

#include <cuda_runtime.h>

struct Pair {
  int a = 1, b = 2;
};
__global__ void plain(int *x) {
  __shared__ Pair shared;
  [[graphprof::time("a")]] *x = shared.a;
}
template <class T> __global__ void generic(T *x) {
  __shared__ Pair shared;
  [[graphprof::time("b")]] *x = shared.b;
}
template __global__ void generic<float>(float *);

void run(int *x) { generic<<<1, 1>>>(x); }

// CHECK: GRAPHPROF_TWIN(plain, plain_graphprof_twin,
// CHECK: GRAPHPROF_TWIN_INSTANCE(generic_graphprof_twin_0, ::generic_graphprof_twin_scopes, "generic<float>", ::generic<float>, ::generic_graphprof_twin<float>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(generic_graphprof_twin_1, ::generic_graphprof_twin_scopes, "generic<int>", ::generic<int>, ::generic_graphprof_twin<int>)
