// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures the model into a CUDA graph and replays it three times, each time with new input. It has
// no annotations. Those are in the model.

#include "../common/model.cuh"

int main() {
  constexpr std::size_t size = 1000 * 1000;
  const Model model(size);
  example::DeviceArray x(std::vector<float>(size, 0.0F));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  model.forward(x.data(), stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  example::Comparison comparison;
  for (int i = 0; i < 3; ++i) {
    std::printf("--- Replay Iteration %d ---\n", i);
    std::vector<float> input = example::randomNumbers(size, i);
    x.assign(input, stream);
    CHECK(cudaGraphLaunch(exec, stream));
    const std::vector<float> output = x.read(stream);

    model.forward(input);
    comparison.compare(output, input);
  }

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}
