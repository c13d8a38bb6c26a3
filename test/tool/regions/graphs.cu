// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
// RUN: grep -n "^  const int .* = __LINE__;" %s > %t.before
// RUN: sed 1,2d %t.cu | grep -n "^  const int .* = __LINE__;" | diff %t.before -
// RUN: echo 'void f(); void g(int n) { [[graphprof::graph]] f(); }' > %t.none.cu
// RUN: not %instrument %t.none.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo 'void f(); void g(int n) { [[graphprof::graph(batch = n)]] f(); }' > %t.keyed.cu
// RUN: not %instrument %t.keyed.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo 'void f(); void g(int n) { [[graphprof::graph(n)]] f(); }' > %t.value.cu
// RUN: not %instrument %t.value.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: echo 'void f(); void g(int n) { [[graphprof::graph("decode {}")]] f(); }' > %t.missing.cu
// RUN: not %instrument %t.missing.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: echo 'void f(); void g(int n) { [[graphprof::graph("a")]] [[graphprof::graph("b")]] f(); }' > %t.twice.cu
// RUN: not %instrument %t.twice.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: echo '__global__ void k() { [[graphprof::graph("a")]] { } }' > %t.device.cu
// RUN: not %instrument %t.device.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=DEVICE
//
// `graph` names the graphs that a construct captures. It has no stream, so none is missing. A construct may be named, a step and a
// region at once, in any order.
// SAID-NOT: warning
// SAID: 5 regions, 3 steps, 10 graph names,

#include <cuda_runtime.h>

void capture(cudaStream_t, int);

[[graphprof::graph("decode", batch = n)]] void function(cudaStream_t s, int n) { capture(s, n); }
// CHECK: void function(cudaStream_t s, int n) { GRAPHPROF_GRAPH(1, "decode", ::graphprof::key("batch", n)); capture(s, n); }

void graphs(cudaStream_t s, int n, int *layers) {
  for (int i = 0; i < n; ++i)
    [[graphprof::graph("decode {} of {}", i, n, layers = layers[i])]] capture(s, i);
  // CHECK: { GRAPHPROF_GRAPH(2, "decode {} of {}", i, n, ::graphprof::key("layers", layers[i])); capture(s, i); }
  [[graphprof::graph("prefill")]] { capture(s, n); }
  // CHECK: { GRAPHPROF_GRAPH(3, "prefill"); capture(s, n); }
  [[graphprof::time("region")]] [[graphprof::graph("both")]] capture(s, n);
  // CHECK: { GRAPHPROF_GRAPH(4, "both"); GRAPHPROF_SCOPE(5, "region", ::graphprof::on_stream(s)); capture(s, n); }
  [[graphprof::step]] [[graphprof::graph("all")]] [[graphprof::time("region")]] capture(s, n);
  // CHECK: { GRAPHPROF_STEP(6); GRAPHPROF_GRAPH(7, "all"); GRAPHPROF_SCOPE(8, "region", ::graphprof::on_stream(s)); capture(s, n); }
  [[graphprof::time("region"), graphprof::graph("all"), graphprof::step]] { capture(s, n); }
  // CHECK: { GRAPHPROF_STEP(9); GRAPHPROF_GRAPH(10, "all"); GRAPHPROF_SCOPE(11, "region", ::graphprof::on_stream(s)); capture(s, n); }
  [[likely, graphprof::time("region"), graphprof::graph("all"), graphprof::step]] { capture(s, n); }
  // CHECK: {{\[\[}}likely, {{\]\]}} { GRAPHPROF_STEP(12); GRAPHPROF_GRAPH(13, "all"); GRAPHPROF_SCOPE(14, "region", ::graphprof::on_stream(s)); capture(s, n); }
  [[graphprof::graph("decode", batch = n,
                     name = R"(a
b)")]] [[graphprof::time("region {}", R"(c
d)")]] capture(s, n);
  const int line = __LINE__;
  (void)line;
  [[graphprof::graph(R"(e
f)")]] capture(s, n);
  const int next = __LINE__;
  (void)next;
  [[graphprof::graph("stream", stream = s)]] capture(s, n);
  // CHECK: { GRAPHPROF_GRAPH({{[0-9]+}}, "stream", ::graphprof::key("stream", s)); capture(s, n); }
}
// NONE: :1:29: error: a graph's name says what it serves; give it one, as in 'graphprof::graph("decode", batch = n)'
// VALUE: :1:{{[0-9]+}}: error: expected the graph's name, a string literal
// MISSING: :1:54: error: 1 place, 0 values; add a value, or remove a place
// TWICE: :1:{{[0-9]+}}: error: this construct has two annotations; remove one
// DEVICE: :1:{{[0-9]+}}: error: a kernel's code runs on the device and cannot hold a guard; annotate the launch instead
