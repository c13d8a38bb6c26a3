// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Cells in the memory of a real GPU.

#include "Cells.h"

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace graphprof::test {

namespace {

constexpr std::size_t most = std::size_t{4} * 1024 * 1024;

// All at once, and never freed: allocating is forbidden while others capture.
Result *results() {
  static Result *const all = [] {
    void *memory = nullptr;
    if (cudaMalloc(&memory, most * sizeof(Result)) != cudaSuccess ||
        cudaMemset(memory, 0, most * sizeof(Result)) != cudaSuccess)
      throw std::runtime_error("no memory on the device");
    return static_cast<Result *>(memory);
  }();
  return all;
}

} // namespace

const bool inOrderOfLaunches = false;

Cell::Cell() {
  static std::atomic<std::size_t> used{0};
  const std::size_t mine = used++;
  if (mine >= most)
    throw std::runtime_error("more cells than expected");
  place_ = results() + mine;
}

Result Cell::result() const {
  Result result;
  if (cudaMemcpy(&result, place_, sizeof result, cudaMemcpyDefault) != cudaSuccess)
    throw std::runtime_error("a result could not be read");
  return result;
}

} // namespace graphprof::test
