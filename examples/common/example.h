// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Helpers for all examples: checked CUDA calls, arrays on the device, random input, and comparison
// of results with the host's. Knows nothing of graphprof.

#ifndef GRAPHPROF_EXAMPLES_COMMON_EXAMPLE_H
#define GRAPHPROF_EXAMPLES_COMMON_EXAMPLE_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <cuda_runtime.h>

// If a call fails, ends the program with CUDA's error text.
#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t checkedError = (call);                                                       \
    if (checkedError != cudaSuccess) {                                                             \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(checkedError));                                              \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

namespace example {

inline constexpr int threadsPerBlock = 256;
inline int blocksFor(std::size_t n) {
  return static_cast<int>((n + threadsPerBlock - 1) / threadsPerBlock);
}

/// Normally distributed numbers, the same for the same seed.
inline std::vector<float> randomNumbers(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(n);
  for (float &number : numbers)
    number = normal(generator);
  return numbers;
}

/// Floats on the device, freed with the object.
class DeviceArray {
public:
  explicit DeviceArray(const std::vector<float> &content) : size_(content.size()) {
    CHECK(cudaMalloc(&data_, size_ * sizeof(float)));
    CHECK(cudaMemcpy(data_, content.data(), size_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray &&other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  [[nodiscard]] float *data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Replaces the content in `stream`'s order; `content` has size() elements.
  void assign(const std::vector<float> &content, cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(data_, content.data(), size_ * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
  }
  /// Returns the content after all work in `stream`.
  [[nodiscard]] std::vector<float> read(cudaStream_t stream) const {
    std::vector<float> content(size_);
    CHECK(cudaMemcpyAsync(content.data(), data_, size_ * sizeof(float), cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaStreamSynchronize(stream));
    return content;
  }

private:
  float *data_ = nullptr;
  std::size_t size_;
};

/// Compares the device's results with the host's. The simulated CUDA runtime does not run kernels,
/// so there is nothing to compare there, and finish() says so.
class Comparison {
public:
  Comparison() { CHECK(cudaGetDeviceProperties(&properties_, 0)); }

  void compare(const std::vector<float> &device, const std::vector<float> &host) {
    ++compared_;
    if (!simulated() && device != host)
      ++different_;
  }

  /// Prints the result. Returns the program's exit status.
  [[nodiscard]] int finish() const {
    if (simulated()) {
      std::printf("Results not compared: %s does not run kernels\n", properties_.name);
      return 0;
    }
    std::printf("Results: %d of %d equal those of the host\n", compared_ - different_, compared_);
    return different_ == 0 ? 0 : 1;
  }

private:
  [[nodiscard]] bool simulated() const { return std::strstr(properties_.name, "cudasim"); }

  cudaDeviceProp properties_{};
  int compared_ = 0;
  int different_ = 0;
};

} // namespace example

#endif // GRAPHPROF_EXAMPLES_COMMON_EXAMPLE_H
