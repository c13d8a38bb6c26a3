// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// An annotation in front of a function's definition times its body.

#include <cuda_runtime.h>

void work(cudaStream_t);

[[graphprof::time]] void plain(cudaStream_t s) { work(s); }
// CHECK: void plain(cudaStream_t s) { GRAPHPROF_SCOPE(1, "plain", ::graphprof::on_stream(s)); work(s); }
[[graphprof::time("named {}", n)]] static inline int withValue(cudaStream_t s, int n) {
  work(s);
  return n;
}
// CHECK:      static inline int withValue(cudaStream_t s, int n) { GRAPHPROF_SCOPE(2, "named {}", ::graphprof::on_stream(s), n);
// CHECK-NEXT: work(s);
// Below its annotation:
[[graphprof::time]]
auto trailing(cudaStream_t s) -> int
{
  work(s);
  return 0;
}
// CHECK:      // Below its annotation:
// CHECK-EMPTY:
// CHECK-NEXT: auto trailing(cudaStream_t s) -> int
// CHECK-NEXT: { GRAPHPROF_SCOPE(3, "trailing", ::graphprof::on_stream(s));
template <class T> [[graphprof::time]] void generic(T, cudaStream_t s) { work(s); }
// CHECK: template <class T> void generic(T, cudaStream_t s) { GRAPHPROF_SCOPE(4, "generic", ::graphprof::on_stream(s)); work(s); }
[[graphprof::time]] __host__ __device__ int both() { return 0; }
// CHECK: __host__ __device__ int both() { GRAPHPROF_SCOPE(5, "both", ::graphprof::on_capture()); return 0; }
[[graphprof::time]] void tries(cudaStream_t s) try { work(s); } catch (...) { }
// CHECK: void tries(cudaStream_t s) try { GRAPHPROF_SCOPE(6, "tries", ::graphprof::on_stream(s)); work(s); } catch (...) { }

struct Layer {
  [[graphprof::time]] Layer(cudaStream_t s) : stream(s) { work(s); }
  // CHECK: {{\[?}}Layer(cudaStream_t s) : stream(s) { GRAPHPROF_SCOPE(7, "Layer", ::graphprof::on_stream(s)); work(s); }
  [[graphprof::time]] void forward() { work(stream); }
  // CHECK: void forward() { GRAPHPROF_SCOPE(8, "forward", ::graphprof::on_stream(stream)); work(stream); }
  [[graphprof::time]] virtual void backward() { work(this->stream); }
  // CHECK: virtual void backward() { GRAPHPROF_SCOPE(9, "backward", ::graphprof::on_stream(this->stream)); work(this->stream); }
  void outside();
  cudaStream_t stream;
};
[[graphprof::time]] void Layer::outside() { work(stream); }
// CHECK: void Layer::outside() { GRAPHPROF_SCOPE(10, "outside", ::graphprof::on_stream(stream)); work(stream); }
