// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The benchmarks of docs/bench.md: kernels bound by memory, by arithmetic and by neither, chains,
// and chains with programmatic launches. The script `run` builds this program.

#include <cstddef>
#include <tuple>

#include <cuda_runtime.h>

#include <graphprof/bench_suite.h>

namespace {

__global__ void copyKernel(float4 *to, const float4 *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = from[i];
}

// Arithmetic for about the given time, on every multiprocessor.
__global__ void computeKernel(float *x, int rounds) {
  float value = x[threadIdx.x];
  for (int i = 0; i < rounds; ++i)
    value = value * 1.000001F + 0.5F;
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Begins when the previous kernel triggers it.
__global__ void programmaticKernel(float *x, int rounds) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  float value = x[threadIdx.x];
  for (int i = 0; i < rounds; ++i)
    value = value * 1.000001F + 0.5F;
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

class Floats {
public:
  explicit Floats(std::size_t count) : count_(count) {
    cudaMalloc(&data_, count * sizeof(float));
    cudaMemset(data_, 0, count * sizeof(float));
  }
  ~Floats() { cudaFree(data_); }
  Floats(const Floats &) = delete;
  Floats &operator=(const Floats &) = delete;
  [[nodiscard]] graphprof::DeviceSpan<float> span() const { return {data_, count_}; }

private:
  float *data_ = nullptr;
  std::size_t count_;
};

constexpr unsigned threads = 256, blocks = 132;

void copy(graphprof::bench_state &state) {
  const auto bytes = static_cast<std::size_t>(state.get_int64("bytes"));
  const Floats to(bytes / sizeof(float)), from(bytes / sizeof(float));
  state.add_global_memory_reads(bytes);
  state.add_global_memory_writes(bytes);
  state.exec(
      [bytes](cudaStream_t stream, float *x, const float *y) {
        copyKernel<<<8 * blocks, threads, 0, stream>>>(
            reinterpret_cast<float4 *>(x), reinterpret_cast<const float4 *>(y), bytes / 16);
      },
      std::tuple(to.span(), from.span()));
}

void compute(graphprof::bench_state &state) {
  const int rounds = static_cast<int>(state.get_int64("rounds"));
  const Floats x(std::size_t{blocks} * threads);
  state.add_flops(2.0 * rounds * blocks * threads);
  state.exec([rounds](cudaStream_t stream,
                      float *y) { computeKernel<<<blocks, threads, 0, stream>>>(y, rounds); },
             std::tuple(x.span()));
}

void chain(graphprof::bench_state &state) {
  const bool programmatic = state.get_string("launches") == "programmatic";
  const Floats x(std::size_t{blocks} * threads);
  state.exec(
      [programmatic](cudaStream_t stream, float *y) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = blocks;
        config.blockDim = threads;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = programmatic ? 1 : 0;
        for (int i = 0; i < 8; ++i)
          cudaLaunchKernelEx(&config, programmaticKernel, y, 400);
      },
      std::tuple(x.span()));
}

} // namespace

GRAPHPROF_BENCH(copy).add_int64_power_of_two_axis("bytes", {20, 22, 24, 27});
GRAPHPROF_BENCH(compute).set_cold_l2_cache(false).add_int64_axis("rounds", {100, 4000, 40000});
GRAPHPROF_BENCH(chain).set_cold_l2_cache(false).add_string_axis("launches",
                                                                {"ordinary", "programmatic"});
