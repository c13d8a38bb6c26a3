// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// Values and keys of an annotation, as written.

#include <cuda_runtime.h>

void work(cudaStream_t);
template <class T, class U> int pair(T, U);
template <class T, class U> struct Both { static int value; };

void arguments(cudaStream_t s, int a, int b, int c) {
  // CHECK-LABEL: void arguments({{.*}}
  [[graphprof::time("{} {:>{}}", a, b, c)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(1, "{} {:>{}}", ::graphprof::on_stream(s), a, b, c); work(s); }
  [[graphprof::time("{1} {0} {0:03}", a, b)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(2, "{1} {0} {0:03}", ::graphprof::on_stream(s), a, b); work(s); }
  [[graphprof::time("{{}} %d \"q\" \x41 {}" " and " "more", a)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(3, "{{[{][{]}}}} %d \"q\" \x41 {}" " and " "more", ::graphprof::on_stream(s), a); work(s); }
  [[graphprof::time("keys {}", a, flops = 2.0 * a * b, bytes = 4 * a, batch = b, stream = s)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(4, "keys {}", ::graphprof::on_stream(s), a, ::graphprof::key("flops", 2.0 * a * b), ::graphprof::key("bytes", 4 * a), ::graphprof::key("batch", b)); work(s); }
  [[graphprof::time("commas {} {}", pair<int, long>(a, b), Both<int, long>::value)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(5, "commas {} {}", ::graphprof::on_stream(s), pair<int, long>(a, b), Both<int, long>::value); work(s); }
  [[graphprof::time("less {} {}", a < b, c > b)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(6, "less {} {}", ::graphprof::on_stream(s), a < b, c > b); work(s); }
  [[graphprof::time("lambda {}", [&](int x, int y) { return x + y; }(a, b))]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(7, "lambda {}", ::graphprof::on_stream(s), [&](int x, int y) { return x + y; }(a, b)); work(s); }
  [[graphprof::time("key first {}", batch = c, a)]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(8, "key first {}", ::graphprof::on_stream(s), a, ::graphprof::key("batch", c)); work(s); }
  // What graphprof itself declares needs no #include.
  [[graphprof::time("gemm", flops = graphprof::flops::mm(a, b, c))]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(9, "gemm", ::graphprof::on_stream(s), ::graphprof::key("flops", graphprof::flops::mm(a, b, c))); work(s); }
  [[graphprof::time("conv", flops = ::graphprof::flops::conv2d({a, 64, 56, 56, b, 3, 3, {2, 2}, {1, 1}}))]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(10, "conv", ::graphprof::on_stream(s), ::graphprof::key("flops", ::graphprof::flops::conv2d({a, 64, 56, 56, b, 3, 3, {2, 2}, {1, 1}}))); work(s); }
}
