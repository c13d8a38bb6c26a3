// A capture that the program breaks itself: it gets CUDA's errors as ever, goes on with another
// capture, and the table says what came of the first.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: %t/program 2>&1 | FileCheck %s
// RUN: env GRAPHPROF_CLOCK=event %t/program 2>&1 | FileCheck %s

#include <cstdio>

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  for (const bool broken : {true, false}) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    [[graphprof::time("work")]] work<<<1, 32, 0, stream>>>(x);
    if (broken) // CHECK: synchronize: cudaErrorStreamCaptureUnsupported
      std::fprintf(stderr, "synchronize: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    // CHECK: end: cudaErrorStreamCaptureInvalidated
    // CHECK: end: cudaSuccess
    std::fprintf(stderr, "end: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  }
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// CHECK: {{^}}work 1
// CHECK: 1 capture with regions failed or abandoned: no graph came of them
