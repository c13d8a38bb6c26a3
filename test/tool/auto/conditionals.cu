// RUN: %instrument --auto launches %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %s -o %t.fast.cu -- %cuda -DFAST 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
// RUN: %compile -DFAST %t.cu
//
// A launch that an #if divides gets no guard: its parentheses would not match in the other branch. One that holds the whole of an #if, or is all of
// a branch, gets one.
// SAID: 0 regions, 0 redirected calls, 3 launches timed, 2 not (2 divided by an #if);

#include <cuda_runtime.h>

__global__ void step(float *x) {}
__global__ void fast(float *x) {}
void *const Step = (void *)step;
void check(cudaError_t error, int line = 0);

cudaError_t run(float *x, cudaStream_t s) {
  step<<<1,
#ifdef FAST
         32,
#else
         1,
#endif
         0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED(1, "step", ::graphprof::on_stream(s)), step<<<1,
  // CHECK: 0, s>>>(x));
  check(
#ifdef FAST
      cudaLaunchKernel((void *)fast, 1, 1, nullptr, 0, s)
#else
      cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)
#endif
  );
  // CHECK: cudaLaunchKernel((void *)fast, 1, 1, nullptr, 0, s)
  // CHECK: (GRAPHPROF_TIMED(2, "Step", ::graphprof::on_stream(s)), cudaLaunchKernel(Step, 1, 1, nullptr, 0, s))
#ifdef FAST
  fast
#else
  step
#endif
      <<<1, 1, 0, s>>>(x);
  // CHECK: <<<1, 1, 0, s>>>(x);
  check(cudaLaunchKernel(Step, 1, 1, nullptr, 0,
#ifdef FAST
                         s)
#else
                         nullptr), __LINE__
#endif
  );
  // CHECK: check(cudaLaunchKernel(Step, 1, 1, nullptr, 0,
  return
#ifdef FAST
      x == nullptr ? cudaSuccess :
#endif
      cudaLaunchKernel(Step, 1, 1, nullptr, 0, s);
  // CHECK: (GRAPHPROF_TIMED(3, "Step", ::graphprof::on_stream(s)), cudaLaunchKernel(Step, 1, 1, nullptr, 0, s));
}
