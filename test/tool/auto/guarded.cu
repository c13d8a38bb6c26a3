// RUN: %instrument --auto launches %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// What an #if leaves out between a guard and its launch does not hide the guard from the next run.

#include <cuda_runtime.h>

__global__ void step(float *x) {}

void annotated(float *x, cudaStream_t s) {
  [[graphprof::time("directives")]]
#ifdef NEVER
  )
#endif
  step<<<1, 1, 0, s>>>(x);
  // CHECK: {{.*}}GRAPHPROF_SCOPE(1, "directives", ::graphprof::on_stream(s));{{.*}}
  // CHECK: {{ *}}step<<<1, 1, 0, s>>>(x); }
}
