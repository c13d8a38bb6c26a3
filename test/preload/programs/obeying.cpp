// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that does what standard input says, a line each, and prints a line after each:
//
//     launch N        N launches of a graph of two copies, each in an NVTX range of its own
//     kernels N       N launches of a graph of six kernels, which is captured at the first time
//     stuck N         a launch of a graph of N kernels, of which the third, an all-reduce in a
//                     range, does not end; release: it ends
//     stuck N mill    the same, and the first does not end
//     profiler 1      cuProfilerStart; 0: cuProfilerStop
//     push NAME, pop  an NVTX range of the thread's
//     begin NAME, end one that is started and ended
//     fork            a child that waits to be killed; prints its number
//     memory          how many bytes the process has allocated
//     close           closes all descriptors above standard error, as a daemon does
//     exec            runs the program again in its place
//     leave           _exit(0)
//     crash           SIGKILL

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <dlfcn.h>
#include <malloc.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include "Driver.h"

namespace {

void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(98);
}
#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__)

struct Graph {
  CUstream stream = nullptr;
  CUgraphExec exec = nullptr;
};

Graph captured(const Driver &driver) {
  CHECK(driver.Init(0));
  CUcontext context = nullptr;
  CHECK(driver.DevicePrimaryCtxRetain(&context, 0));
  CHECK(driver.CtxSetCurrent(context));
  Graph made;
  CHECK(driver.StreamCreate(&made.stream, 0));
  CUdeviceptr memory = 0;
  CHECK(driver.MemAlloc(&memory, 64));
  static std::array<char, 64> source{};
  CUgraph graph = nullptr;
  CHECK(driver.StreamBeginCapture(made.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  for (const char *const layer : {"layer 0", "layer 1"}) {
    nvtxRangePushA(layer);
    CHECK(driver.MemcpyHtoDAsync(memory, source.data(), source.size(), made.stream));
    nvtxRangePop();
  }
  CHECK(driver.StreamEndCapture(made.stream, &graph));
  CHECK(driver.GraphInstantiateWithFlags(&made.exec, graph, 0));
  return made;
}

template <class Function> Function *found(void *library, const char *name) {
  auto *const function = reinterpret_cast<Function *>(dlsym(library, name));
  if (!function)
    std::exit(96);
  return function;
}

constexpr const char *collective = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

void hold(const char *kernel) {
  found<void(const char *)>(dlopen("libcuda.so.1", RTLD_NOW), "cuSimHold")(kernel);
}

// A chain of `count` kernels that the simulated driver runs for a while. The third is another one
// if `special`, in a range.
Graph ofKernels(const Driver &driver, CUstream stream, int count, const char *special = nullptr) {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  CUlibrary module = nullptr;
  CHECK(found<decltype(cuLibraryLoadData)>(library, "cuLibraryLoadData")(
      &module, "any", nullptr, nullptr, 0, nullptr, nullptr, 0));
  const auto function = [&](const char *name) {
    CUkernel kernel = nullptr;
    CUfunction made = nullptr;
    CHECK(
        found<decltype(cuLibraryGetKernel)>(library, "cuLibraryGetKernel")(&kernel, module, name));
    CHECK(found<decltype(cuKernelGetFunction)>(library, "cuKernelGetFunction")(&made, kernel));
    return made;
  };
  const auto launch = found<decltype(cuLaunchKernel)>(library, "cuLaunchKernel");
  Graph made{stream, nullptr};
  CUgraph graph = nullptr;
  CHECK(driver.StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  for (int i = 0; i < count; ++i) {
    const bool isSpecial = special && i == 2;
    if (isSpecial)
      nvtxRangePushA("reduce");
    CHECK(launch(function(isSpecial ? special : "mill"), 1, 1, 1, 32, 1, 1, 0, stream, nullptr,
                 nullptr));
    if (isSpecial)
      nvtxRangePop();
  }
  CHECK(driver.StreamEndCapture(stream, &graph));
  CHECK(driver.GraphInstantiateWithFlags(&made.exec, graph, 0));
  return made;
}

} // namespace

int main(int, char **argv) {
  const Driver driver = findDriver("proc2");
  const Graph graph = captured(driver);
  Graph kernels;
  nvtxRangeId_t begun = 0;
  std::printf("ready %d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const std::string command = line.substr(0, line.find(' ')),
                      rest = line.substr(std::min(line.size(), command.size() + 1));
    if (command == "launch") {
      for (int i = 0; i < std::atoi(rest.c_str()); ++i)
        CHECK(driver.GraphLaunch(graph.exec, graph.stream));
      CHECK(driver.StreamSynchronize(graph.stream));
    } else if (command == "kernels") {
      if (!kernels.exec)
        kernels = ofKernels(driver, graph.stream, 6);
      for (int i = 0; i < std::atoi(rest.c_str()); ++i)
        CHECK(driver.GraphLaunch(kernels.exec, kernels.stream));
      CHECK(driver.StreamSynchronize(kernels.stream));
    } else if (command == "stuck") {
      const Graph stuck = ofKernels(driver, graph.stream, std::atoi(rest.c_str()), collective);
      const std::size_t space = rest.find(' ');
      hold(space == std::string::npos ? collective : rest.c_str() + space + 1);
      CHECK(driver.GraphLaunch(stuck.exec, stuck.stream));
    } else if (command == "release") {
      hold("");
      CHECK(driver.StreamSynchronize(graph.stream));
    } else if (command == "profiler") {
      CHECK(rest == "1" ? driver.ProfilerStart() : driver.ProfilerStop());
    } else if (command == "push") {
      nvtxRangePushA(rest.c_str());
    } else if (command == "pop") {
      nvtxRangePop();
    } else if (command == "begin") {
      begun = nvtxRangeStartA(rest.c_str());
    } else if (command == "end") {
      nvtxRangeEnd(begun);
    } else if (command == "fork") {
      const pid_t child = fork();
      if (child == 0) {
        pause();
        _exit(0);
      }
      std::printf("%d ", static_cast<int>(child));
    } else if (command == "memory") {
      const struct mallinfo2 now = mallinfo2(); // of all arenas
      std::printf("%zu ", now.uordblks + now.hblkhd);
    } else if (command == "close") {
      constexpr int most = 1 << 20;
      for (int descriptor = 3; descriptor < most; ++descriptor)
        close(descriptor);
    } else if (command == "exec") {
      execv("/proc/self/exe", argv);
      std::exit(97);
    } else if (command == "leave") {
      _exit(0);
    } else if (command == "crash") {
      std::raise(SIGKILL);
    }
    std::printf("done %s\n", command.c_str());
    std::fflush(stdout);
  }
  return 7;
}
