// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// Annotations and constructs that a macro holds only a part of.

#include <cuda_runtime.h>

void work(cudaStream_t);

#define TIMED_HALF [[graphprof::time]] work(
#define OPEN {
#define HALF work(s); work(
#define ARGUMENTS n, n
#define NAME_AND_VALUE "name {}", n

// CHECK: :[[#@LINE-6]]:22: error: this construct begins or ends inside a macro's expansion, so it cannot be timed; annotate a block around it
void macros(cudaStream_t s, int n) {
  // CHECK: :[[#@LINE+1]]:5: error: this construct begins or ends inside a macro's expansion, so it cannot be timed; annotate a block around it
  [[graphprof::time]] HALF s);
  // CHECK: :[[#@LINE+1]]:34: error: this argument is only a part of what a macro expands to
  [[graphprof::time("two {} {}", ARGUMENTS)]] work(s);
  // CHECK: :[[#@LINE+1]]:21: error: this name is only a part of what a macro expands to
  [[graphprof::time(NAME_AND_VALUE)]] work(s);
  TIMED_HALF s);
}

// CHECK: :[[#@LINE+1]]:3: error: this construct begins or ends inside a macro
[[graphprof::time]] void function(cudaStream_t s) OPEN work(s); }
