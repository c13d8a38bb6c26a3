// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// The name of a region whose annotation gives none: the function's, the only callee's, or function and line.

#include <cuda_runtime.h>

__global__ void kernel(int);
void work(cudaStream_t);
template <class T> void generic(T);
namespace lib { void inner(cudaStream_t); }
struct Layer { void forward(cudaStream_t); };

template <class T> void templated(T t, cudaStream_t s) {
  [[graphprof::time]] t.forward(s);
  // CHECK: { GRAPHPROF_SCOPE(1, "forward", ::graphprof::on_stream(s)); t.forward(s); }
  [[graphprof::time]] generic(t);
  // CHECK: { GRAPHPROF_SCOPE(2, "generic", ::graphprof::on_capture()); generic(t); }
  [[graphprof::time]] kernel<<<t, 1, 0, s>>>(1);
  // CHECK: { GRAPHPROF_SCOPE(3, "kernel", ::graphprof::on_stream(s)); kernel<<<t, 1, 0, s>>>(1); }
}

[[graphprof::time]] int function() { return 1; }
// CHECK: int function() { GRAPHPROF_SCOPE(4, "function", ::graphprof::on_capture()); return 1; }

int names(cudaStream_t s, Layer &layer) {
  [[graphprof::time]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(5, "work", ::graphprof::on_stream(s)); work(s); }
  [[graphprof::time]] lib::inner(s);
  // CHECK: { GRAPHPROF_SCOPE(6, "inner", ::graphprof::on_stream(s)); lib::inner(s); }
  [[graphprof::time]] layer.forward(s);
  // CHECK: { GRAPHPROF_SCOPE(7, "forward", ::graphprof::on_stream(s)); layer.forward(s); }
  [[graphprof::time]] kernel<<<1, 1>>>(1);
  // CHECK: { GRAPHPROF_SCOPE(8, "kernel", ::graphprof::on_stream(0)); kernel<<<1, 1>>>(1); }
  [[graphprof::time(flops = 2)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(9, "work", ::graphprof::on_stream(s), ::graphprof::key("flops", 2)); work(s); }
  [[graphprof::time()]] { work(s); }
  // CHECK: { GRAPHPROF_SCOPE(10, "names:[[#@LINE-1]]", ::graphprof::on_stream(s)); work(s); }
  auto lambda = [=] { [[graphprof::time]] { work(s); } };
  // CHECK: auto lambda = [=] { { GRAPHPROF_SCOPE(11, "names:[[#@LINE-1]]", ::graphprof::on_stream(s)); work(s); } };
  [[graphprof::time]] return function();
  // CHECK: { GRAPHPROF_SCOPE(12, "function", ::graphprof::on_capture()); return function(); }
}
