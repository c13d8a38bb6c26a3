// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels and memory of the stress test's graphs. The results identify each launch, its
// parameters and its order. The same on a GPU and, with the bodies of CellsOnSim.cpp, on the
// simulation. Knows nothing of graphprof.

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

/// A Result in device-accessible memory.
class Cell {
public:
  Cell();
  Cell(const Cell &) = delete;
  Cell &operator=(const Cell &) = delete;

  /// The kernels' first parameter.
  [[nodiscard]] void *place() const { return place_; }
  /// Call it only when no kernel that uses the cell is running.
  [[nodiscard]] Result result() const;

private:
  void *place_;
};

/// What a kernel does with its cell.
enum class Work : std::uint8_t { Fold, Add };

/// The kernel's address for cudaKernelNodeParams. Its parameters: a Cell's place, unsigned long
/// long.
void *kernelOf(Work work);
cudaError_t launch(Work work, const Cell &cell, unsigned long long amount, cudaStream_t stream);

/// Whether kernels of different execs run one after another in launch order, on any streams. True
/// on the simulation.
extern const bool inOrderOfLaunches;

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_STRESS_CELLS_H
