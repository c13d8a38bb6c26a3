// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: graphprof_twin
// TEXT-NOT: graphprof::time
//
// Kernels that get no twin run as they are, with a warning that says why.

#include <cuda_runtime.h>

template <class T> __global__ void generic(T *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'generic' are not timed, and it runs as it is: it is a template
  [[graphprof::time("a")]] { *x = 1; }
}
__global__ void overloaded(int *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'overloaded' are not timed, and it runs as it is: its name has overloads
  [[graphprof::time("a")]] { *x = 1; }
}
__global__ void overloaded(float *x) {}
__global__ void counts(int *x) {
  static int calls;
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'counts' are not timed, and it runs as it is: 'calls' in it keeps its value between launches
  [[graphprof::time("a")]] { *x = ++calls; }
}
__global__ void values(int *x, int n) {
  // CHECK: :[[#@LINE+1]]:5: warning: a region inside a kernel has a constant name and no values; it is not timed
  [[graphprof::time("a {}", n)]] { *x = 1; }
}
void run(int *x) { generic<<<1, 1>>>(x); }
