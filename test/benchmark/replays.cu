// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program with a static CUDA runtime and a graph of 256 kernels in a chain. Prints the times of a
// replay and of its launch in us, with recording stopped and started by turns, as a line of JSON.
// The scripts `others` and `control` compile and run it. It finds graphprof's functions with dlsym.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <dlfcn.h>

#include "check.h"

__global__ void mix(unsigned *data, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = data[i] * 1664525U + 1013904223U;
}

// Starts or stops recording if graphprof is in the process.
void record(bool on) {
  void *library = dlopen("libgraphprof.so.0", RTLD_NOLOAD | RTLD_NOW);
  if (!library)
    return;
  using Switch = void (*)();
  reinterpret_cast<Switch>(
      dlsym(library, on ? "_ZN9graphprof2v15startEv" : "_ZN9graphprof2v14stopEv"))();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  constexpr int count = 1 << 22, kernels = 256, replays = 20;
  unsigned *data = nullptr;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaMalloc(&data, count * sizeof(unsigned)));
  CHECK(cudaMemset(data, 1, count * sizeof(unsigned)));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i)
    mix<<<528, 256, 0, stream>>>(data, count);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<double> off, gpu, launch, launchOff, launchOn;
  for (int round = 0; round <= rounds; ++round) {
    double us[2], launchUs[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int on = turn ^ (round & 1); // the one that comes first differs
      record(on);
      CHECK(cudaGraphLaunch(exec, stream));
      CHECK(cudaEventRecord(begin, stream));
      for (int i = 0; i < replays; ++i)
        CHECK(cudaGraphLaunch(exec, stream));
      CHECK(cudaEventRecord(end, stream));
      CHECK(cudaStreamSynchronize(stream));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      us[on] = ms * 1e3 / replays;
      std::vector<double> each;
      for (int i = 0; i < 15; ++i) {
        const auto began = std::chrono::steady_clock::now();
        CHECK(cudaGraphLaunch(exec, stream));
        each.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
                .count());
        CHECK(cudaStreamSynchronize(stream));
      }
      launchUs[on] = median(each);
    }
    if (round == 0)
      continue;
    off.push_back(us[0]);
    gpu.push_back(us[1] / us[0]);
    launch.push_back(launchUs[1] / launchUs[0]);
    launchOff.push_back(launchUs[0]);
    launchOn.push_back(launchUs[1]);
  }
  std::vector<unsigned> host(count);
  CHECK(cudaMemcpy(host.data(), data, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf(
      "{\"off\": %.3f, \"ratio\": %.5f, \"launch\": %.4f, \"launchOff\": %.3f, \"launchOn\": %.3f, "
      "\"digest\": \"%llu\"}\n",
      median(off), median(gpu), median(launch), median(launchOff), median(launchOn),
      std::accumulate(host.begin(), host.end(), 0ULL));
}
