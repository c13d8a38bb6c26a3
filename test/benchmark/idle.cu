// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What execs cost that are made and not launched, and their first launch: device and host memory,
// and time, of each node, as a line of JSON. Also what is taken of the device in all, in MiB: with
// a context, and after a first graph. The idle script compiles and runs it. It knows graphprof not
// at all.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <unistd.h>

#include "check.h"

__global__ void count(unsigned *data) { ++data[threadIdx.x]; }

struct Used {
  double deviceBytes, hostBytes, us;
};

Used usedNow() {
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  long pages = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {static_cast<double>(total - free),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)),
          std::chrono::duration<double, std::micro>(now).count()};
}

// Of each node, what was used since `before`.
Used eachSince(const Used &before, double nodes) {
  const Used now = usedNow();
  return {(now.deviceBytes - before.deviceBytes) / nodes,
          (now.hostBytes - before.hostBytes) / nodes, (now.us - before.us) / nodes};
}

int main(int argc, char **argv) {
  const int execCount = argc > 1 ? std::atoi(argv[1]) : 64;
  const int kernels = argc > 2 ? std::atoi(argv[2]) : 1000;
  unsigned *data = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(&data, 32 * sizeof(unsigned)));
  CHECK(cudaMemset(data, 0, 32 * sizeof(unsigned)));
  CHECK(cudaStreamCreate(&stream));
  const double contextMiB = usedNow().deviceBytes / (1 << 20);
  const auto made = [&] {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kernels; ++i)
      count<<<1, 32, 0, stream>>>(data);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
  };
  CHECK(cudaGraphLaunch(made(), stream)); // what the first one costs is not asked
  CHECK(cudaStreamSynchronize(stream));

  std::vector<cudaGraphExec_t> execs;
  const double nodes = static_cast<double>(execCount) * kernels;
  const Used begin = usedNow();
  const double graphMiB = begin.deviceBytes / (1 << 20);
  for (int i = 0; i < execCount; ++i)
    execs.push_back(made());
  const Used idle = eachSince(begin, nodes);
  const Used launching = usedNow();
  for (const cudaGraphExec_t exec : execs)
    CHECK(cudaGraphLaunch(exec, stream));
  const double launchUs = eachSince(launching, nodes).us;
  CHECK(cudaStreamSynchronize(stream));
  const Used launched = eachSince(begin, nodes);
  unsigned first = 0;
  CHECK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
  std::printf("{\"contextMiB\": %.1f, \"graphMiB\": %.1f, \"device\": %.0f, \"host\": %.0f, "
              "\"us\": %.2f, \"launchUs\": %.2f, "
              "\"launchedDevice\": %.0f, \"launchedHost\": %.0f, \"count\": %u}\n",
              contextMiB, graphMiB, idle.deviceBytes, idle.hostBytes, idle.us, launchUs,
              launched.deviceBytes, launched.hostBytes, first);
  return first == static_cast<unsigned>((execCount + 1) * kernels) ? 0 : 1;
}
