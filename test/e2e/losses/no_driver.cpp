// A machine without a CUDA driver: the library loads, says once what is missing, and regions get
// host times.
//
// UNSUPPORTED: cuda-driver
// RUN: %cxx %s -o %t %library
// RUN: env GRAPHPROF_OUTPUT=table:all %t 2>&1 | FileCheck %s
//
// CHECK:      graphprof: no CUDA driver on this machine (libcuda.so.1): only host times are taken
// CHECK-NOT:  no CUDA driver
// CHECK:      the program goes on
// CHECK:      host time only
// CHECK-NEXT: work 0 1
// CHECK-NEXT: work 1 1

#include <cstdio>

#include <graphprof/graphprof.h>

int main() {
  for (int i = 0; i < 2; ++i) {
    GRAPHPROF_SCOPE(1, "work {}", graphprof::StreamRef(nullptr), i);
  }
  std::fprintf(stderr, "the program goes on\n");
}
