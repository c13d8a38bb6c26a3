// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// Where an annotation cannot stand, and why. Nothing is written of a file with such an error.

#include <cuda_runtime.h>

int f();
struct Pair { int first, second; };
Pair pair();

// CHECK: :[[#@LINE+1]]:3: error: only a function's definition can be timed, and this is a declaration; annotate the definition
[[graphprof::time]] void prototype();
// CHECK: :[[#@LINE+1]]:3: error: a declaration cannot be timed: the braces around it would end what it declares; declare first and annotate an assignment, or annotate a block
[[graphprof::time]] int global = 1;
// CHECK: :[[#@LINE+1]]:10: error: a class has no code of its own to time; annotate the definitions of its methods
struct [[graphprof::time]] Annotated {
  // CHECK: :[[#@LINE+1]]:5: error: a declaration cannot be timed
  [[graphprof::time]] int member;
  // CHECK: :[[#@LINE+1]]:5: error: only a function's definition can be timed
  [[graphprof::time]] Annotated() = default;
};
// CHECK: :[[#@LINE+1]]:3: error: a class has no code of its own to time
[[graphprof::time]] struct InFront { void method(); };
// CHECK: :[[#@LINE+1]]:28: error: a class has no code of its own to time
template <class T> class [[graphprof::time]] Template {};
// CHECK: :[[#@LINE+1]]:3: error: a constexpr function cannot be timed: a guard is not a constant expression; annotate its calls
[[graphprof::time]] constexpr int constant() { return 1; }
// CHECK: :[[#@LINE+1]]:32: error: a constexpr function cannot be timed
auto lambda = []() constexpr [[graphprof::time]] { return 1; };
// CHECK: :[[#@LINE+1]]:3: error: device code cannot hold a guard; annotate the launch of the kernel instead
[[graphprof::time]] __device__ int device() { return 1; }

__global__ void inside() {
  // CHECK: :[[#@LINE+1]]:5: error: a kernel's code runs on the device
  [[graphprof::step]] { }
  // CHECK: :[[#@LINE+1]]:5: error: there is nothing to time in an empty statement
  [[graphprof::time]];
}

// CHECK: :[[#@LINE+1]]:18: error: a declaration cannot be timed
void parameter([[graphprof::time]] int);

int statements(int n) {
  // CHECK: :[[#@LINE+1]]:5: error: a declaration cannot be timed
  [[graphprof::time]] int x = f();
  // CHECK: :[[#@LINE+1]]:5: error: a declaration cannot be timed
  [[graphprof::time]] auto [a, b] = pair();
  // CHECK: :[[#@LINE+1]]:5: error: there is nothing to time in an empty statement; remove this annotation
  [[graphprof::time]];
  // CHECK: :[[#@LINE+1]]:5: error: a labelled statement cannot be timed: a jump to the label would pass by the beginning of the region; put the annotation behind the label
  [[graphprof::time]] label: f();
  while (n) {
    // CHECK: :[[#@LINE+1]]:7: error: there is nothing to time in a jump; remove this annotation
    [[graphprof::time]] break;
  }
  switch (n) {
    // CHECK: :[[#@LINE+1]]:7: error: a 'case' cannot be timed: it is jumped to; put the annotation behind it
    [[graphprof::time]] case 1: f();
    // CHECK: :[[#@LINE+1]]:7: error: a 'case' cannot be timed
    [[graphprof::time]] default: f();
  }
  // CHECK: :[[#@LINE+2]]:5: error: a pragma belongs to this statement, and no brace may come between them; put the annotation above the pragma
#pragma unroll
  [[graphprof::time]] for (int i = 0; i < n; ++i) f();
  // CHECK: :[[#@LINE+1]]:25: error: this construct has two annotations; remove one
  [[graphprof::time]] [[graphprof::time]] f();
  return x + a + b;
}
// CHECK: places.cu: not instrumented
