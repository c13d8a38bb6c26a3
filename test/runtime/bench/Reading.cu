// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Reading.h"

namespace graphprof::test {

namespace {

constexpr unsigned blocks = 264, threads = 512;

__global__ void graphprofTestRead(const float *data, std::size_t count, float *sum) {
  float mine = 0;
  const auto *const fours = reinterpret_cast<const float4 *>(data);
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count / 4;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const float4 value = fours[i];
    mine += value.x + value.y + value.z + value.w;
  }
  if (mine == -12345.678F) // never: it keeps the loads
    *sum = mine;
}

__global__ void graphprofTestIncrement(float *data, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    data[i] += 1;
}

} // namespace

void read(cudaStream_t stream, const float *data, std::size_t count, float *sum) {
  graphprofTestRead<<<blocks, threads, 0, stream>>>(data, count, sum);
}

void increment(cudaStream_t stream, float *data, std::size_t count) {
  graphprofTestIncrement<<<blocks, threads, 0, stream>>>(data, count);
}

void incrementEarly(cudaStream_t stream, float *data, std::size_t count) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, graphprofTestIncrement, data, count);
}

} // namespace graphprof::test
