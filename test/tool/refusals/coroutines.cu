// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda -std=c++20 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// A coroutine may be resumed on another thread, and a region belongs to one.

#include <cuda_runtime.h>

#include "coroutine.h"

struct Task {
  struct promise_type {
    Task get_return_object();
    Always initial_suspend();
    Always final_suspend() noexcept;
    void return_void();
    void unhandled_exception();
  };
};

// CHECK: :[[#@LINE+1]]:3: error: a coroutine cannot be timed: it may end on another thread; annotate a function that it calls
[[graphprof::time]] Task whole() { co_await Always(); }
Task part() {
  // CHECK: :[[#@LINE+1]]:5: error: a coroutine cannot be timed
  [[graphprof::time]] { co_await Always(); }
  // CHECK: :[[#@LINE+1]]:5: error: a coroutine cannot be timed
  [[graphprof::time("no suspension")]] { Always(); }
}
