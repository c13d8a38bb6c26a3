// REQUIRES: toolkit, all
// RUN: %instrument %s -o %t.cu --strict -- -std=c++17 --extended-lambda
// RUN: FileCheck %s < %t.cu
// RUN: %instrument %s -o - --strict -- -std=c++17 --extended-lambda -DNDEBUG | FileCheck %s
//
// What nvcc has and clang has not: headers that nothing includes here, the host's isfinite and its kin outside std, the
// stores with a cache hint, the questions about lambdas, and CCCL's own declaration of what a failed assert calls.

#include <cub/cub.cuh>

#include <assert.h>

using namespace std;

template <class T> bool ordinary(T value) {
  return isfinite(value) && !::isinf(value) && !std::isnan(value) && !signbit(value);
}

template <class Function> void launch(Function function) {
  static_assert(__nv_is_extended_host_device_lambda_closure_type(Function) ||
                __nv_is_extended_device_lambda_closure_type(Function));
  static_assert(!__nv_is_extended_host_device_lambda_closure_type(pair<Function, int>));
}

template <class T> __device__ void store(T *to, int4 value) {
  assert(to != nullptr);
  __stcs(reinterpret_cast<int4 *>(to), value);
  __stcg(reinterpret_cast<int4 *>(to), value);
  __stwb(&to->x, 1);
}

__global__ void kernel(int4 *to) { store(to, make_int4(1, 2, 3, 4)); }

void run(cudaGraphExec_t exec, cudaStream_t stream, int4 *to) {
  const clock_t begin = clock();
  launch([=] __device__() { return to; });
  assert(ordinary(1.f) && ordinary(double(begin)));
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
}
