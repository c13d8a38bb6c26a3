// RUN: rm -rf %t && mkdir -p %t/include && cp %S/../Inputs/kernels.h %t/include
// RUN: %instrument %s -o %t/a.cu -- %cuda -I%t/include 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t/a.cu
// RUN: %instrument %t/a.cu -o %t/again.cu -- %cuda -I%t/include
// RUN: cmp %t/a.cu %t/again.cu
// RUN: %compile -I%t/include -Wno-unknown-attributes %t/a.cu
//
// An annotation on a kernel times every launch of it, wherever the kernel is declared.
// SAID: warning: this launch of the annotated kernel 'scale' is not timed: it is in an unevaluated operand
// SAID-NOT: warning
// SAID: 1 region, 0 redirected calls, 8 launches timed, 1 not (1 in an unevaluated operand)

#include <cuda_runtime.h>
#include "kernels.h"

[[graphprof::time]] __global__ void scale(float *x) { *x *= 2; }
// CHECK: __global__ void scale(float *x) { *x *= 2; }
[[graphprof::time("add {}", 3, flops = 2.0 * 1e9)]] __global__ void add(float *x);
// CHECK: __global__ void add(float *x);
template <class T> [[graphprof::time]] __global__ void generic(T *x) {}
// CHECK: template <class T> __global__ void generic(T *x) {}
[[graphprof::ignore]] __global__ void ignored(float *x) {}
// CHECK: /*{{\[\[}}graphprof::ignore]]*/ __global__ void ignored(float *x) {}
__global__ void other(float *x) {}

template <class T> void dependent(T *x, cudaStream_t s) { generic<T><<<1, 1, 0, s>>>(x); }
// CHECK: template <class T> void dependent(T *x, cudaStream_t s) { (GRAPHPROF_TIMED({{[0-9]+}}, "generic<T>", ::graphprof::on_stream(s)), generic<T><<<1, 1, 0, s>>>(x)); }

void run(float *x, cudaStream_t s) {
  scale<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale", ::graphprof::on_stream(s)), scale<<<1, 1, 0, s>>>(x));
  add<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "add {}", ::graphprof::on_stream(s), 3, ::graphprof::key("flops", 2.0 * 1e9)), add<<<1, 1, 0, s>>>(x));
  cudaLaunchKernel((const void *)add, 1, 1, nullptr, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "add {}", ::graphprof::on_stream(s), 3, ::graphprof::key("flops", 2.0 * 1e9)), cudaLaunchKernel((const void *)add, 1, 1, nullptr, 0, s));
  generic<float><<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "generic<float>", ::graphprof::on_stream(s)), generic<float><<<1, 1, 0, s>>>(x));
  generic<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "generic", ::graphprof::on_stream(s)), generic<<<1, 1, 0, s>>>(x));
  fromHeader<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "from a header", ::graphprof::on_stream(s)), fromHeader<<<1, 1, 0, s>>>(x));
  [[graphprof::time("around")]] scale<<<1, 1, 0, s>>>(x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "around", ::graphprof::on_stream(s)); (GRAPHPROF_TIMED({{[0-9]+}}, "scale", ::graphprof::on_stream(s)), scale<<<1, 1, 0, s>>>(x)); }
  other<<<1, 1, 0, s>>>(x);
  // CHECK: other<<<1, 1, 0, s>>>(x);
  ignored<<<1, 1, 0, s>>>(x);
  // CHECK: ignored<<<1, 1, 0, s>>>(x);
  using Type = decltype(cudaLaunchKernel((void *)scale, 1, 1, nullptr, 0, s));
}
