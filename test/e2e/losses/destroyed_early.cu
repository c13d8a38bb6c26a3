// Graph and exec are destroyed, and their handles given out again, before anything of their replays
// was read: CUDA finishes the work that is queued, so its times must come through.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=table:all %t/program 2>&1 | FileCheck %s
// RUN: env GRAPHPROF_OUTPUT=table:all GRAPHPROF_CLOCK=event %t/program 2>&1 | FileCheck %s

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  for (int round = 0; round < 3; ++round) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    [[graphprof::time("round {}", round)]] work<<<1, 32, 0, stream>>>(x);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// CHECK: {{^}}round 0 1
// CHECK: {{^}}round 1 1
// CHECK: {{^}}round 2 1
// CHECK: 6 replays of 3 execs of 3 graphs
// CHECK-NOT: lost
