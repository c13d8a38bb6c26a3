// With GRAPHPROF_GRAPH_MEMORY, what each graph's capture, instantiation and first launch took, to
// the byte: in the report it is what the simulation takes for them, what a capture allocated is seen,
// the pool of graphs' own allocations counts once, and together with what graphprof took itself it is
// by how much free memory fell.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_GRAPH_MEMORY=1 GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/run.gprof,%t/run.jsonl,table:%t/table %t/program >%t/free
// RUN: %graphprof report --json %t/run.gprof >%t/report.json
// RUN: %graphprof report %t/run.gprof >%t/report
// RUN: %graphprof report --markdown %t/run.gprof >%t/report.md
// RUN: %convert %t/run.gprof %t/converted.jsonl
// RUN: %python %S/Inputs/graph_memory.py %t/report.json %t/free %t/run.jsonl %t/converted.jsonl | FileCheck %s
//
// CHECK:      graph 1: capture 3145728, instantiate 1051648, first launch 12288, pool 0
// CHECK-NEXT:   allocated 3145728 in 1, allocation nodes 0 in 0, captures 1, execs 1
// CHECK-NEXT: graph 2: capture 0, instantiate 1051648, first launch 4206592, pool 4194304
// CHECK-NEXT:   allocated 0 in 0, allocation nodes 4194304 in 1, captures 1, execs 1
// CHECK-NEXT: graph 3: capture 0, instantiate 1051648, first launch 12288, pool 0
// CHECK-NEXT:   allocated 0 in 0, allocation nodes 4194304 in 1, captures 1, execs 1
// CHECK-NEXT: graph 4: capture None, instantiate 1049600, first launch None, pool 0
// CHECK-NEXT:   allocated 0 in 0, allocation nodes 0 in 0, captures 0, execs 1
// CHECK-NEXT: graph None: capture 2097152, instantiate None, first launch None, pool 0
// CHECK-NEXT:   allocated 2097152 in 1, allocation nodes 0 in 0, captures 1, execs 0
// CHECK-NEXT: what graphs took is by how much free memory fell
// CHECK-NEXT: with graphprof's own it is by how much it fell in all
// CHECK-NEXT: every output says the same
//
// The launches that are not recorded are counted, and the tables say the same.
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/report
// TABLE:      1 launch left out on purpose: GRAPHPROF_BUDGET or GRAPHPROF_SAMPLE, or the first of an exec with GRAPHPROF_GRAPH_MEMORY
// TABLE:      graphprof: what each graph took of the device's memory
// TABLE:      Memory of graphs {{ *}}Execs {{ *}}Capture {{ *}}Instantiate {{ *}}First launch {{ *}}Total {{ *}}Graph pool {{ *}}Allocated {{ *}}Alloc. nodes {{ *}}graphprof
// TABLE:      captured, no exec {{ *}}0 {{ *}}2.00 MiB {{ *}}-- {{ *}}-- {{ *}}2.00 MiB {{ *}}0 B {{ *}}2.00 MiB (1) {{ *}}-- {{ *}}0 B
// TABLE-NEXT: no graph {{ *}}0 {{ *}}-- {{ *}}-- {{ *}}-- {{ *}}0 B {{ *}}0 B {{ *}}-- {{ *}}-- {{ *}}{{[0-9.]+ [KM]iB}}
// TABLE-NEXT: graph 1 {{ *}}1 {{ *}}3.00 MiB {{ *}}1.00 MiB {{ *}}12.00 KiB {{ *}}4.01 MiB {{ *}}0 B {{ *}}3.00 MiB (1) {{ *}}-- {{ *}}1.0{{[0-9]}} MiB
// TABLE-NEXT: graph 2 {{ *}}1 {{ *}}0 B {{ *}}1.00 MiB {{ *}}4.01 MiB {{ *}}5.01 MiB {{ *}}4.00 MiB {{ *}}-- {{ *}}4.00 MiB (1)
// TABLE-NEXT: graph 3 {{ *}}1 {{ *}}0 B {{ *}}1.00 MiB {{ *}}12.00 KiB {{ *}}1.01 MiB {{ *}}0 B {{ *}}-- {{ *}}4.00 MiB (1)
// TABLE-NEXT: graph 4 {{ *}}1 {{ *}}-- {{ *}}1.00 MiB {{ *}}-- {{ *}}1.00 MiB
// TABLE-NEXT: all {{ *}}4 {{ *}}5.00 MiB
// TABLE:      the graph pool is shared: each byte of it is in the row of the graph that made it grow
// RUN: FileCheck %s --check-prefix=MARKDOWN --input-file=%t/report.md
// MARKDOWN: | Memory of graphs | Execs | Capture | Instantiate |
// MARKDOWN: | graph 1 | 1 | 3.00 MiB | 1.00 MiB | 12.00 KiB | 4.01 MiB | 0 B | 3.00 MiB (1) | -- |
//
// Without the option nothing asks for memory, and every launch is recorded.
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/off.gprof %t/program count >%t/asked
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t/asked
// OFF: 3 and 0 times
// RUN: %graphprof report --json %t/off.gprof | FileCheck %s --check-prefix=NONE
// NONE: "graph_memory": []

#include <cstddef>
#include <cstdio>

#include <cudasim/cudasim.h>

__global__ void work(float *x) { *x += 1.0F; }

static std::size_t freeMemory() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return free;
}

int main(int count, char **) {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, 4096);
  cudaStreamCreate(&stream);
  work<<<1, 32, 0, stream>>>(x);
  cudaStreamSynchronize(stream);
  const std::size_t before = freeMemory();

  cudaGraph_t graph;
  cudaGraphExec_t execs[4];
  void *kept = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cudaMalloc(&kept, 3 << 20);
  for (int i = 0; i < 3; ++i)
    work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&execs[0], graph, 0);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(execs[0], stream);

  for (int i = 1; i < 3; ++i) { // they allocate from the pool that all graphs share
    void *memory = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&memory, 4 << 20, stream);
    work<<<1, 32, 0, stream>>>(static_cast<float *>(memory));
    cudaFreeAsync(memory, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&execs[i], graph, 0);
    cudaGraphLaunch(execs[i], stream);
  }

  cudaGraphCreate(&graph, 0); // built by hand, and never launched
  cudaGraphNode_t node;
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  cudaGraphInstantiate(&execs[3], graph, 0);

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); // never instantiated
  cudaMalloc(&kept, 2 << 20);
  work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphDestroy(graph);
  const std::size_t between = freeMemory();

  for (int launch = 0; launch < 2; ++launch)
    for (int i = 0; i < 3; ++i)
      cudaGraphLaunch(execs[i], stream);
  cudaStreamSynchronize(stream);
  const std::size_t after = freeMemory();
  if (count > 1)
    std::printf("%u and %u times\n", cudasim::callCount("cudaMemGetInfo"),
                cudasim::callCount("cuMemGetInfo_v2"));
  else
    std::printf("%zu %zu %zu\n", before, between, after);
}
