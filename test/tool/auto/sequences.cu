// RUN: %instrument --auto launches %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// A macro that is several statements, one of which launches, gets braces where they change nothing: in a block, and where it declares nothing.
// SAID: 0 regions, 0 redirected calls, 10 launches timed (1 on a stream that is not known there: GPU times only inside captures), 4 not (1 among several in one use of a macro, 1 in a macro of several statements of which a branch or loop without braces takes the first, 1 in a macro that also declares something, 1 in a macro's body)

#include <cuda_runtime.h>

__global__ void step(float *x) {}
cudaError_t status();
void check(cudaError_t);
cudaStream_t next();

#define RUN(k, s, x) k<<<1, 1, 0, s>>>(x); check(status())
#define RUN_CLOSED(k, s, x) check(status()); k<<<1, 1, 0, s>>>(x); if (x == nullptr) { return; }
#define RUN_NEXT(k, s, x) s = next(); k<<<1, 1, 0, s>>>(x)
#define RUN_TWO(k, s, x) k<<<1, 1, 0, s>>>(x); k<<<1, 1, 0, s>>>(x)
#define RUN_DECLARING(k, s, x) k<<<1, 1, 0, s>>>(x); cudaError_t error = status()
#define RUN_OPEN(k, s, x) k<<<1, 1, 0, s>>>(x); if (x == nullptr)
#define RUN_LABELLED(k, s, x) again: k<<<1, 1, 0, s>>>(x); check(status())
#define OUTER(k, s, x) RUN(k, s, x); check(status())
#define INSIDE(...) __VA_ARGS__

template <class T> void generic(T *x, cudaStream_t s) {
  RUN(step, s, x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); }
}

void run(float *x, cudaStream_t s, int n) {
  cudaStreamCreate(&s);
  RUN(step, s, x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); }
  RUN_CLOSED(step, s, x)
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN_CLOSED(step, s, x) }
  RUN_NEXT(step, s, x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_capture()); RUN_NEXT(step, s, x); }
  OUTER(step, s, x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); OUTER(step, s, x); }
  switch (n) { case 1: RUN(step, s, x); break; }
  // CHECK: switch (n) { case 1: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); } break; }
  if (n > 1) { RUN(step, s, x); } else n = 1;
  // CHECK: if (n > 1) { { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); } } else n = 1;
  INSIDE([&] { RUN(step, s, x); }());
  // CHECK: INSIDE([&] { { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); } }());
  { INSIDE(int m = n; RUN(step, s, x); m = 1;) }
  // CHECK: { INSIDE(int m = n; { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN(step, s, x); } m = 1;) }
  RUN_OPEN(step, s, x) n = 2;
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); RUN_OPEN(step, s, x) n = 2; }

  if (n > 2) RUN(step, s, x);
  // CHECK: if (n > 2) RUN(step, s, x);
  RUN_TWO(step, s, x);
  // CHECK: RUN_TWO(step, s, x);
  RUN_DECLARING(step, s, x);
  // CHECK: RUN_DECLARING(step, s, x);
  check(error);
  RUN_LABELLED(step, s, x);
  // CHECK: RUN_LABELLED(step, s, x);
  if (n > 3) goto again;
}
