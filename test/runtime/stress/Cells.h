// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the stress test's graphs compute, and where: kernels whose results tell each launch, its
// parameters and its order. The same on a GPU and, with the bodies of CellsOnSim.cpp, on the
// simulated device. Knows nothing of graphprof.

#ifndef GRAPHPROF_TEST_STRESS_CELLS_H
#define GRAPHPROF_TEST_STRESS_CELLS_H

#include <cuda_runtime_api.h>

#include <cstdint>

namespace graphprof::test {

/// What the launches of one exec have computed so far.
struct Result {
  unsigned long long chain = 0; ///< tells the order of what was folded in
  unsigned long long sum = 0;   ///< does not: for what runs side by side

  void fold(unsigned long long amount) { chain = chain * 31 + amount; }
  friend bool operator==(const Result &, const Result &) = default;
};

/// A Result where the device computes.
class Cell {
public:
  Cell();
  Cell(const Cell &) = delete;
  Cell &operator=(const Cell &) = delete;

  /// What kernels take as their first parameter.
  [[nodiscard]] void *place() const { return place_; }
  /// Once nothing that computes into it is running.
  [[nodiscard]] Result result() const;

private:
  void *place_;
};

/// What a kernel does with its cell.
enum class Work : std::uint8_t { Fold, Add };

/// The kernel's address, as cudaKernelNodeParams takes it. Parameters: a Cell's place, unsigned
/// long long.
void *kernelOf(Work work);
cudaError_t launch(Work work, const Cell &cell, unsigned long long amount, cudaStream_t stream);

/// Whether kernels of different execs run one after another, in the order of the launches, on
/// whatever streams: so it is on the simulated device.
extern const bool inOrderOfLaunches;

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_STRESS_CELLS_H
