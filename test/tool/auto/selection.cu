// RUN: %instrument --auto launches --select 'math::' --exclude 'add$' %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %status 2 %instrument --auto launches --select '(' %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: %status 2 %instrument --select add %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %instrument --auto none %s -o %t.none.cu -- %cuda
// RUN: cmp %s %t.none.cu
//
// What is timed is chosen by qualified names; --select first, then --exclude.
// SAID: 1 launch timed, 2 not (2 not selected)
// REGEX: --select '(': parentheses not balanced
// ALONE: --select and --exclude choose among what --auto finds

#include <cuda_runtime.h>

namespace math {
__global__ void add(float *x);
__global__ void sub(float *x);
}
__global__ void step(float *x);

void run(float *x) {
  math::add<<<1, 1>>>(x);
  // CHECK: math::add<<<1, 1>>>(x);
  math::sub<<<1, 1>>>(x);
  // CHECK: (GRAPHPROF_TIMED(1, "sub", ::graphprof::on_stream(0)), math::sub<<<1, 1>>>(x));
  step<<<1, 1>>>(x);
  // CHECK: step<<<1, 1>>>(x);
}
