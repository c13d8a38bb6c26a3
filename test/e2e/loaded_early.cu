// What waits for the device is loaded at a thread's first allocation, not at the first capture: by then a kernel may be running that waits
// for the graph. A process that records nothing loads nothing there, and what is captured beside other work is still timed.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- -I%include %simflags
// RUN: %simcc copy.cu -o program
// RUN: env GRAPHPROF_OUTPUT=replays ./program 2>&1 | FileCheck %s --check-prefixes=RECORDS,BOTH
// RUN: env GRAPHPROF_OUTPUT= ./program 2>&1 | FileCheck %s --check-prefixes=IDLE,BOTH
//
// RECORDS: loaded before the first capture: yes
// IDLE:    loaded before the first capture: no
// RECORDS: loaded by it: no
// BOTH:    replayed

#include <cstdio>

#include <cudasim/cudasim.h>

__global__ void work() {}

int main() {
  void *memory;
  cudaMalloc(&memory, 64);
  const unsigned before = cudasim::callCount("cuKernelGetFunction");
  std::printf("loaded before the first capture: %s\n", before > 0 ? "yes" : "no");
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("work")]] { work<<<1, 32, 0, stream>>>(); }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  std::printf("loaded by it: %s\n",
              cudasim::callCount("cuKernelGetFunction") > before ? "yes" : "no");
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("replayed\n");
}
