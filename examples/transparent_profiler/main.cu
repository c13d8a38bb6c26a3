// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures the model and replays it three times, each time with new input. Uses the graph calls of
// graphprof::cuda, which is all that the tool would change in this file.

#include <graphprof/control.h>
#include <graphprof/cuda.h>

#include "../common/model.cuh"

int main() {
  constexpr std::size_t size = 1000 * 1000;
  const Model model(size);
  example::DeviceArray x(std::vector<float>(size, 0.0F));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CHECK(graphprof::cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  model.forward(x.data(), stream);
  CHECK(graphprof::cuda::cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(graphprof::cuda::cudaGraphInstantiateWithFlags(&exec, graph, 0));

  example::Comparison comparison;
  for (int i = 0; i < 3; ++i) {
    std::printf("--- Replay Iteration %d ---\n", i);
    std::vector<float> input = example::randomNumbers(size, i);
    x.assign(input, stream);
    CHECK(graphprof::cuda::cudaGraphLaunch(exec, stream));
    graphprof::flush(); // so that the profiler's lines are printed between the headings
    const std::vector<float> output = x.read(stream);

    model.forward(input);
    comparison.compare(output, input);
  }

  CHECK(graphprof::cuda::cudaGraphExecDestroy(exec));
  CHECK(graphprof::cuda::cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}
