// A graph of two regions, and one more where headers are instrumented.
#include "work.h"

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  void *memory = nullptr;
  cudaMalloc(&memory, 1 << 20);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  prepare(memory, stream);
  for (int layer = 0; layer < 2; ++layer) {
    [[graphprof::time("layer {}", layer)]] { work(memory, stream); }
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 3; ++replay)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream);
}
