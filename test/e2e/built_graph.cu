// A graph that is built node by node: each annotated statement is a region of it, in every replay, and none outside.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=replays:%t/replays %t/program
// RUN: FileCheck %s --input-file=%t/replays --implicit-check-not=clear --implicit-check-not=copy

#include <cstdio>

int main() {
  int *x = nullptr, shown = -1;
  cudaMalloc(&x, sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemsetParams params{};
  params.dst = x;
  params.elementSize = sizeof(int);
  params.width = params.height = 1;

  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t last = nullptr;
  for (int layer = 0; layer < 2; ++layer) {
    params.value = layer + 1;
    [[graphprof::time("clear {}", layer)]] cudaGraphAddMemsetNode(&last, graph, &last, layer > 0,
                                                                  &params);
  }
  [[graphprof::time("copy")]] {
    cudaGraphAddMemcpyNode1D(&last, graph, &last, 1, &shown, x, sizeof(int),
                             cudaMemcpyDeviceToHost);
  }
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 2; ++replay)
    cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return shown == 2 ? 0 : 1;
}

// CHECK: replay 0
// CHECK: clear 0
// CHECK: clear 1
// CHECK: copy
// CHECK: replay 1
// CHECK: clear 0
// CHECK: clear 1
// CHECK: copy
