// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// A brace inside an #if whose partner is outside would be alone where the condition is different: in the device's pass here.

#include <cuda_runtime.h>

void work(cudaStream_t);

void conditionals(cudaStream_t s, int n) {
  // CHECK: :[[#@LINE+1]]:5: error: an #if divides this construct; annotate the statement in each branch
  [[graphprof::time]]
#ifdef __CUDA_ARCH__
  work(0);
#else
  work(s);
#endif
  // CHECK: :[[#@LINE+1]]:5: error: an #if divides this construct
  [[graphprof::time]] work(
#ifdef __CUDA_ARCH__
      0);
#else
      s);
#endif
  // CHECK: :[[#@LINE+2]]:21: error: a preprocessor directive divides this argument
  [[graphprof::time("argument {}",
                    n
#ifdef __CUDA_ARCH__
                        + 1
#endif
                        + 2)]] work(s);
  // CHECK-NOT: error
  [[graphprof::time]] for (int i = 0; i < n; ++i) {
#ifdef __CUDA_ARCH__
    work(0);
#else
    work(s);
#endif
  }
  [[graphprof::time]]
#ifdef __CUDA_ARCH__
  { work(0); }
#else
  { work(s); }
#endif
}
