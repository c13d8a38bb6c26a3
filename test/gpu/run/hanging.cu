// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A graph whose third kernel waits for the host, as NCCL's do for another rank: it has the name of
// one. Twice, the first time when nothing of the graph has run yet: launches the graph, prints
// "stuck", waits for a line of standard input or its end, and lets the kernel go on. By itself the
// kernel gives up after a minute, and says so. For test/gpu/run/where, which asks meanwhile where
// it hangs.
//
//     hanging [KERNELS [BLOCKS]]      80 kernels, and one block of the waiting one, by default

#include <cstdio>
#include <iostream>
#include <string>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "Check.h"

__global__ void add(unsigned *sum) { atomicAdd(sum, 1); }

extern "C" __global__ void ncclDevKernel_AllReduce_Sum_f32_RING_LL(const volatile unsigned *flag,
                                                                   unsigned *gaveUp) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin)::"memory");
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  while (*flag == 0 && now - begin < 60'000'000'000);
  if (*flag == 0)
    atomicAdd(gaveUp, 1);
}

int main(int count, char **arguments) {
  const int kernels = count > 1 ? std::atoi(arguments[1]) : 80;
  const int blocks = count > 2 ? std::atoi(arguments[2]) : 1;
  const int threads = blocks == 1 ? 256 : 1024;
  unsigned *flag = nullptr, *flagOnDevice = nullptr, *sums = nullptr;
  CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&flagOnDevice, flag, 0));
  CHECK(cudaMalloc(&sums, 2 * sizeof *sums)); // how many kernels ran; how many gave up
  CHECK(cudaMemset(sums, 0, 2 * sizeof *sums));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i)
    if (i == 2) {
      nvtxRangePushA("reduce");
      ncclDevKernel_AllReduce_Sum_f32_RING_LL<<<blocks, threads, 0, stream>>>(flagOnDevice,
                                                                              sums + 1);
      nvtxRangePop();
    } else {
      add<<<1, 32, 0, stream>>>(sums);
    }
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 0; round < 2; ++round) {
    *static_cast<volatile unsigned *>(flag) = 0;
    CHECK(cudaGraphLaunch(exec, stream));
    std::printf("stuck\n");
    std::fflush(stdout);
    std::string line;
    std::getline(std::cin, line);
    *static_cast<volatile unsigned *>(flag) = 1;
    CHECK(cudaStreamSynchronize(stream));
  }
  unsigned sum[2];
  CHECK(cudaMemcpy(sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
  std::printf("%u kernels ran, %u gave up\n", sum[0] / 32, sum[1]);
}
