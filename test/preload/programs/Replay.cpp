// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <cstdio>
#include <cstdlib>

#include "Driver.h"

namespace {
void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(98);
}
} // namespace

#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__)

int replay(const Driver &driver) {
  CHECK(driver.Init(0));
  CUcontext context = nullptr;
  CHECK(driver.DevicePrimaryCtxRetain(&context, 0));
  CHECK(driver.CtxSetCurrent(context));
  CUstream stream = nullptr;
  CHECK(driver.StreamCreate(&stream, 0));
  CUdeviceptr first = 0, second = 0;
  CHECK(driver.MemAlloc(&first, 64));
  CHECK(driver.MemAlloc(&second, 64));
  static char source[64] = "what was copied", target[64] = "";
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(driver.StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(driver.MemcpyHtoDAsync(first, source, sizeof source, stream));
  CHECK(driver.MemcpyDtoDAsync(second, first, sizeof source, stream));
  CHECK(driver.StreamEndCapture(stream, &graph));
  CHECK(driver.GraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(driver.GraphLaunch(exec, stream));
  CHECK(driver.StreamSynchronize(stream));
  CHECK(driver.MemcpyDtoH(target, second, sizeof target));
  CHECK(driver.GraphExecDestroy(exec));
  CHECK(driver.GraphDestroy(graph));
  std::printf("%s\n", target);
  std::fflush(stdout);
  return 7;
}
