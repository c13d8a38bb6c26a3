// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long Reading.cu's kernels take on the simulated device, and what they do.

#include "cudasim/cudasim.h"

namespace {

// Of an H200, about: 4 TB/s from memory, twice that from the cache.
std::uint64_t durationOf(const void *data, std::size_t bytes) {
  constexpr std::uint64_t shortestNs = 2'000;
  const std::size_t missed = cudasim::useL2(data, bytes);
  return shortestNs + missed / 4'000 + (bytes - missed) / 8'000;
}

template <class T> T &parameter(void **params, int index) {
  return *static_cast<T *>(params[index]);
}

std::uint64_t durationOfCall(void **params) {
  return durationOf(parameter<const void *>(params, 0),
                    parameter<std::size_t>(params, 1) * sizeof(float));
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::size_t address = sizeof(void *), number = sizeof(std::size_t);
  cudasim::registerKernel("graphprofTestRead", {address, number, address}, {}, durationOfCall);
  cudasim::registerKernel(
      "graphprofTestIncrement", {address, number},
      [](void **params, std::uint64_t, std::uint64_t) {
        auto *data = parameter<float *>(params, 0);
        for (std::size_t i = 0; i < parameter<std::size_t>(params, 1); ++i)
          data[i] += 1;
      },
      durationOfCall);
  return true;
}();

} // namespace
