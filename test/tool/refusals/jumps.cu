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

// A computed goto, or an asm that jumps, may lead to each label whose address is taken. Inside a region it may do so; g++ ends no
// region that it leaves.
void computed(cudaStream_t s, int n) {
  // CHECK-NOT: error:
  [[graphprof::time]] {
    static void *const table[] = {&&one, &&two};
    goto *table[n & 1];
one:
    work(s);
two:
    work(s);
  }
}
int leaves(cudaStream_t s, int n) {
  static void *const table[] = {&&first, &&last};
  // CHECK: :[[#@LINE+1]]:5: error: a computed goto or an asm goto may jump out of this construct, and the region would not end; annotate a block that holds the labels, too
  [[graphprof::time]] {
    work(s);
    if (n >= 0) goto *table[n & 1];
  }
first:
  return 1;
last:
  return 2;
}
int by_asm(cudaStream_t s, int n) {
  // CHECK: :[[#@LINE+1]]:5: error: a computed goto or an asm goto may jump out of this construct
  [[graphprof::time]] {
    work(s);
    asm goto("test %0, %0; jz %l1" : : "r"(n) : "cc" : zero);
  }
  return n;
zero:
  return 9;
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
