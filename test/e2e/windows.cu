// Windows of a program that is instrumented: GRAPHPROF_WINDOW, without graphprof run.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
//
// Between cudaProfilerStart and cudaProfilerStop.
// RUN: env GRAPHPROF_WINDOW=cuda-profiler GRAPHPROF_OUTPUT=replays:%t/profiler %t/program
// RUN: FileCheck %s --check-prefix=PROFILER --input-file=%t/profiler
// PROFILER-NOT: replay
// PROFILER:     replay 4
// PROFILER:     replay 5
// PROFILER-NOT: replay
//
// By launches.
// RUN: env GRAPHPROF_WINDOW=skip=1,replays=2,repeat=2 GRAPHPROF_OUTPUT=replays:%t/launches %t/program
// RUN: FileCheck %s --check-prefix=LAUNCHES --input-file=%t/launches
// LAUNCHES-NOT: replay 0
// LAUNCHES:     replay 1
// LAUNCHES:     replay 2
// LAUNCHES-NOT: replay 3
// LAUNCHES:     replay 4
// LAUNCHES:     replay 5
// LAUNCHES-NOT: replay 6
//
// Nobody opens one.
// RUN: env GRAPHPROF_WINDOW=attach GRAPHPROF_OUTPUT=replays:%t/none %t/program 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: GRAPHPROF_WINDOW: no window was opened, so nothing was recorded: nobody opened one with graphprof attach PID start

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

__global__ void work() {}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("work")]] { work<<<1, 1, 0, stream>>>(); }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 9; ++i) {
    if (i == 4)
      cudaProfilerStart();
    if (i == 6)
      cudaProfilerStop();
    cudaGraphLaunch(exec, stream);
  }
  return cudaStreamSynchronize(stream);
}
