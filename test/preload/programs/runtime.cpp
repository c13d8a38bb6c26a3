// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program of the runtime API with a static CUDA runtime, built once as it is and once
// instrumented.

#include <cuda_runtime_api.h>

#ifdef INSTRUMENTED
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#define REGION() GRAPHPROF_SCOPE(1, "copies", ::graphprof::on_stream(stream))
#define IN(call) graphprof::cuda::call
#else
#define REGION()
#define IN(call) call
#endif

#include <cstdio>

#define CHECK(...)                                                                                 \
  if (const cudaError_t result = __VA_ARGS__) {                                                    \
    std::printf("%s: %d\n", #__VA_ARGS__, static_cast<int>(result));                               \
    return 98;                                                                                     \
  }

int main() {
  cudaStream_t stream = nullptr;
  CHECK(::cudaStreamCreate(&stream));
  void *first = nullptr, *second = nullptr;
  static char source[64] = "what was copied", target[64] = "";
  CHECK(IN(cudaMalloc)(&first, 64));
  CHECK(IN(cudaMalloc)(&second, 64));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(IN(cudaStreamBeginCapture)(stream, cudaStreamCaptureModeGlobal));
  {
    REGION();
    CHECK(IN(cudaMemcpyAsync)(first, source, sizeof source, cudaMemcpyHostToDevice, stream));
    CHECK(IN(cudaMemcpyAsync)(second, first, sizeof source, cudaMemcpyDeviceToDevice, stream));
  }
  CHECK(IN(cudaStreamEndCapture)(stream, &graph));
  CHECK(IN(cudaGraphInstantiate)(&exec, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(IN(cudaGraphLaunch)(exec, stream));
  CHECK(::cudaStreamSynchronize(stream));
  CHECK(IN(cudaMemcpy)(target, second, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return 7;
}
