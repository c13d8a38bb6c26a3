// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: not %instrument --strict %s -o %t.strict.cu -- %cuda -DREFUSED 2>&1 | FileCheck %s --check-prefix=REFUSED
//
// A macro between an annotation and its loop may hold a pragma, which belongs to the loop. The scope or guard begins before it.
// SAID-NOT: warning
// SAID: 1 region, 0 redirected calls, 4 regions inside 1 kernel

#include <cuda_runtime.h>

#define UNROLL _Pragma("unroll")
#define NOTHING

__global__ void k(int *p) {
  [[graphprof::time("a")]] UNROLL for (int i = 0; i < 4; ++i) p[i] = i;
  [[graphprof::time("b")]] _Pragma("unroll") for (int i = 0; i < 4; ++i) p[i] = i;
  [[graphprof::time("c")]] /* loop */ for (int i = 0; i < 4; ++i) p[i] = i;
  [[likely, graphprof::time("d")]] NOTHING { p[0] = 1; }
#ifdef REFUSED
  // REFUSED: :[[#@LINE+1]]:12: error: a pragma belongs to this statement, and no brace may come between them; put the annotation above the pragma
  UNROLL [[graphprof::time("e")]] for (int i = 0; i < 4; ++i) p[i] = i;
  // REFUSED: :[[#@LINE+1]]:13: error: a directive or a macro separates this annotation from its statement; write the annotation in brackets of its own
  [[likely, graphprof::time("f")]] UNROLL for (int i = 0; i < 4; ++i) p[i] = i;
#endif
}
void host(int *p, cudaStream_t stream) {
  [[graphprof::time("host", stream = stream)]] UNROLL for (int i = 0; i < 4; ++i) p[i] = i;
}

// CHECK: __global__ void k_graphprof_twin(
// CHECK-NEXT: {{^}}  { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0); UNROLL for (int i = 0; i < 4; ++i) p[i] = i; }
// CHECK-NEXT: {{^}}  { ::graphprof::device::Scope graphprof_scope_1(graphprof_recorder, 1); _Pragma("unroll") for (int i = 0; i < 4; ++i) p[i] = i; }
// CHECK-NEXT: {{^}}  /* loop */ { ::graphprof::device::Scope graphprof_scope_2(graphprof_recorder, 2); for (int i = 0; i < 4; ++i) p[i] = i; }
// CHECK-NEXT: {{^}}  {{\[\[likely\]\]}} NOTHING { ::graphprof::device::Scope graphprof_scope_3(graphprof_recorder, 3); p[0] = 1; }
// CHECK: void host(
// CHECK-NEXT: {{^}}  { GRAPHPROF_SCOPE(1, "host", ::graphprof::on_stream(stream)); UNROLL for (int i = 0; i < 4; ++i) p[i] = i; }
