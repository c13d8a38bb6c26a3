// RUN: %status 1 %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
//
// Names of regions inside kernels are checked as those of regions on the host.

#include <cuda_runtime.h>

__global__ void kernel(int *x, int n) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: 1 place, 0 values; add a value, or remove a place
  [[graphprof::time("load {}")]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the name has no '{}' for this value; add one, or remove the value
  [[graphprof::time("load", n)]] { *x = 1; }
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: '{:s}' cannot show 'n', which is an integer
  [[graphprof::time("load {:s}", n)]] { *x = 1; }
}
