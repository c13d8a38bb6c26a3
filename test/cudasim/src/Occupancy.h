// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many blocks of a kernel fit on the device at once. A multiprocessor has room for so many
// blocks, warps, registers and bytes of shared memory; blocks are spread evenly over all of them.
// What other kernels occupy is left out.

#ifndef CUDASIM_SRC_OCCUPANCY_H
#define CUDASIM_SRC_OCCUPANCY_H

#include <cstddef>
#include <cstdint>

namespace cudasim {

// What a block of a kernel asks of a multiprocessor.
struct BlockNeeds {
  unsigned threads;
  unsigned registersPerThread;
  std::size_t sharedBytes; // static and dynamic
};

inline constexpr unsigned kMostThreadsPerBlock = 1024;
inline constexpr std::size_t kMostSharedBytesPerBlock = std::size_t{227} << 10;
inline constexpr unsigned kLargestPortableCluster = 8;

// On one multiprocessor; 0 where not even one block fits.
unsigned residentBlocks(const BlockNeeds &block);

// How a grid comes onto the device: in waves, each of which begins when the one before it ends.
struct Waves {
  std::uint64_t count;
  bool leavesRoom; // in the last one, for a block of one warp without shared memory
};
Waves wavesOf(const BlockNeeds &block, std::uint64_t blocks);

} // namespace cudasim

#endif // CUDASIM_SRC_OCCUPANCY_H
