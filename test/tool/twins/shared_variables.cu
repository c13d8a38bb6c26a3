// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
//
// Clang refuses `__shared__` variables that have a constructor, which nvcc accepts. Kernels with such have twins, made of a template or
// not. shared_variable_code.test compiles them.

#include <cuda_runtime.h>

__device__ int add(int x) {
  [[graphprof::time("add")]] x += 1;
  return x;
}
struct Pair {
  int a = 1, b = 2;
};
__global__ void plain(int *x) {
  __shared__ Pair shared;
  [[graphprof::time("a")]] *x = add(3);
  // SAID: :[[#@LINE+1]]:10: warning: the regions inside 'add' are not timed in this call: it is not known here which function it calls
  x[1] = add(shared.a);
}
template <class T> __global__ void generic(T *x) {
  __shared__ Pair shared;
  [[graphprof::time("b")]] *x = shared.b;
  x[1] = add(3);
  // SAID: :[[#@LINE+1]]:10: warning: the regions inside 'add' are not timed in this call: it is not known here which function it calls
  x[2] = add(x[1]);
}
template __global__ void generic<float>(float *);

void run(int *x) { generic<<<1, 1>>>(x); }

// SAID: 3 regions inside 2 kernels, 2 warnings
// CHECK: GRAPHPROF_TWIN(plain, plain_graphprof_twin,
// CHECK: x[1] = add_graphprof_twin(graphprof_recorder, 1, 3);
// CHECK: GRAPHPROF_TWIN_INSTANCE(generic_graphprof_twin_0, ::generic_graphprof_twin_scopes, "generic<float>", ::generic<float>, ::generic_graphprof_twin<float>)
// CHECK-NEXT: GRAPHPROF_TWIN_INSTANCE(generic_graphprof_twin_1, ::generic_graphprof_twin_scopes, "generic<int>", ::generic<int>, ::generic_graphprof_twin<int>)
