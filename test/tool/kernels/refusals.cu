// RUN: %status 1 %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=error:
//
// What an annotation on a kernel cannot say, because it is repeated at each launch.

#include <cuda_runtime.h>

[[graphprof::time("a {}", n)]] __global__ void named(float *x, int n);
// CHECK: :[[#@LINE-1]]:27: error: a value in a kernel's annotation is repeated at each launch, so it must be made of literals; annotate the launches to use others
[[graphprof::time("b", stream = s)]] __global__ void streamed(float *x, cudaStream_t s);
// CHECK: :[[#@LINE-1]]:24: error: each launch of a kernel names its own stream; annotate the launches to name another
[[graphprof::time("c {}")]] __global__ void formatted(float *x);
// CHECK: :[[#@LINE-1]]:{{[0-9]+}}: error:
[[graphprof::time("d")]] __global__ void twice(float *x);
[[graphprof::time("e")]] __global__ void twice(float *x) {}
// CHECK: :[[#@LINE-1]]:3: error: another declaration of this kernel is annotated differently, in {{.*}}refusals.cu:[[#@LINE-2]]; annotate one of them
[[graphprof::time("same")]] __global__ void agrees(float *x);
[[graphprof::time("same")]] __global__ void agrees(float *x) {}
[[graphprof::step]] __global__ void step(float *x) {}
// CHECK: :[[#@LINE-1]]:3: error: a kernel's code runs on the device and cannot hold a guard; annotate the launch instead
