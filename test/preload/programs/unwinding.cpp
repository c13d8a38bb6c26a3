// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A graph's host function, which the simulated driver runs on the launching thread, does what the
// argument says: it throws, ends its thread, or asks how its thread computes and whether it can be
// cancelled. Prints what came of it, and of the next replays.

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace {

void *driver() {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library;
}
template <class... Arguments> void call(const char *name, Arguments... arguments) {
  const auto function = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(driver(), name));
  if (function && function(arguments...) == CUDA_SUCCESS)
    return;
  std::printf("failed: %s\n", name);
  std::_Exit(98);
}

CUcontext context = nullptr;
CUstream stream = nullptr;
CUgraphExec graphExec = nullptr;
const char *what = "";

bool is(const char *word) { return std::strcmp(what, word) == 0; }

void function(void *) {
  if (is("throw"))
    throw std::runtime_error("the host function's");
  if (is("exit"))
    pthread_exit(nullptr);
  if (is("cancel")) {
    pthread_cancel(pthread_self());
    usleep(1);
    std::puts("not cancelled");
  }
  if (is("round"))
    std::printf("upward %d\n", std::fegetround() == FE_UPWARD);
}

void launch() {
  call("cuCtxSetCurrent", context);
  call("cuGraphLaunch", graphExec, stream);
  call("cuStreamSynchronize", stream);
  std::puts("launched");
}

} // namespace

int main(int, char **arguments) {
  static char from[64] = "what was copied", to[64] = "";
  CUdeviceptr memory = 0;
  CUgraph graph = nullptr;
  what = arguments[1];
  call("cuInit", 0U);
  call("cuDevicePrimaryCtxRetain", &context, 0);
  call("cuCtxSetCurrent", context);
  call("cuStreamCreate", &stream, 0U);
  call("cuMemAlloc_v2", &memory, sizeof from);
  call("cuStreamBeginCapture_v2", stream, 0);
  call("cuMemcpyHtoDAsync_v2", memory, static_cast<const void *>(from), sizeof from, stream);
  call("cuLaunchHostFunc", stream, &function, static_cast<void *>(nullptr));
  call("cuMemcpyDtoHAsync_v2", static_cast<void *>(to), memory, sizeof to, stream);
  call("cuStreamEndCapture", stream, &graph);
  call("cuGraphInstantiateWithFlags", &graphExec, graph, 0ULL);
  std::thread([] {
    if (is("round"))
      std::fesetround(FE_UPWARD);
    try {
      launch();
    } catch (const std::exception &thrown) {
      std::printf("caught %s\n", thrown.what());
    }
  }).join();
  what = "nothing";
  for (int i = 0; i < 3; ++i)
    launch();
  std::printf("%s\n", to);
  return 7;
}
