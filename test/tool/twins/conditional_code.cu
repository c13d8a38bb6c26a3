// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=warning:
//
// The tool parses the host's side. What an #if leaves out there is not timed, which is said where it is code of a kernel or a device
// function.

#include <cuda_runtime.h>

#if __CUDA_ARCH__ >= 800
#define FAST
#endif

__global__ void k(float *x) {
  [[graphprof::time("begin")]] *x = 1;
#ifdef FAST
  // CHECK: :[[#@LINE+1]]:5: warning: the #if around this annotation leaves it out on the host's side, which is what is looked at, so it has no effect; annotate a block around the #if
  [[graphprof::time("fast")]] *x = 2;
  [[graphprof::time("fast, too")]] *x = 3;
#else
  [[graphprof::time("slow")]] *x = 4;
#endif
#ifdef NEITHER
  [[graphprof::time("neither")]] *x = 7;
#elif 0
  [[graphprof::time("neither")]] *x = 8;
#endif
#ifndef __CUDA_ARCH__
#if 1
  [[graphprof::time("host")]] *x = 8;
#endif
#else
  // CHECK: :[[#@LINE+1]]:5: warning: the #if around this annotation leaves it out
  [[graphprof::time("device")]] *x = 9;
#endif
  [[graphprof::time("both")]] {
#ifdef FAST
    *x = 5;
#else
    *x = 6;
#endif
  }
}
__device__ float f(float x) {
#ifdef __CUDA_ARCH__
  // CHECK: :[[#@LINE+1]]:5: warning: the #if around this annotation leaves it out
  [[graphprof::time("f")]] x += 1;
#endif
  return x;
}
void host(float *x) {
#ifdef FAST
  [[graphprof::time("host")]] k<<<1, 1>>>(x);
#endif
}
// CHECK: 4 regions inside 1 kernel, 3 warnings
