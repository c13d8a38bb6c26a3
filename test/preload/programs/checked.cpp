// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A host function that asks CUDA for something, and one that does not: in a graph, in a stream, and
// called by the program itself, which is allowed. What CUDA answers in it is printed.
//
//     checked graph|stream|plain calling|quiet
//     checked region x           allocates in a capture, in a region if it is instrumented

#ifdef INSTRUMENTED
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>
#include <dlfcn.h>

#define CALL(function, ...)                                                                        \
  do                                                                                               \
    if (const CUresult result = DRIVER(function)(__VA_ARGS__); result != CUDA_SUCCESS) {           \
      std::printf("%s: %d\n", #function, static_cast<int>(result));                                \
      std::exit(1);                                                                                \
    }                                                                                              \
  while (0)
#define DRIVER(function) reinterpret_cast<decltype(&::function)>(found(#function))

static void *found(const char *symbol) {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  void *const function = library ? dlsym(library, symbol) : nullptr;
  if (!function)
    std::exit(99);
  return function;
}

extern "C" __attribute__((visibility("default"), noinline)) void asks(void *answer) {
  *static_cast<CUresult *>(answer) = DRIVER(cuStreamQuery)(nullptr);
}

extern "C" __attribute__((visibility("default"), noinline)) void does_not_ask(void *answer) {
  *static_cast<CUresult *>(answer) = CUDA_SUCCESS;
}

// Prints what CUDA answers.
static void allocate_in_capture(CUstream stream) {
  CUgraph graph = nullptr;
  CUdeviceptr memory = 0;
  CALL(cuStreamBeginCapture_v2, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  {
#ifdef INSTRUMENTED
    GRAPHPROF_SCOPE(1, "step", ::graphprof::on_stream(stream));
#endif
    std::printf("%d\n", static_cast<int>(DRIVER(cuMemAlloc_v2)(&memory, 64)));
  }
  std::printf("%d\n", static_cast<int>(DRIVER(cuStreamEndCapture)(stream, &graph)));
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  void (*const function)(void *) = std::strcmp(words[2], "calling") == 0 ? asks : does_not_ask;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUresult answer = CUDA_ERROR_UNKNOWN;
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreate, &stream, 1);
  if (std::strcmp(words[1], "region") == 0) {
    allocate_in_capture(stream);
    return 0;
  }
  if (std::strcmp(words[1], "graph") == 0) {
    CUDA_HOST_NODE_PARAMS params{};
    params.fn = function;
    params.userData = &answer;
    CUgraphNode node = nullptr;
    CALL(cuGraphCreate, &graph, 0);
    CALL(cuGraphAddHostNode, &node, graph, nullptr, 0, &params);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, 0);
    CALL(cuGraphLaunch, exec, stream);
    CALL(cuGraphLaunch, exec, stream);
  } else {
    CALL(cuLaunchHostFunc, stream, std::strcmp(words[1], "stream") == 0 ? function : does_not_ask,
         &answer);
  }
  CALL(cuStreamSynchronize, stream);
  if (std::strcmp(words[1], "plain") == 0)
    function(&answer);
  std::printf("%d\n", static_cast<int>(answer));
  return 0;
}
