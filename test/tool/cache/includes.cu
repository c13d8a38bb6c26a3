// What the tool inserts includes nothing that takes nvcc long: none of the standard library's larger headers. The program's own
// includes come behind it, so texts of its classes are values all the same.
//
// RUN: %instrument -o %t.cu %s -- %simulated
// RUN: clang++ -x c++ -std=c++17 -I%inputs/../../../include -isystem %inputs/../../cudasim/include -M -DWITHOUT_TEXT %t.cu > %t.d
// RUN: FileCheck %s --input-file=%t.d
// RUN: %compile %t.cu
//
// CHECK-NOT: {{/(string|string_view|vector|functional|memory|atomic|tuple|map|iostream|algorithm)[ \n\\]}}
// CHECK: graphprof/scope.h
// CHECK-NOT: {{/(string|string_view|vector|functional|memory|atomic|tuple|map|iostream|algorithm)[ \n\\]}}

#include <cuda_runtime.h>
#ifndef WITHOUT_TEXT
#include <string>
#include <string_view>

void texts(cudaStream_t stream, const std::string &name, std::string_view part, char *old) {
  [[graphprof::time("{} {} {:>8}", name, part, old, layer = 3, why = std::string("made here"))]]
  cudaMemsetAsync(nullptr, 0, 0, stream);
}
#endif

void number(cudaStream_t stream, cudaGraphExec_t exec, int layer) {
  [[graphprof::time("layer {}", layer, batch = 2.5)]] cudaGraphLaunch(exec, stream);
}
