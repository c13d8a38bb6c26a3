// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether a kernel's grid leaves room on the device for one more block. Does not know stamps.

#ifndef GRAPHPROF_CUDA_OCCUPANCY_H
#define GRAPHPROF_CUDA_OCCUPANCY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof::driver {

/// What a kernel node runs.
struct Grid {
  Function function = nullptr;
  Kernel kernel = nullptr; ///< if there is no function; if neither: the node's own
  std::uint64_t blocks = 0;
  unsigned threads = 0, sharedBytes = 0; ///< of each block; the shared memory is dynamic
};

/// For the kernels of one graph. Asks the driver once for each function.
class Occupancy {
public:
  /// For the current device, whose properties these are, and for one more block of `spareThreads`
  /// threads with a few registers. Counts what this process may use of the device under MPS and
  /// MIG.
  Occupancy(const DeviceProperties &device, unsigned spareThreads)
      : device_(device), spareThreads_(static_cast<int>(spareThreads)) {}

  /// Whether all blocks of the kernel node fit on the device at once, with room for that block, if
  /// nothing else runs. False if the driver does not tell.
  bool leavesRoom(Node kernel);
  /// The same if the node is about to run `grid`.
  bool leavesRoom(Node kernel, const Grid &grid);

private:
  struct Blocks {
    int most = 0;   // on a multiprocessor; 0: unknown
    int beside = 0; // as many leave room for the spare block; negative: not even none
  };
  Blocks blocksOf(Function function, unsigned threads, std::size_t sharedBytes);
  bool roomBeside(Function function, int blocks, unsigned threads, std::size_t sharedBytes) const;

  const DeviceProperties &device_;
  const int spareThreads_;
  std::map<std::tuple<Function, unsigned, std::size_t>, Blocks> known_;
};

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_OCCUPANCY_H
