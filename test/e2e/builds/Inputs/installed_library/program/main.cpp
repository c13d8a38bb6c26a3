#include <mylib/work.h>

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  void *memory = nullptr;
  cudaMalloc(&memory, 1 << 20);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  mylib::prepare(memory, stream);
  [[graphprof::time("in the program", stream = stream)]] { mylib::work(memory, stream); }
  cudaStreamEndCapture(stream, &graph);
  mylib::Graph ready(graph);
  for (int replay = 0; replay < 3; ++replay)
    ready.launch(stream);
  return cudaStreamSynchronize(stream);
}
