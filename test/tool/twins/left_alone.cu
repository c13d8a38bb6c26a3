// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: graphprof_twin
// TEXT-NOT: graphprof::time
//
// Kernels that get no twin run as they are, with a warning that says why.

#include <cuda_runtime.h>

template <class T> __global__ void unused(T *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'unused' are not timed, and it runs as it is: it is a template of which this source makes no kernel
  [[graphprof::time("a")]] { *x = 1; }
}
template <class T> __global__ void local(T x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'local' are not timed, and it runs as it is: it is a template, and an argument of it cannot be written behind it: a template, an overloaded or a member function, an object, or a type that is local, private or without a name
  [[graphprof::time("a")]] { }
}
template <template <class> class T> __global__ void of_template(int *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'of_template' are not timed, and it runs as it is: it is a template, and an argument of it cannot be written behind it: a template, an overloaded or a member function
  [[graphprof::time("a")]] { }
}
template <class T> __global__ void elsewhere(T *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'elsewhere' are not timed, and it runs as it is: it is a template of which this source makes no kernel
  [[graphprof::time("a")]] { *x = 1; }
}
extern template __global__ void elsewhere<int>(int *);
template <class T> __global__ void special(T x) {}
template <> __global__ void special(int x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'special' are not timed, and it runs as it is: it is a specialization of a template
  [[graphprof::time("a")]] { }
}
template <class T> struct Holds {};
struct Holder {
  static __global__ void member(int *x) {
    // CHECK: :[[#@LINE+1]]:7: warning: the regions inside the kernel 'member' are not timed, and it runs as it is: it is a member of a class
    [[graphprof::time("a")]] { *x = 1; }
  }
};
__device__ void helper(int *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the device function 'helper' are not timed, and it runs as it is: no kernel behind it in this file that can have a timed twin calls it
  [[graphprof::time("a")]] { *x = 1; }
}
__global__ void nested(int *x) {
  // CHECK: :[[#@LINE+1]]:25: warning: a statement of a lambda or a local class inside a kernel or a device function is not timed; annotate its call
  auto lambda = [=] { [[graphprof::time("a")]] { *x = 1; } };
  struct Local {
    // CHECK: :[[#@LINE+1]]:44: warning: a statement of a lambda or a local class
    static __device__ void run(int *x) { [[graphprof::time("a")]] { *x = 1; } }
  };
  lambda();
}
__global__ void overloaded(int *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'overloaded' are not timed, and it runs as it is: its name has overloads
  [[graphprof::time("a")]] { *x = 1; }
}
__global__ void overloaded(float *x) {}
#define NEXT __COUNTER__
__global__ void numbered(int *x) {
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'numbered' are not timed, and it runs as it is: a second body would change the values of __COUNTER__ behind it
  [[graphprof::time("a")]] { *x = NEXT; }
}
__global__ void counts(int *x) {
  static int calls;
  // CHECK: :[[#@LINE+1]]:5: warning: the regions inside the kernel 'counts' are not timed, and it runs as it is: 'calls' in it keeps its value between launches
  [[graphprof::time("a")]] { *x = ++calls; }
}
void run(int *x) {
  struct Own {};
  local<<<1, 1>>>(Own());
  special<<<1, 1>>>(1);
  elsewhere<<<1, 1>>>(x);
  of_template<Holds><<<1, 1>>>(x);
  using Type = decltype(&unused<int>); // which does not make it
  Holder::member<<<1, 1>>>(x);
}
