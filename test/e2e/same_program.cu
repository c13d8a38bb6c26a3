// Instrumented or not, timed or not, with either clock: the program prints the same, returns the
// same, sees the same nodes in its graph, and finds the same CUDA error where it made a mistake.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %plainsimcc %s -o %t/plain
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/instrumented
// RUN: %t/plain >%t/expected 2>&1
// RUN: FileCheck %s --input-file=%t/expected
// RUN: env GRAPHPROF_OUTPUT=%t/run.csv %t/instrumented 2>&1 | grep -v "^graphprof: wrote " >%t/stamp; diff %t/expected %t/stamp
// RUN: env GRAPHPROF_OUTPUT=%t/run.csv GRAPHPROF_CLOCK=event %t/instrumented 2>&1 | grep -v "^graphprof: wrote " >%t/event; diff %t/expected %t/event
// RUN: env GRAPHPROF_OUTPUT= GRAPHPROF_BACKEND=host %t/instrumented 2>&1 | grep -v "^graphprof: GRAPHPROF_BACKEND=host: CUDA is left alone" >%t/host; diff %t/expected %t/host
// RUN: env GRAPHPROF_ENABLED=0 %t/instrumented >%t/disabled 2>&1 && diff %t/expected %t/disabled

#include <cstdio>

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; ++i) [[graphprof::time("work {}", i)]]
    work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);

  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  // CHECK: 3 nodes
  std::printf("%zu nodes\n", nodes);

  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i)
    cudaGraphLaunch(exec, stream);
  // CHECK-NEXT: replays: cudaSuccess
  std::printf("replays: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));

  // CHECK-NEXT: mistake: cudaErrorInvalidValue
  std::printf("mistake: %s\n", cudaGetErrorName(cudaGraphLaunch(nullptr, stream)));
  // CHECK-NEXT: then: cudaErrorInvalidValue
  std::printf("then: %s\n", cudaGetErrorName(cudaGetLastError()));
  // CHECK-NEXT: at last: cudaSuccess
  std::printf("at last: %s\n", cudaGetErrorName(cudaGetLastError()));

  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return 0;
}
