// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checked CUDA calls and RAII handles. A failed call ends the benchmark with the call's name.

#ifndef GRAPHPROF_BENCHMARK_CHECK_H
#define GRAPHPROF_BENCHMARK_CHECK_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <cuda_runtime.h>

namespace benchmark {

inline void check(cudaError_t status, const char *call, const char *file, int line) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                             cudaGetErrorString(status));
}

#define CHECK(call) ::benchmark::check(call, #call, __FILE__, __LINE__)

/// Uninitialised device memory for `count` objects.
template <class T> class DeviceArray {
public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  DeviceArray(DeviceArray &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray &operator=(DeviceArray &&other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }
  [[nodiscard]] T *get() const { return data_; }

private:
  T *data_ = nullptr;
};

/// Zeroed pinned host memory for `count` objects, mapped for the device.
template <class T> class PinnedArray {
public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t count) {
    CHECK(cudaHostAlloc(&data_, count * sizeof(T), cudaHostAllocMapped));
    for (std::size_t i = 0; i < count; ++i)
      data_[i] = T();
  }
  PinnedArray(PinnedArray &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedArray &operator=(PinnedArray &&other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  [[nodiscard]] T *get() const { return data_; }
  [[nodiscard]] const volatile T &operator[](std::size_t i) const { return data_[i]; }

private:
  T *data_ = nullptr;
};

/// A CUDA event.
class Event {
public:
  Event() { CHECK(cudaEventCreate(&event_)); }
  Event(Event &&other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event &operator=(Event &&) = delete;
  ~Event() {
    if (event_)
      cudaEventDestroy(event_);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

private:
  cudaEvent_t event_ = nullptr;
};

/// Microseconds between two completed events.
inline double elapsedUs(const Event &from, const Event &to) {
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, from.get(), to.get()));
  return 1e3 * ms;
}

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_CHECK_H
