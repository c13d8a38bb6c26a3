// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Launches a graph in a stream whose work goes into a command list of a graphics API (CUDA 13.2),
// and another one before and behind it. Prints what each has written.

#include <cstdio>

#include <cuda.h>
#include <dlfcn.h>

#define CHECK(...)                                                                                 \
  if (const CUresult result = __VA_ARGS__; result != CUDA_SUCCESS) {                               \
    std::printf("%s: %d\n", #__VA_ARGS__, static_cast<int>(result));                               \
    return 98;                                                                                     \
  }

namespace {

// cuda.h of 13.2 has them.
struct Shared {
  int type;
  void *data;
};
struct Params {
  Shared *shared;
};
using Begin = CUresult(CUstream, Params *);
using End = CUresult(CUstream);

template <class Function> Function *find(void *driver, const char *name) {
  return reinterpret_cast<Function *>(dlsym(driver, name));
}

} // namespace

int main() {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return 99;
#define FIND(name, symbol) const auto name = find<decltype(::symbol)>(driver, #symbol)
  FIND(init, cuInit);
  FIND(retain, cuDevicePrimaryCtxRetain);
  FIND(setCurrent, cuCtxSetCurrent);
  FIND(createStream, cuStreamCreate);
  FIND(synchronize, cuStreamSynchronize);
  FIND(beginCapture, cuStreamBeginCapture_v2);
  FIND(endCapture, cuStreamEndCapture);
  FIND(allocate, cuMemAlloc_v2);
  FIND(set, cuMemsetD8Async);
  FIND(copy, cuMemcpyDtoH_v2);
  FIND(instantiate, cuGraphInstantiateWithFlags);
  FIND(launch, cuGraphLaunch);
  const auto beginList = find<Begin>(driver, "cuStreamBeginCaptureToCig");
  const auto endList = find<End>(driver, "cuStreamEndCaptureToCig");
  if (!beginList || !endList)
    return 97;

  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  CHECK(init(0));
  CHECK(retain(&context, 0));
  CHECK(setCurrent(context));
  CHECK(createStream(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(allocate(&memory, 1));
  CUgraphExec execs[2] = {};
  for (unsigned char i = 0; i < 2; ++i) {
    CUgraph graph = nullptr;
    CHECK(beginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(set(memory, i + 1, 1, stream));
    CHECK(endCapture(stream, &graph));
    CHECK(instantiate(&execs[i], graph, 0));
  }
  const auto show = [&] {
    unsigned char shown = 0;
    CHECK(synchronize(stream));
    CHECK(copy(&shown, memory, 1));
    std::printf("%d\n", shown);
    return 0;
  };
  CHECK(launch(execs[0], stream));
  if (const int failed = show())
    return failed;
  Shared shared{1, &shared};
  Params params{&shared};
  CHECK(beginList(stream, &params));
  CHECK(launch(execs[1], stream));
  CHECK(endList(stream));
  if (const int failed = show())
    return failed;
  CHECK(launch(execs[0], stream));
  if (const int failed = show())
    return failed;
  std::fflush(stdout);
  return 7;
}
