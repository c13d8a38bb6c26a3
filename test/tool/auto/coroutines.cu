// RUN: %instrument --auto launches %s -o %t.cu -- %cuda -std=c++20 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda -std=c++20
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile -idirafter %inputs -std=c++20 %t.cu
// RUN: %instrument --auto functions %s -o %t.functions.cu -- %cuda -std=c++20 2>&1 | FileCheck %s --check-prefix=FUNCTIONS
//
// A guard must not live where a coroutine waits: it may go on on another thread. Launches in coroutines are timed where nothing waits.
// SAID: 0 regions, 0 redirected calls, 4 launches timed, 3 not (3 in an expression that waits for a coroutine);
// FUNCTIONS: 1 function timed, 1 not (1 a coroutine);

#include <cuda_runtime.h>

#include "coroutine.h"

struct Number : Always {
  int await_resume() noexcept;
};
struct Task {
  struct promise_type {
    Task get_return_object();
    Always initial_suspend();
    Always final_suspend() noexcept;
    void return_value(int);
    void unhandled_exception();
    Always yield_value(cudaError_t);
  };
};
__global__ void step(int x) {}
cudaError_t both(cudaError_t, int);
int status();
#define RUN(k, x) do { k<<<1, 1>>>(x); status(); } while (false)
#define RUN_AND_WAIT(k, x) k<<<1, 1>>>(x); co_await Always()

Task work(cudaStream_t s, int n) {
  step<<<1, 1, 0, s>>>(n);
  // CHECK: (GRAPHPROF_TIMED(1, "step", ::graphprof::on_stream(s)), step<<<1, 1, 0, s>>>(n));
  RUN(step, n);
  // CHECK: { GRAPHPROF_SCOPE(2, "step", ::graphprof::on_stream(0)); RUN(step, n); }
  step<<<1, 1, 0, s>>>(co_await Number());
  // CHECK: step<<<1, 1, 0, s>>>(co_await Number());
  both(cudaLaunchKernel((void *)step, 1, 1, nullptr, 0, s), co_await Number());
  // CHECK: both(cudaLaunchKernel((void *)step, 1, 1, nullptr, 0, s), co_await Number());
  RUN_AND_WAIT(step, n);
  // CHECK: RUN_AND_WAIT(step, n);
  auto plain = [=] { step<<<1, 1, 0, s>>>(n); };
  // CHECK: auto plain = [=] { (GRAPHPROF_TIMED(3, "step", ::graphprof::on_stream(s)), step<<<1, 1, 0, s>>>(n)); };
  plain();
  co_await Always();
  co_return n;
}

void outside(int n) { step<<<1, 1>>>(n); }
// CHECK: void outside(int n) { (GRAPHPROF_TIMED(4, "step", ::graphprof::on_stream(0)), step<<<1, 1>>>(n)); }
