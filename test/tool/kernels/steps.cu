// RUN: %status 1 %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: %status 1 %instrument --auto launches %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
//
// A kernel is no step, however its launches are timed.

#include <cuda_runtime.h>

// CHECK: :[[#@LINE+1]]:3: error:
[[graphprof::step]] __global__ void step(float *x) {}
void run(float *x) { step<<<1, 1>>>(x); }
