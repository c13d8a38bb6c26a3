// Beside event nodes in several branches no stamp is true, and none may be waited for. Such a graph,
// and one without kernels, is timed with events; what else the program replays, with stamps. Where
// the user asked for stamps, the first is counted.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=%t/auto.jsonl %t/program
// RUN: FileCheck %s --check-prefix=AUTO --input-file=%t/auto.jsonl
// RUN: env GRAPHPROF_CLOCK=stamp GRAPHPROF_OUTPUT=%t/stamp.jsonl %t/program 2>&1 | FileCheck %s --check-prefix=STAMP

#include <cuda_runtime.h>

__global__ void left() {}
__global__ void right() {}
__global__ void chain() {}

int main() {
  cudaStream_t stream, side;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEvent_t fork, join, external;
  for (cudaEvent_t *event : {&fork, &join, &external})
    cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  void *memory;
  cudaMalloc(&memory, 1024);
  cudaGraph_t graphs[3];
  for (int kind = 0; kind < 3; ++kind) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (kind == 0) {
      cudaEventRecord(fork, stream);
      cudaStreamWaitEvent(side, fork, 0);
      [[graphprof::time("left", stream = stream)]] left<<<1, 32, 0, stream>>>();
      [[graphprof::time("right", stream = side)]] right<<<1, 32, 0, side>>>();
      cudaEventRecordWithFlags(external, side, cudaEventRecordExternal);
      cudaEventRecord(join, side);
      cudaStreamWaitEvent(stream, join, 0);
    } else if (kind == 1) {
      [[graphprof::time("fill")]] cudaMemsetAsync(memory, 0, 1024, stream);
    } else {
      [[graphprof::time("chain")]] chain<<<1, 32, 0, stream>>>();
    }
    cudaStreamEndCapture(stream, &graphs[kind]);
  }
  for (const cudaGraph_t graph : graphs) {
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    for (int replay = 0; replay < 2; ++replay)
      cudaGraphLaunch(exec, stream);
  }
  cudaStreamSynchronize(stream);
}

// AUTO-DAG: "name":"left"{{.*}}"clock":"event"
// AUTO-DAG: "name":"right"{{.*}}"clock":"event"
// AUTO-DAG: "name":"fill"{{.*}}"clock":"event"
// AUTO-DAG: "name":"chain"{{.*}}"clock":"stamp"
// STAMP: it has event nodes and several branches, beside which no stamp is true
