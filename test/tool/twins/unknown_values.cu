// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: graphprof::time
// TEXT: {"timed", __FILE__
//
// A value in a name that nobody knows outside the kernel: a warning with the reason, and the statement is not timed.

#include <cuda_runtime.h>

int global = 3;
__constant__ int onDevice;
constexpr float real = 1.5F;
struct Pair { int a, b; };
template <class T> struct Of { static constexpr int value = 4; };
__device__ void change(int &n) { n = 3; }

__global__ void values(float *x, int n, int m, int k, float f, int *p, Pair pair, int l) {
  [[graphprof::time("timed")]] { *x = 1; }
  int local = n;
  for (int i = 0; i < n; ++i) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'i' is neither a constant nor a parameter of the kernel; the region inside the kernel is not timed
    [[graphprof::time("a {}", i)]] { *x = i; }
  }
  // CHECK: :[[#@LINE+1]]:5: warning: 'local' is neither a constant nor a parameter of the kernel; the region
  [[graphprof::time("a {}", local)]] { *x = local; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'n + 1' is neither a constant nor a parameter of the kernel; the region
  [[graphprof::time("a {}", n + 1)]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'x[0]' is neither
  [[graphprof::time("a {}", x[0])]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'pair.a' is neither
  [[graphprof::time("a {}", pair.a)]] { *x = pair.a; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'global' is neither
  [[graphprof::time("a {}", global)]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'onDevice' is neither
  [[graphprof::time("a {}", onDevice)]] { *x = onDevice; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'real' is neither
  [[graphprof::time("a {}", real)]] { *x = real; }
  // CHECK: :[[#@LINE+1]]:5: warning: '"text"' is neither
  [[graphprof::time("a {}", "text")]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'Of<int>::value' is neither
  [[graphprof::time("a {}", Of<int>::value)]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'f' is no integer, character, bool or enumeration; the region
  [[graphprof::time("a {}", f)]] { *x = f; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'p' is no integer, character, bool or enumeration
  [[graphprof::time("a {}", p)]] { *x = *p; }
  // CHECK: :[[#@LINE+1]]:5: warning: 'm' may be changed in the kernel; the region
  [[graphprof::time("a {}", m)]] { *x = 1; }
  m += 1;
  // CHECK: :[[#@LINE+1]]:5: warning: 'k' may be changed in the kernel
  [[graphprof::time("a {}", k)]] { change(k); }
  // CHECK: :[[#@LINE+1]]:5: warning: 'l' may be changed in the kernel
  [[graphprof::time("a {}", l)]] { [&] { ++l; }(); }
  // CHECK: :[[#@LINE+1]]:5: warning: a region inside a kernel has no values but those of its name; it is not timed
  [[graphprof::time("a", width = 4)]] { *x = 1; }
}

__device__ void helper(float *x, int n) {
  // CHECK: :[[#@LINE+1]]:5: warning: 'n' is a parameter of a device function, and not of the kernel; the region
  [[graphprof::time("a {}", n)]] { *x = n; }
}
template <class... T> __global__ void pack(float *x, T... all) {
  // CHECK: :[[#@LINE+1]]:5: warning: 'all' is in a parameter pack, or behind one; the region
  [[graphprof::time("a {}", all)]] { helper(x, 1); }
}
// A template's parameter may be a number in one kernel, and none in another.
template <class T, class N> __global__ void both(T *x, N n) {
  // CHECK: :[[#@LINE+1]]:5: warning: 'n' is no integer, character, bool or enumeration; the region
  [[graphprof::time("a {}", n)]] { *x = 1; }
}
void run(float *x) {
  pack<<<1, 1>>>(x, 1, 2);
  both<<<1, 1>>>(x, 3);
  both<<<1, 1>>>(x, 3.0F);
}
// CHECK: 1 region inside 1 kernel
