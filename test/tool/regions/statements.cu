// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// What an annotation may stand on inside a function. The guard is on the line of the construct's first token; the number of
// lines never changes; braces come only where the construct has none.

#include <cuda_runtime.h>

void work(cudaStream_t);
int rank();

// CHECK:      #include <graphprof/cuda.h>
// CHECK-NEXT: #line 1 "{{.*}}statements.cu"
// CHECK-NEXT: // {{R}}UN: %instrument{{.*}}

int statements(cudaStream_t s, int n) {
  [[graphprof::time("block")]] { work(s); }
  // CHECK: { GRAPHPROF_SCOPE(1, "block", ::graphprof::on_stream(s)); work(s); }
  [[graphprof::time("block")]] {
    work(s);
  }
  // CHECK:      { GRAPHPROF_SCOPE(2, "block", ::graphprof::on_stream(s));
  // CHECK-NEXT: work(s);
  // CHECK-NEXT: }
  [[graphprof::time("call")]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(3, "call", ::graphprof::on_stream(s)); work(s); }
  [[graphprof::time("for")]] for (int i = 0; i < n; ++i) work(s);
  // CHECK: { GRAPHPROF_SCOPE(4, "for", ::graphprof::on_stream(s)); for (int i = 0; i < n; ++i) work(s); }
  [[graphprof::time("while")]] while (n-- > 0) {
    work(s);
  }
  // CHECK:      { GRAPHPROF_SCOPE(5, "while", ::graphprof::on_stream(s)); while (n-- > 0) {
  // CHECK-NEXT: work(s);
  // CHECK-NEXT: } }
  [[graphprof::time("do")]] do work(s); while (n-- > 0); // not the end
  // CHECK: { GRAPHPROF_SCOPE(6, "do", ::graphprof::on_stream(s)); do work(s); while (n-- > 0); } // not the end
  int values[] = {1, 2};
  [[graphprof::time("range")]] for (int v : values) work(s);
  // CHECK: { GRAPHPROF_SCOPE(7, "range", ::graphprof::on_stream(s)); for (int v : values) work(s); }
  [[graphprof::time("if")]] if (n) work(s); else work(s);
  // CHECK: { GRAPHPROF_SCOPE(8, "if", ::graphprof::on_stream(s)); if (n) work(s); else work(s); }
  [[graphprof::time("switch")]] switch (n) { case 0: work(s); break; default: break; }
  // CHECK: { GRAPHPROF_SCOPE(9, "switch", ::graphprof::on_stream(s)); switch (n) { case 0: work(s); break; default: break; } }
  [[graphprof::time("try")]] try { work(s); } catch (...) { throw; }
  // CHECK: { GRAPHPROF_SCOPE(10, "try", ::graphprof::on_stream(s)); try { work(s); } catch (...) { throw; } }
  if (n) [[graphprof::time("then")]] work(s); else [[graphprof::time("else")]] work(s);
  // CHECK: if (n) { GRAPHPROF_SCOPE(11, "then", ::graphprof::on_stream(s)); work(s); } else { GRAPHPROF_SCOPE(12, "else", ::graphprof::on_stream(s)); work(s); }
  for (;;) [[graphprof::time("body")]] if (n) break;
  // CHECK: for (;;) { GRAPHPROF_SCOPE(13, "body", ::graphprof::on_capture()); if (n) break; }
  switch (n) { case 1: [[graphprof::time("behind case")]] work(s); }
  // CHECK: switch (n) { case 1: { GRAPHPROF_SCOPE(14, "behind case", ::graphprof::on_stream(s)); work(s); } }
  [[graphprof::time("assign")]] n = rank();
  // CHECK: { GRAPHPROF_SCOPE(15, "assign", ::graphprof::on_capture()); n = rank(); }
  auto lambda = [&] { [[graphprof::time("in lambda")]] work(s); };
  // CHECK: auto lambda = [&] { { GRAPHPROF_SCOPE(16, "in lambda", ::graphprof::on_stream(s)); work(s); } };
  [[graphprof::time("return")]] return rank();
  // CHECK: { GRAPHPROF_SCOPE(17, "return", ::graphprof::on_capture()); return rank(); }
}
