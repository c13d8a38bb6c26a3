// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// 34 graphs as of a server's batch sizes: of 8 to 72 kernels, some of a kernel that is loaded only
// then; in some captures device memory is allocated, some graphs allocate their own. First
// captures, instantiates and launches each once, then launches each three times more. With a file,
// writes how much memory is free before, in between and behind, as JSON, and how long it takes to
// ask. For test/gpu/run/memory, which compares that with what graphprof measures.
//
//     memory [FILE]

#include <chrono>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "Check.h"

__global__ void add(unsigned *sum) { atomicAdd(sum, 1); }

// Its stack takes device memory for each thread that can run at once.
__global__ void deep(unsigned *sum, unsigned depth) {
  unsigned values[2048];
  for (unsigned i = 0; i < 2048; ++i)
    values[(i * depth) % 2048] = i;
  if (values[depth % 2048] != 1)
    atomicAdd(sum, 1);
}

static std::size_t freeMemory() {
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

template <class Call> static double usOf(Call call) {
  constexpr int times = 200;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    call();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

constexpr int graphs = 34, launchesMore = 3;
constexpr std::size_t workspace = std::size_t{4} << 20;

static cudaGraphExec_t made(int number, cudaStream_t stream, unsigned *sum) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  if (number % 5 == 1) {
    void *kept = nullptr; // as a caching allocator keeps it
    CHECK(cudaMalloc(&kept, workspace));
    CHECK(cudaMemsetAsync(kept, 0, workspace, stream));
  }
  void *own = nullptr;
  if (number % 7 == 2) {
    CHECK(cudaMallocAsync(&own, workspace * (number % 3 + 1), stream));
    CHECK(cudaMemsetAsync(own, 0, workspace, stream));
  }
  for (int i = 0; i < 8 * (number % 9 + 1); ++i)
    add<<<1, 32, 0, stream>>>(sum);
  if (number == 20)
    deep<<<1, 32, 0, stream>>>(sum, 1 + number);
  if (own)
    CHECK(cudaFreeAsync(own, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

int main(int count, char **arguments) {
  unsigned *sum = nullptr;
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMemset(sum, 0, sizeof *sum));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  add<<<1, 32, 0, stream>>>(sum);
  CHECK(cudaStreamSynchronize(stream));
  const double us = usOf(freeMemory), poolUs = usOf([] {
                                        unsigned long long bytes = 0;
                                        CHECK(cudaDeviceGetGraphMemAttribute(
                                            0, cudaGraphMemAttrReservedMemCurrent, &bytes));
                                      });
  std::vector<cudaGraphExec_t> execs;
  const std::size_t before = freeMemory();
  for (int number = 0; number < graphs; ++number) {
    execs.push_back(made(number, stream, sum));
    CHECK(cudaGraphLaunch(execs.back(), stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  const std::size_t between = freeMemory();
  for (int launch = 0; launch < launchesMore; ++launch)
    for (const cudaGraphExec_t exec : execs) {
      CHECK(cudaGraphLaunch(exec, stream));
      CHECK(cudaStreamSynchronize(stream));
    }
  const std::size_t after = freeMemory();
  if (count > 1) {
    std::FILE *const file = std::fopen(arguments[1], "w");
    if (!file)
      return 2;
    std::fprintf(file,
                 "{\"before\": %zu, \"between\": %zu, \"after\": %zu, \"mem_get_info_us\": %.2f, "
                 "\"pool_us\": %.2f}\n",
                 before, between, after, us, poolUs);
    std::fclose(file);
  }
  unsigned added = 0;
  CHECK(cudaMemcpy(&added, sum, sizeof added, cudaMemcpyDeviceToHost));
  std::printf("%zu graphs, %u\n", execs.size(), added);
}
