// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graphs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <graphprof/cuda.h>

#include "../check.h"

namespace benchmark {

namespace {

struct Times {
  unsigned long long begin, end;
};

__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

// `mayBeginEarly`: as a kernel with programmatic edges does, which lets the next one begin and
// waits for the one before. Then its own time begins behind that wait.
template <bool mayBeginEarly> __global__ void work(Times *noted, float *out, int rounds) {
#if __CUDA_ARCH__ >= 900
  if (mayBeginEarly) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
  const unsigned long long began = now();
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i)
    value = value * 0.999f + 0.5f;
  if (value < 0) // never, which the compiler does not know
    out[blockIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    noted[blockIdx.x] = {began, now()};
}

const Shape &shapeOf(std::size_t kernel) { return shapes[kernel % shapes.size()]; }

std::size_t firstBlock(std::size_t kernel) {
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < kernel; ++i)
    blocks += shapeOf(i).blocks;
  return blocks;
}

std::size_t mostBlocks() {
  return std::max_element(shapes.begin(), shapes.end(),
                          [](const Shape &a, const Shape &b) { return a.blocks < b.blocks; })
      ->blocks;
}

double us(unsigned long long from, unsigned long long to) {
  return 1e-3 * static_cast<double>(static_cast<long long>(to - from));
}

} // namespace

const char *textOf(Form form) {
  switch (form) {
  case Form::Chain:
    return "chain";
  case Form::Lanes:
    return "two lanes";
  case Form::EventNodes:
    return "chain with event nodes";
  case Form::Programmatic:
    return "chain with programmatic edges";
  }
  return "";
}

struct NotingGraph::Parts {
  cudaStream_t stream = nullptr, side = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr, recorded = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  Times *noted = nullptr, *seen = nullptr;
  float *out = nullptr;

  void add(std::size_t kernel, cudaStream_t on, bool mayBeginEarly) const {
    const Shape &shape = shapeOf(kernel);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(shape.threads);
    config.stream = on;
    config.attrs = &attribute;
    config.numAttrs = mayBeginEarly ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, mayBeginEarly ? work<true> : work<false>,
                             noted + firstBlock(kernel), out, shape.rounds));
  }
};

NotingGraph::NotingGraph(Form form) : parts_(std::make_unique<Parts>()), form_(form) {
  Parts &parts = *parts_;
  const std::size_t blocks = firstBlock(kernels);
  for (cudaStream_t *stream : {&parts.stream, &parts.side})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (cudaEvent_t *event : {&parts.fork, &parts.join, &parts.recorded})
    CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  CHECK(cudaMalloc(&parts.noted, blocks * sizeof(Times)));
  CHECK(cudaMalloc(&parts.out, mostBlocks() * sizeof(float)));
  CHECK(cudaMallocHost(&parts.seen, blocks * sizeof(Times)));

  CHECK(graphprof::cuda::cudaStreamBeginCapture(parts.stream, cudaStreamCaptureModeThreadLocal));
  if (form == Form::Lanes) {
    CHECK(cudaEventRecord(parts.fork, parts.stream));
    CHECK(graphprof::cuda::cudaStreamWaitEvent(parts.side, parts.fork, 0));
  }
  for (std::size_t i = 0; i < kernels; ++i) {
    parts.add(i, form == Form::Lanes && i % 2 == 1 ? parts.side : parts.stream,
              form == Form::Programmatic);
    if (form == Form::EventNodes && i % 8 == 7)
      CHECK(cudaEventRecordWithFlags(parts.recorded, parts.stream, cudaEventRecordExternal));
  }
  if (form == Form::Lanes) {
    CHECK(cudaEventRecord(parts.join, parts.side));
    CHECK(graphprof::cuda::cudaStreamWaitEvent(parts.stream, parts.join, 0));
  }
  CHECK(graphprof::cuda::cudaStreamEndCapture(parts.stream, &parts.graph));
  CHECK(graphprof::cuda::cudaGraphInstantiate(&parts.exec, parts.graph, 0));
}

NotingGraph::~NotingGraph() {
  const Parts &parts = *parts_;
  CHECK(graphprof::cuda::cudaGraphExecDestroy(parts.exec));
  CHECK(graphprof::cuda::cudaGraphDestroy(parts.graph));
  CHECK(cudaFreeHost(parts.seen));
  CHECK(cudaFree(parts.noted));
  CHECK(cudaFree(parts.out));
  for (const cudaEvent_t event : {parts.fork, parts.join, parts.recorded})
    CHECK(cudaEventDestroy(event));
  for (const cudaStream_t stream : {parts.stream, parts.side})
    CHECK(cudaStreamDestroy(stream));
}

Noted NotingGraph::launch() {
  const Parts &parts = *parts_;
  CHECK(graphprof::cuda::cudaGraphLaunch(parts.exec, parts.stream));
  CHECK(cudaMemcpyAsync(parts.seen, parts.noted, firstBlock(kernels) * sizeof(Times),
                        cudaMemcpyDeviceToHost, parts.stream));
  CHECK(cudaStreamSynchronize(parts.stream));
  std::array<unsigned long long, kernels> begins{}, ends{};
  for (std::size_t i = 0; i < kernels; ++i) {
    const Times *const own = parts.seen + firstBlock(i);
    begins[i] = own->begin;
    for (unsigned block = 0; block < shapeOf(i).blocks; ++block) {
      begins[i] = std::min(begins[i], own[block].begin);
      ends[i] = std::max(ends[i], own[block].end);
    }
  }
  const std::size_t lanes = form_ == Form::Lanes ? 2 : 1;
  Noted noted{};
  for (std::size_t i = 0; i < kernels; ++i) {
    noted.own[i] = us(begins[i], ends[i]);
    noted.toNextBegin[i] = i + lanes < kernels ? us(begins[i], begins[i + lanes]) : NAN;
    noted.sinceLastEnd[i] = i >= lanes ? us(ends[i - lanes], ends[i]) : NAN;
  }
  noted.whole = us(*std::min_element(begins.begin(), begins.end()),
                   *std::max_element(ends.begin(), ends.end()));
  return noted;
}

} // namespace benchmark
