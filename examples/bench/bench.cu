// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Two ways to add vectors, for several sizes, cold and warm. See README.md.

#include <cstddef>
#include <string>
#include <tuple>

#include <cuda_runtime.h>

#include <graphprof/bench_suite.h>

namespace {

__global__ void addOne(float *to, const float *from, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count)
    to[i] += from[i];
}

__global__ void addFour(float4 *to, const float4 *from, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count)
    return;
  const float4 a = to[i], b = from[i];
  to[i] = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Device memory for one measurement.
class Floats {
public:
  explicit Floats(std::size_t count) : count_(count) {
    cudaMalloc(&data_, count * sizeof(float));
    cudaMemset(data_, 0, count * sizeof(float));
  }
  ~Floats() { cudaFree(data_); }
  Floats(const Floats &) = delete;
  Floats &operator=(const Floats &) = delete;
  graphprof::DeviceSpan<float> span() const { return {data_, count_}; }

private:
  float *data_ = nullptr;
  std::size_t count_;
};

void add(graphprof::bench_state &state) {
  const auto count = static_cast<std::size_t>(state.get_int64("elements"));
  const bool wide = state.get_string("loads") == "float4";
  const Floats to(count), from(count);
  state.add_global_memory_reads<float>(2 * count);
  state.add_global_memory_writes<float>(count);
  state.exec(
      [count, wide](cudaStream_t stream, float *x, float *y) {
        const std::size_t threads = wide ? count / 4 : count;
        const auto blocks = static_cast<unsigned>((threads + 255) / 256);
        if (wide)
          addFour<<<blocks, 256, 0, stream>>>(reinterpret_cast<float4 *>(x),
                                              reinterpret_cast<const float4 *>(y), threads);
        else
          addOne<<<blocks, 256, 0, stream>>>(x, y, threads);
      },
      std::tuple(to.span(), from.span()));
}

} // namespace

GRAPHPROF_BENCH(add)
    .add_string_axis("loads", {"float", "float4"})
    .add_int64_power_of_two_axis("elements", {16, 20, 24});
