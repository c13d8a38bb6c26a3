// Outputs that may hold few records. Each file says how many are missing in it, no more and no
// less: what it holds and what it says adds up. What a converter makes of a file says what that
// file lacks.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/program.cu %s -- -I%include %simflags
// RUN: %simcc %t/program.cu -o %t/program
// RUN: env GRAPHPROF_MAX_RECORDS=100 GRAPHPROF_OUTPUT=table:%t/table,%t/trace.json,%t/run.csv,%t/run.db,%t/run.gprof,%t/run.jsonl,key_averages:%t/averages %t/program > %t/losses
// RUN: %convert %t/run.gprof %t/converted.csv %t/converted.jsonl
// RUN: %python %S/Inputs/dropped_of_each.py %t 2000

#include <cstdio>

#include <graphprof/graphprof.h>

__global__ void k() {}

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("r")]] k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 2000; ++i) {
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  }
  graphprof::flush();
  std::printf("%llu\n", static_cast<unsigned long long>(graphprof::losses().dropped));
}
