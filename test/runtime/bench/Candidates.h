// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tests of benchmarks measure, on a GPU and on the simulation.

#ifndef GRAPHPROF_TEST_BENCH_CANDIDATES_H
#define GRAPHPROF_TEST_BENCH_CANDIDATES_H

#include <cstddef>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "Reading.h"
#include "graphprof/bench.h"

namespace graphprof::test {

class DeviceFloats {
public:
  explicit DeviceFloats(std::size_t count) : count_(count) {
    EXPECT_EQ(cudaSuccess, cudaMalloc(&data_, count * sizeof(float)));
  }
  ~DeviceFloats() { cudaFree(data_); }
  DeviceFloats(const DeviceFloats &) = delete;
  DeviceFloats &operator=(const DeviceFloats &) = delete;
  [[nodiscard]] float *data() const { return data_; }
  [[nodiscard]] DeviceSpan<float> span() const { return {data_, count_}; }

private:
  float *data_ = nullptr;
  std::size_t count_;
};

inline constexpr std::size_t megabyte = std::size_t{1} << 20;
inline constexpr std::size_t someFloats = 4 * megabyte / sizeof(float);

inline bench_options few() {
  bench_options options;
  options.dry_run_iters = 2;
  options.repeat_iters = 20;
  return options;
}

// Reads its argument.
inline constexpr auto reading = [](cudaStream_t stream, DeviceSpan<float> data) {
  test::read(stream, data, data.size(), nullptr);
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_BENCH_CANDIDATES_H
