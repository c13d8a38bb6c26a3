// An instrumented library in a program that is not: the captures begin, and the graphs are launched,
// where nobody tells graphprof. It names that cause.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %graphprof sim cc -std=c++17 -DLIBRARY -c %s -o library.o
// RUN: sh -c '$(%graphprof sim path)/bin/nvcc -std=c++17 %s library.o -o app %library'
// RUN: ./app 2>&1 | FileCheck %s
// CHECK: graphprof: {{.*}}regions ran in captures that code without instrumentation began, and no launch of their graphs was seen; instrument that code, or use graphprof run

#include <cuda_runtime.h>

void layer(float *x, cudaStream_t stream);

#ifdef LIBRARY
__global__ void add(float *x) {}

void layer(float *x, cudaStream_t stream) {
  [[graphprof::time("layer")]] { add<<<1, 32, 0, stream>>>(x); }
}
#else
int main() {
  cudaStream_t stream;
  float *x;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  if (cudaStreamCreate(&stream) || cudaMalloc(&x, 64) ||
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return 1;
  layer(x, stream);
  if (cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&exec, graph, 0) ||
      cudaGraphLaunch(exec, stream))
    return 2;
  return cudaStreamSynchronize(stream);
}
#endif
