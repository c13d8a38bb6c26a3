// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
// RUN: echo 'void f(); void g(int n) { [[graphprof::step]] for (; n;) { f(); } }' > %t.loop.cu
// RUN: not %instrument %t.loop.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: echo 'void f(); void g(int n) { [[graphprof::step]] [[graphprof::step]] f(); }' > %t.twice.cu
// RUN: not %instrument %t.twice.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: echo 'void f(); void g(int n) { [[graphprof::step("x")]] f(); }' > %t.named.cu
// RUN: not %instrument %t.named.cu -o - -- %cuda 2>&1 | FileCheck %s --check-prefix=NAMED
//
// `step` marks what is one step of the program. A construct may be a step and a region; then the region belongs to the step.
// SAID: 6 regions, 7 steps

#include <cuda_runtime.h>

void train(cudaStream_t);

[[graphprof::step]] void function(cudaStream_t s) { train(s); }
// CHECK: void function(cudaStream_t s) { GRAPHPROF_STEP(1); train(s); }

void steps(cudaStream_t s, int n) {
  for (int i = 0; i < n; ++i) [[graphprof::step]] {
    // CHECK: for (int i = 0; i < n; ++i) { GRAPHPROF_STEP(2);
    [[graphprof::time]] train(s);
    // CHECK: { GRAPHPROF_SCOPE(3, "train", ::graphprof::on_stream(s)); train(s); }
  }
  while (n--)
    [[graphprof::step]] train(s);
  // CHECK: { GRAPHPROF_STEP(4); train(s); }
  [[graphprof::step]] [[graphprof::time("both")]] train(s);
  // CHECK: { GRAPHPROF_STEP(5); GRAPHPROF_SCOPE(6, "both", ::graphprof::on_stream(s)); train(s); }
  [[graphprof::time("both"), graphprof::step]] { train(s); }
  // CHECK: { GRAPHPROF_STEP(7); GRAPHPROF_SCOPE(8, "both", ::graphprof::on_stream(s)); train(s); }
  [[likely, graphprof::time("both"), graphprof::step]] { train(s); }
  // CHECK: {{\[\[}}likely, {{\]\]}} { GRAPHPROF_STEP(9); GRAPHPROF_SCOPE(10, "both", ::graphprof::on_stream(s)); train(s); }
  [[graphprof::step]] [[graphprof::time("both")]]
  { train(s); }
  // CHECK: { GRAPHPROF_STEP(11); GRAPHPROF_SCOPE(12, "both", ::graphprof::on_stream(s)); train(s); }
  int value = ({ [[graphprof::time]] train(s); n; });
  // CHECK: int value = ({ { GRAPHPROF_SCOPE(13, "train", ::graphprof::on_stream(s)); train(s); } n; });
  (void)value;
}
// LOOP: :1:29: error: the whole loop would be one step; annotate its body, so that each iteration is a step
// TWICE: :1:49: error: this construct has two annotations; remove one
// NAMED: :1:{{[0-9]+}}: error: 'graphprof::step' takes no arguments
