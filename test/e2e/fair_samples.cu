// What is recorded is a fair sample of a program's launches, whatever pattern of its own the program has: in parts, in samples, and with a
// budget, whose calibration takes no pattern for a price.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- -I%include -I%simulation %simflags
// RUN: %simcc -I%simulation copy.cu -o program
// RUN: %python %S/Inputs/fair_samples.py ./program

#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <graphprof/graphprof.h>

// A kernel's `layer` tells its length, and the replay's number whether that is doubled.
__global__ void work(int layer) {}

namespace {

bool isSlow(const char *pattern, std::uint64_t replay) {
  if (std::strcmp(pattern, "random") == 0) {
    const std::uint64_t bits = (replay + 1) * 0x9E3779B97F4A7C15U;
    return ((bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9U >> 63) != 0;
  }
  const std::uint64_t period = std::strtoull(pattern, nullptr, 10);
  return period > 0 && replay % period == 0;
}

} // namespace

// PATTERN is `random` or a period, 0 for none. The numbers of the slow replays follow from it alone.
int main(int count, char **arguments) {
  if (count < 3)
    return 2;
  const char *const pattern = arguments[1];
  const std::uint64_t replays = std::strtoull(arguments[2], nullptr, 10);
  std::uint64_t replay = 0;
  cudasim::registerKernel("work", {sizeof(int)}, nullptr, [&](void **parameters) -> std::uint64_t {
    const int layer = *static_cast<int *>(parameters[0]);
    const std::uint64_t ns = 10'000 + 3'000 * static_cast<std::uint64_t>(layer),
                        own = isSlow(pattern, replay) ? 2 * ns : ns;
    if (layer == 7)
      ++replay;
    return own;
  });
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int layer = 0; layer < 8; ++layer) {
    [[graphprof::time("layer {}", layer)]] { work<<<4, 128, 0, stream>>>(layer); }
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (std::uint64_t i = 0; i < replays; ++i)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
