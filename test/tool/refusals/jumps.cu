// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// A region that can be entered past its beginning is refused; one that is only left early is not.

#include <cuda_runtime.h>

void work(cudaStream_t);

void jumps(cudaStream_t s, int n) {
  if (n)
    goto inside;
  // CHECK: :[[#@LINE+1]]:5: error: a goto or a case jumps into this construct, past the beginning of the region; annotate a block without the label
  [[graphprof::time]] {
    work(s);
inside:
    work(s);
  }
  switch (n) {
  case 0:
    // CHECK: :[[#@LINE+1]]:5: error: a goto or a case jumps into this construct
  [[graphprof::time]] {
    work(s);
  case 1:
    work(s);
  }
  }
  for (;;) {
    // CHECK-NOT: error:
    [[graphprof::time]] {
      work(s);
      if (n == 1) break;
      if (n == 2) continue;
      if (n == 3) goto outside;
      if (n == 4) return;
      if (n == 5) goto within;
      throw 1;
within:
      switch (n) { case 1: break; }
    }
    // CHECK-NOT: error:
    [[graphprof::time]] for (int i = 0; i < n; ++i) {
again:
      if (n) goto again;
    }
  }
outside:
  work(s);
  // CHECK: :[[#@LINE+1]]:5: error: a goto or a case jumps into this construct
  [[graphprof::time]] {
taken:
    work(s);
  }
  void *address = &&taken;
  goto *address;
}

// What a macro gets as an argument is not seen in its body.
// CHECK: :[[#@LINE+1]]:26: error: a goto or a case jumps into this construct
#define TIMED_BLOCK(x) [[graphprof::time]] { x }
void through(int n, cudaStream_t s) {
  switch (n) {
  case 0:
    TIMED_BLOCK(work(s); case 1: work(s);)
  }
}
