// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether a kernel's grid leaves room on the device. Knows nothing of stamps.

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
  Kernel kernel = nullptr; ///< where there is no function; neither: the node's own
  std::uint64_t blocks = 0;
  unsigned threads = 0, sharedBytes = 0; ///< of each; the memory is dynamic
};

/// Answers for the kernels of one graph: functions are asked about once.
class Occupancy {
public:
  /// On the current device, of which these are the properties: what of it this process may use,
  /// under MPS and MIG.
  explicit Occupancy(const DeviceProperties &device) : device_(device) {}

  /// Whether all blocks of the kernel node are on the device at once, and one more block of a warp
  /// with them, when nothing else runs. False where the driver does not tell.
  bool leavesRoom(Node kernel);
  /// The same where the node is about to run that.
  bool leavesRoom(Node kernel, const Grid &grid);

private:
  struct Blocks {
    int most = 0;      // on a multiprocessor; 0: not known
    bool room = false; // for a warp beside so many
  };
  Blocks blocksOf(Function function, unsigned threads, std::size_t sharedBytes);
  bool roomBeside(Function function, int blocks, unsigned threads, std::size_t sharedBytes) const;

  const DeviceProperties &device_;
  std::map<std::tuple<Function, unsigned, std::size_t>, Blocks> known_;
};

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_OCCUPANCY_H
