// A loop inside a graph: each iteration of an annotated statement in the body of a conditional node is a line of its replay,
// inside the region around the node, and the table counts them all.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=replays:%t/replays,table %t/program 2> %t/table
// RUN: FileCheck %s --input-file=%t/replays --match-full-lines
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
//
// Its picture can be made of the recording, with the times of each iteration. Its nodes are not timed, which report says.
//
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/own.dot,graph:%t/own.json,%t/run.gprof %t/program
// RUN: %convert %t/run.gprof %t/again.dot graph:%t/again.json
// RUN: diff %t/own.dot %t/again.dot && diff %t/own.json %t/again.json
// RUN: FileCheck %s --check-prefix=DOT --input-file=%t/again.dot
// RUN: not %graphprof report --critical-path %t/run.gprof 2>&1 | FileCheck %s --check-prefix=UNTIMED

#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

__global__ void smooth(unsigned *left, cudaGraphConditionalHandle handle) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left);
}

int main() {
  cudasim::registerKernel(
      smooth,
      [](void **params, std::uint64_t, std::uint64_t) {
        unsigned &left = **static_cast<unsigned **>(params[0]);
        cudasim::setConditional(*static_cast<unsigned long long *>(params[1]), --left);
      },
      4'000);
  unsigned *left = nullptr;
  cudaMallocHost(&left, sizeof *left);
  cudaStream_t stream, inner;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&inner);

  cudaGraph_t graph, captured, body;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("solve", stream = stream)]] {
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *frontier = nullptr;
    size_t count = 0;
    cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &frontier, nullptr, &count);
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    cudaGraphConditionalHandleCreate(&params.conditional.handle, captured, 1,
                                     cudaGraphCondAssignDefault);
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t loop;
    cudaGraphAddNode(&loop, captured, frontier, nullptr, count, &params);
    cudaStreamUpdateCaptureDependencies(stream, &loop, nullptr, 1,
                                        cudaStreamSetCaptureDependencies);
    cudaStreamBeginCaptureToGraph(inner, params.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                  cudaStreamCaptureModeGlobal);
    [[graphprof::time("smooth")]] smooth<<<1, 1, 0, inner>>>(left, params.conditional.handle);
    cudaStreamEndCapture(inner, &body);
  }
  cudaStreamEndCapture(stream, &graph);

  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (const unsigned iterations : {1U, 3U}) {
    *left = iterations;
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return *left == 0 ? 0 : 1;
}

// CHECK: --- graph 1, exec 1, replay 0 (cold) ---
// CHECK-NEXT: solve: {{[0-9.]+}} us
// CHECK-NEXT:   smooth: {{[0-9.]+}} us (iteration 0)
// CHECK-NEXT: --- graph 1, exec 1, replay 1 ---
// CHECK-NEXT: solve: {{[0-9.]+}} us
// CHECK-NEXT:   smooth: {{[0-9.]+}} us (iteration 0)
// CHECK-NEXT:   smooth: {{[0-9.]+}} us (iteration 1)
// CHECK-NEXT:   smooth: {{[0-9.]+}} us (iteration 2)

// DOT: label="solve\n
// DOT: label="smooth\n
// UNTIMED: no recording holds the times of a graph's nodes; {{.*}} Graphs with memory or conditional nodes are timed in place, by region only

// TABLE: solve 1
// TABLE: smooth 3
