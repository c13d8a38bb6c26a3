// Kernels of one name keep their numbers where a graph is recorded in parts: each part has some of them only.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- %simflags
// RUN: %simcc copy.cu -o program
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_PARTS=3 GRAPHPROF_OUTPUT=parts.gprof ./program
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=whole.gprof ./program
// RUN: %graphprof report --csv parts.gprof | cut -d, -f1 | grep . | env LC_ALL=C sort | FileCheck %s
// RUN: %graphprof report --csv whole.gprof | cut -d, -f1 | grep . | env LC_ALL=C sort | FileCheck %s
//
// CHECK:      {{^}}add{{$}}
// CHECK-NEXT: {{^}}add #2{{$}}
// CHECK-NEXT: {{^}}layer{{$}}
// CHECK-NEXT: {{^}}layer/add{{$}}
// CHECK-NEXT: {{^}}layer/add #2{{$}}
// CHECK-NEXT: {{^}}layer/add #3{{$}}
// CHECK-NEXT: {{^}}layer/add #4{{$}}
// CHECK-NEXT: {{^}}path{{$}}
// CHECK-NOT:  {{.}}

#include <cuda_runtime.h>

__global__ void add() {}

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("layer")]] {
    for (int i = 0; i < 4; ++i)
      add<<<1, 32, 0, stream>>>();
  }
  add<<<1, 32, 0, stream>>>();
  add<<<1, 32, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 60; ++replay)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
