// A program that never comes to its graphs, since there is no CUDA driver: the table says so, and does not look for the fault in
// how the program was built.
//
// UNSUPPORTED: cuda-driver
// RUN: %cxx %s -o %t %library
// RUN: env GRAPHPROF_OUTPUT=table %t 2>&1 | FileCheck %s --implicit-check-not=Likely
//
// CHECK: graphprof: nothing was recorded: no CUDA driver on this machine (libcuda.so.1){{$}}

#include <graphprof/graphprof.h>

int main() { return graphprof::flush() ? 0 : 1; }
