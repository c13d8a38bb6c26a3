// More replays are launched ahead than the ring holds. Nothing waits for room: what was overwritten
// before it was read is counted, what is shown was measured, and the two add up.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_RING_DEPTH=2 GRAPHPROF_OUTPUT=table,replays:%t/replays %t/program 2>%t/table
// RUN: FileCheck %s --input-file=%t/table
// RUN: %python %S/Inputs/adds_up.py 2000 %t/table %t/replays

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("work")]] work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 2000; ++i)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// CHECK: {{[0-9]+}} replays lost: the ring was overwritten before they were read; raise
// GRAPHPROF_RING_DEPTH
