// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// `ignore` leaves a construct as it is, annotations inside included. A comment keeps saying so to the next run.

#include <cuda_runtime.h>

void work(cudaStream_t);
#define RUN(...) __VA_ARGS__
#define FIRST(f, ...) f(__VA_ARGS__)
#define IN_BODY(arg) { [[graphprof::ignore]] arg; }
// CHECK: #define IN_BODY(arg) { /*{{\[\[}}graphprof::ignore]]*/ arg; }

void some(cudaGraphExec_t e, cudaStream_t s) {
  [[graphprof::ignore]] cudaGraphLaunch(e, s);
  // CHECK: /*{{\[\[}}graphprof::ignore]]*/ cudaGraphLaunch(e, s);
  cudaGraphLaunch(e, s);
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(e, s);
  [[graphprof::ignore]] cudaError_t error = cudaGraphUpload(e, s);
  // CHECK: /*{{\[\[}}graphprof::ignore]]*/ cudaError_t error = cudaGraphUpload(e, s);
  [[graphprof::ignore]] {
    [[graphprof::time]] cudaGraphUpload(e, s);
  }
  // CHECK:      /*{{\[\[}}graphprof::ignore]]*/ {
  // CHECK-NEXT: cudaGraphUpload(e, s);
  [[graphprof::ignore]] /* a comment */ cudaGraphLaunch(e, s);
  // CHECK: /*{{\[\[}}graphprof::ignore]]*/ /* a comment */ cudaGraphLaunch(e, s);
  [[graphprof::ignore]] RUN(cudaGraphLaunch(e, s));
  // CHECK: /*{{\[\[}}graphprof::ignore]]*/ RUN(cudaGraphLaunch(e, s));
  [[graphprof::ignore]]
#pragma unroll
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(e, s);
  // CHECK:      /*{{\[\[}}graphprof::ignore]]*/
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int i = 0; i < 2; ++i) cudaGraphLaunch(e, s);
  IN_BODY(work(s))
  // CHECK: IN_BODY(work(s))
  RUN([[graphprof::ignore]] FIRST(cudaGraphLaunch, e, s);)
  // CHECK: RUN(/*{{\[\[}}graphprof::ignore]]*/ FIRST(cudaGraphLaunch, e, s);)
  RUN([[graphprof::ignore]] cudaGraphLaunch(e, s);)
  // CHECK: RUN(/*{{\[\[}}graphprof::ignore]]*/ cudaGraphLaunch(e, s);)
  [[graphprof::ignore]] {
    [[graphprof::time, graphprof::step]] work(s);
  }
  // CHECK:      /*{{\[\[}}graphprof::ignore]]*/ {
  // CHECK-NEXT: work(s);
}

[[graphprof::ignore]] void function(cudaGraphExec_t e, cudaStream_t s) { cudaGraphLaunch(e, s); }
// CHECK: /*{{\[\[}}graphprof::ignore]]*/ void function(cudaGraphExec_t e, cudaStream_t s) { cudaGraphLaunch(e, s); }
