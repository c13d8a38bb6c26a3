// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the stress test's graphs compute, and where: kernels with a body on the simulated device,
// whose results tell each launch, its parameters and its order. Knows nothing of graphprof.

#ifndef GRAPHPROF_TEST_STRESS_CELLS_H
#define GRAPHPROF_TEST_STRESS_CELLS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>

namespace graphprof::test {

/// What the launches of one exec have computed so far.
struct Result {
  std::uint64_t chain = 0; ///< tells the order of what was folded in
  std::uint64_t sum = 0;   ///< does not: for what runs side by side

  void fold(std::uint64_t amount) { chain = chain * 31 + amount; }
  friend bool operator==(const Result &, const Result &) = default;
};

/// A Result in device memory.
class Cell {
public:
  void fold(std::uint64_t amount) {
    const std::lock_guard lock(mutex_);
    result_.fold(amount);
  }
  void add(std::uint64_t amount) {
    const std::lock_guard lock(mutex_);
    result_.sum += amount;
  }
  [[nodiscard]] Result result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }

private:
  mutable std::mutex mutex_; // guards all below
  Result result_;
};

/// What a kernel does with its cell.
enum class Work : std::uint8_t { Fold, Add };

/// The kernel's address, as cudaKernelNodeParams takes it. Parameters: Cell *, unsigned long long.
void *kernelOf(Work work);
cudaError_t launch(Work work, Cell &cell, unsigned long long amount, cudaStream_t stream);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_STRESS_CELLS_H
