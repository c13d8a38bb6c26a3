// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
//     recapturing early|late|never
//
// Captures a graph with memory nodes in a range, replays it, and captures it once more (CUDA 13.3);
// the function is looked up before the first capture, or after the graph was replayed.

#include <cstdio>
#include <cstring>

#include <cuda.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#define CHECK(...)                                                                                 \
  if (const CUresult result = __VA_ARGS__; result != CUDA_SUCCESS) {                               \
    std::printf("%s: %d\n", #__VA_ARGS__, static_cast<int>(result));                               \
    return 98;                                                                                     \
  }

namespace {

using Begin = CUresult(CUstream, CUstreamCaptureMode, CUgraph, void *, void *);

template <class Function> Function *find(void *driver, const char *name) {
  return reinterpret_cast<Function *>(dlsym(driver, name));
}

} // namespace

int main(int, char **arguments) {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return 99;
#define FIND(name, symbol) const auto name = find<decltype(::symbol)>(driver, #symbol)
  FIND(init, cuInit);
  FIND(retain, cuDevicePrimaryCtxRetain);
  FIND(release, cuDevicePrimaryCtxRelease_v2);
  FIND(setCurrent, cuCtxSetCurrent);
  FIND(createStream, cuStreamCreate);
  FIND(synchronize, cuStreamSynchronize);
  FIND(beginCapture, cuStreamBeginCapture_v2);
  FIND(endCapture, cuStreamEndCapture);
  FIND(allocate, cuMemAllocAsync);
  FIND(deallocate, cuMemFreeAsync);
  FIND(nodesOf, cuGraphGetNodes);
  FIND(instantiate, cuGraphInstantiateWithFlags);
  FIND(launch, cuGraphLaunch);
  const auto beginAgain = [&] { return find<Begin>(driver, "cuStreamBeginRecaptureToGraph"); };
  const bool early = std::strcmp(arguments[1], "early") == 0;
  const bool late = std::strcmp(arguments[1], "late") == 0;
  Begin *again = early ? beginAgain() : nullptr;

  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CHECK(init(0));
  CHECK(retain(&context, 0));
  CHECK(setCurrent(context));
  CHECK(createStream(&stream, CU_STREAM_NON_BLOCKING));
  const auto work = [&] {
    nvtxRangePushA("memory");
    CUdeviceptr memory = 0;
    const CUresult allocated = allocate(&memory, 64, stream);
    const CUresult result = allocated == CUDA_SUCCESS ? deallocate(memory, stream) : allocated;
    nvtxRangePop();
    return result;
  };
  CUgraph graph = nullptr, same = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(beginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(work());
  CHECK(endCapture(stream, &graph));
  CHECK(instantiate(&exec, graph, 0));
  CHECK(launch(exec, stream));
  CHECK(synchronize(stream));

  if (late)
    again = beginAgain();
  if (again) {
    CHECK(again(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, nullptr, nullptr));
    CHECK(work());
    CHECK(endCapture(stream, &same));
    std::size_t nodes = 0;
    CHECK(nodesOf(graph, nullptr, &nodes));
    std::printf("%s again, %zu nodes\n", same == graph ? "the graph" : "another", nodes);
  }
  CHECK(launch(exec, stream));
  CHECK(synchronize(stream));
  CHECK(release(0));
  std::printf("released\n");
  std::fflush(stdout);
  return 7;
}
