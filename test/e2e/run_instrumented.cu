// An instrumented program under `graphprof run` has the regions that it has alone, and its nodes,
// although the simulated runtime calls none of the driver's exported functions, through which
// libgraphprof_preload.so hears of other programs. Each call is told once: of a runtime, and of the
// driver.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %graphprof sim cc -std=c++17 %s -o app
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=table:alone.txt ./app
// RUN: %graphprof run -o table:run.txt ./app && diff alone.txt run.txt
// RUN: %graphprof sim run -o table:sim.txt ./app && diff alone.txt sim.txt
// RUN: FileCheck %s --input-file=run.txt
// CHECK: {{^}}layer 2
// CHECK-NEXT: {{^ *}}add 2
// CHECK: {{^ *}}4 replays of 2 execs of 1 graph
// CHECK: allocated 1 time, 64 B
//
// One that is not instrumented is not heard, and that is why nothing is recorded.
//
// RUN: sh -c '$(%graphprof sim path)/bin/nvcc -std=c++17 -DWITHOUT_DRIVER %s -o plain'
// RUN: %graphprof sim run -o plain.csv ./plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: graphprof: nothing was recorded: the simulated CUDA runtime is heard only in instrumented programs; compile with graphprof sim cc
// RUN: not ls plain.csv

#include <cuda.h>
#include <cuda_runtime.h>

__global__ void add(float *x) {}

int main() {
  cudaStream_t stream;
  float *x;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  if (cudaStreamCreate(&stream) || cudaMalloc(&x, 64) ||
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return 1;
  [[graphprof::time("layer")]] {
    add<<<1, 32, 0, stream>>>(x);
    add<<<1, 32, 0, stream>>>(x);
  }
  if (cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&exec, graph, 0))
    return 2;
  for (int i = 0; i < 3; ++i)
    if (cudaGraphLaunch(exec, stream))
      return 3;
#ifndef WITHOUT_DRIVER
  CUgraphExec driverExec;
  if (cuGraphInstantiateWithFlags(&driverExec, graph, 0) || cuGraphLaunch(driverExec, stream))
    return 4;
#endif
  return cudaStreamSynchronize(stream);
}
