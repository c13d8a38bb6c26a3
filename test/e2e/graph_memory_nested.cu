// Steps of graphs inside a capture, and captures side by side: what an inner step took is not the
// capture's, and all steps together are by how much free memory fell. Which of two captures that
// overlap took something is not certain, and said.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_GRAPH_MEMORY=1 GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/run.jsonl,table:%t/table %t/program >%t/free
// RUN: %python %S/Inputs/graph_memory_steps.py %t/run.jsonl %t/free | FileCheck %s
//
// CHECK:      instantiate 1050624 of graph 1{{$}}
// CHECK-NEXT: first launch 8192 of graph 1{{$}}
// CHECK-NEXT: capture 1048576 of graph 2, allocated 1048576{{$}}
// CHECK-NEXT: instantiate 1049600 of graph 2{{$}}
// CHECK-NEXT: capture 1048576 of graph 3, allocated 1048576, overlaps{{$}}
// CHECK-NEXT: instantiate 1049600 of graph 3{{$}}
// CHECK-NEXT: capture 6291456 of graph 4, allocated 6291456, overlaps{{$}}
// CHECK-NEXT: instantiate 1049600 of graph 4{{$}}
// CHECK-NEXT: upload 4096 of graph 4{{$}}
// CHECK-NEXT: first launch 0 of graph 4{{$}}
// CHECK-NEXT: update 0 of graph 4{{$}}
// CHECK-NEXT: all steps are by how much free memory fell
//
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// TABLE: updates and uploads of execs took 4.00 KiB, which is in the totals
// TABLE: which of the two rows took it is not certain

#include <cstddef>
#include <cstdio>

__global__ void work(float *x) { *x += 1.0F; }

static std::size_t freeMemory() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return free;
}

static void *allocated(std::size_t mebibytes) {
  void *memory = nullptr;
  cudaMalloc(&memory, mebibytes << 20);
  return memory;
}

int main() {
  float *x = nullptr;
  cudaStream_t stream, other, third;
  cudaMalloc(&x, 4096);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
  work<<<1, 32, 0, stream>>>(x);
  cudaStreamSynchronize(stream);

  cudaGraph_t inner, graph, second;
  cudaGraphExec_t exec;
  cudaGraphCreate(&inner, 0);
  cudaGraphNode_t node;
  cudaMemsetParams clear{x, 4, 0, 4, 1, 1};
  for (int i = 0; i < 2; ++i)
    cudaGraphAddMemsetNode(&node, inner, nullptr, 0, &clear);

  const std::size_t before = freeMemory();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  work<<<1, 32, 0, stream>>>(x);
  allocated(1);
  cudaGraphInstantiate(&exec, inner, 0);
  cudaGraphLaunch(exec, other);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  work<<<1, 32, 0, stream>>>(x);
  allocated(1);
  cudaStreamBeginCapture(third, cudaStreamCaptureModeRelaxed);
  work<<<1, 32, 0, third>>>(x);
  allocated(2); // seen in the capture that this thread began last
  cudaStreamEndCapture(stream, &graph);
  allocated(4);
  cudaStreamEndCapture(third, &second);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphInstantiate(&exec, second, 0);
  cudaGraphUpload(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(exec, second, &info);
  cudaStreamSynchronize(stream);
  std::printf("%zu %zu\n", before, freeMemory());
}
