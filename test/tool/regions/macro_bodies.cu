// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// An annotation in a macro's body is replaced there, with all of the construct behind it, however often the macro is used.
// SAID: 6 regions

#include <cuda_runtime.h>

void run(int, cudaStream_t);

#define STATEMENT(n, s) [[graphprof::time("run {}", n)]] run(n, s);
// CHECK: #define STATEMENT(n, s) { GRAPHPROF_SCOPE(1, "run {}", ::graphprof::on_stream(s), n); run(n, s); }
// The semicolon behind the macro's use still ends a statement:
#define CALL(n, s) [[graphprof::time("run {}", n)]] run(n, s)
// CHECK: #define CALL(n, s) do { GRAPHPROF_SCOPE(2, "run {}", ::graphprof::on_stream(s), n); run(n, s); } while (false)
#define BLOCK(s)                                                                                                       \
  [[graphprof::time("block")]] {                                                                                       \
    run(1, s);                                                                                                         \
  }
// CHECK:      #define BLOCK(s)                                                                                                       \
// CHECK-NEXT:   { GRAPHPROF_SCOPE(3, "block", ::graphprof::on_stream(s));                                                                                       \
// CHECK-NEXT:     run(1, s); \
// CHECK-NEXT:   }
#define AROUND(statement) [[graphprof::time("around")]] statement
// CHECK: #define AROUND(statement) { GRAPHPROF_SCOPE(4, "around", ::graphprof::on_capture()); statement }
#define INNER(s) [[graphprof::time("inner")]] run(0, s)
// CHECK: #define INNER(s) do { GRAPHPROF_SCOPE(5, "inner", ::graphprof::on_stream(s)); run(0, s); } while (false)
#define OUTER(s) do { INNER(s); } while (false)
// CHECK: #define OUTER(s) do { INNER(s); } while (false)
#define FUNCTION(name) [[graphprof::time]] void name(cudaStream_t s) { run(0, s); }
// CHECK: #define FUNCTION(name) void name(cudaStream_t s) { GRAPHPROF_SCOPE(6, "first", ::graphprof::on_stream(s)); run(0, s); }

FUNCTION(first)

void uses(cudaStream_t s, cudaStream_t t, int n) {
  STATEMENT(n, s)
  STATEMENT(2, t)
  if (n)
    CALL(n + 1, s);
  else
    CALL(3, t);
  BLOCK(s)
  AROUND(run(4, s);)
  OUTER(s);
}
