// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// Where the annotation goes, its line breaks stay, and blanks that would be left over go as well.

#include <cuda_runtime.h>

void work(cudaStream_t);

void layout(cudaStream_t s, int n) {
  // CHECK-LABEL: void layout({{.*}}
  // An own line:
  [[graphprof::time("own line")]]
  { work(s); }
  // CHECK:      // An own line:
  // CHECK-EMPTY:
  // CHECK-NEXT: { GRAPHPROF_SCOPE(1, "own line", ::graphprof::on_stream(s)); work(s); }
  // Several lines:
  [[graphprof::time("several lines {} {}", // a comment
                    n, /* another */ n + 1,
                    stream = s)]]
  work(s);
  // CHECK:      // Several lines:
  // CHECK-EMPTY:
  // CHECK-EMPTY:
  // CHECK-EMPTY:
  // CHECK-NEXT: { GRAPHPROF_SCOPE(2, "several lines {} {}", ::graphprof::on_stream(s), n, n + 1); work(s); }
  [[graphprof::time("with others")]] [[likely]] { work(s); }
  // CHECK: {{\[\[}}likely]] { GRAPHPROF_SCOPE(3, "with others", ::graphprof::on_stream(s)); work(s); }
  [[likely]] [[graphprof::time("with others")]] work(s);
  // CHECK: {{\[\[}}likely]] { GRAPHPROF_SCOPE(4, "with others", ::graphprof::on_stream(s)); work(s); }
  [[likely, graphprof::time("in a list")]] work(s);
  // CHECK: {{\[\[}}likely]] { GRAPHPROF_SCOPE(5, "in a list", ::graphprof::on_stream(s)); work(s); }
  [[using graphprof: time("using")]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(6, "using", ::graphprof::on_stream(s)); work(s); }
  if (n) work(s); else[[graphprof::time("no blank")]]work(s);
  // CHECK: if (n) work(s); else { GRAPHPROF_SCOPE(7, "no blank", ::graphprof::on_stream(s)); work(s); }
  if (n) work(s); else [[graphprof\
::time("splice")]]if (n) work(s);
  // CHECK:      if (n) work(s); else \
  // CHECK-NEXT: { GRAPHPROF_SCOPE(8, "splice", ::graphprof::on_stream(s)); if (n) work(s); }
  // A line break inside the name:
  [[graphprof::time(R"(raw
string)")]] work(s);
  // CHECK:      // A line break inside the name:
  // CHECK-NEXT: { GRAPHPROF_SCOPE(9, R"(raw
  // CHECK-NEXT: string)", ::graphprof::on_stream(s)); work(s); }
  [[graphprof::time("outer")]] for (int i = 0; i < n; ++i) [[graphprof::time("inner")]] work(s);
  // CHECK: { GRAPHPROF_SCOPE(10, "outer", ::graphprof::on_stream(s)); for (int i = 0; i < n; ++i) { GRAPHPROF_SCOPE(11, "inner", ::graphprof::on_stream(s)); work(s); } }
  [[graphprof::time("pragma")]]
#pragma unroll
  for (int i = 0; i < n; ++i)
    work(s);
  // CHECK:      { GRAPHPROF_SCOPE(12, "pragma", ::graphprof::on_stream(s));
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int i = 0; i < n; ++i)
  // CHECK-NEXT: work(s); }
}
