// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What blocks take of a multiprocessor: whether a kernel's grid leaves room on the device for one
// more block, and whether a block could start wherever one of a kernel's could. Does not know
// stamps.

#ifndef GRAPHPROF_CUDA_OCCUPANCY_H
#define GRAPHPROF_CUDA_OCCUPANCY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
  /// For the current device, whose properties these are. Counts what this process may use of the
  /// device under MPS and MIG.
  explicit Occupancy(const DeviceProperties &device) : device_(device) {}

  /// Whether all blocks of the kernel node fit on the device at once, with room for one more block
  /// of `spareThreads` threads with a few registers, if nothing else runs. False if the driver does
  /// not tell.
  bool leavesRoom(Node kernel, unsigned spareThreads);
  /// The same if the node is about to run `grid`.
  bool leavesRoom(Node kernel, const Grid &grid, unsigned spareThreads);

  /// Whether the warps of `grid` leave some multiprocessor time to issue for one more block. It
  /// issues for the oldest warps first, so a kernel of arithmetic alone may keep a younger block
  /// from its first instruction for most of its own time, even if that block has room.
  [[nodiscard]] bool leavesTime(const Grid &grid) const;

  /// How many blocks of a kernel node that runs `grid` fit on the device at once, if nothing else
  /// runs; 0: unknown, as for kernels with clusters.
  std::uint64_t resident(Node kernel, const Grid &grid);

  /// Whether `other` may run in place of a kernel node's own function, with its grid: it runs at
  /// all, its blocks fit on the device at once if the node's own do, they leave room for one of
  /// `spareThreads` if those do, and a block covers (see below) one of as many threads as the
  /// node's has, at most `spareThreads`, and `registers`, if the node's own does.
  bool fitsInPlace(Node kernel, Function other, unsigned spareThreads, int registers);

  /// Whether a block of `other` could start wherever one of the kernel node's own function could:
  /// it needs no more registers and no more shared memory. False if the driver does not tell.
  static bool needsNoMore(Node kernel, Function other);

  /// Whether a block of `threads` threads, with `registers` registers in each and no shared memory,
  /// could start on every multiprocessor on which a block of the kernel node could: it needs no
  /// more of anything. A thread with less than 16 registers counts as having 16. False if the
  /// driver does not tell.
  static bool coversBlock(Node kernel, unsigned threads, int registers);
  /// The same if the node is about to run `grid`.
  static bool coversBlock(Node kernel, const Grid &grid, unsigned threads, int registers);
  /// What the kernel node runs; nullopt if the driver does not tell.
  static std::optional<Grid> gridOf(Node kernel);

private:
  struct Blocks {
    int most = 0;   // on a multiprocessor; 0: unknown
    int beside = 0; // as many leave room for the spare block; negative: not even none
  };
  Blocks blocksOf(Function function, unsigned threads, std::size_t sharedBytes,
                  unsigned spareThreads);
  [[nodiscard]] static int clustersAtOnce(Node kernel, const Grid &grid);
  bool roomBeside(Function function, int blocks, unsigned threads, std::size_t sharedBytes,
                  unsigned spareThreads) const;
  bool isSetUpFor(Function function, int blocks, std::size_t sharedBytes,
                  unsigned spareThreads) const;

  const DeviceProperties &device_;
  std::map<std::tuple<Function, unsigned, std::size_t, unsigned>, Blocks> known_;
  std::map<std::tuple<Function, unsigned, std::size_t>, int> most_; // on a multiprocessor
};

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_OCCUPANCY_H
