// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Computes how many blocks of a kernel fit on the device at once. A multiprocessor has a limited
// number of blocks, warps, registers and bytes of shared memory, and blocks are spread evenly over
// all of them. Other kernels are ignored.

#ifndef CUDASIM_SRC_OCCUPANCY_H
#define CUDASIM_SRC_OCCUPANCY_H

#include <cstddef>
#include <cstdint>

namespace cudasim {

// The resources of a kernel's block.
struct BlockNeeds {
  unsigned threads;
  unsigned registersPerThread;
  std::size_t sharedBytes; // static and dynamic
};

inline constexpr unsigned kMostThreadsPerBlock = 1024;
inline constexpr std::size_t kMostSharedBytesPerBlock = std::size_t{227} << 10;
// With the attribute that allows it (CUDA 13.4). CUDA's limit is the device's.
inline constexpr std::size_t kOversizedSharedBytesPerBlock = std::size_t{256} << 10;
inline constexpr unsigned kLargestPortableCluster = 8;

// The number of blocks on one multiprocessor; 0 if not even one fits.
unsigned residentBlocks(const BlockNeeds &block);

// A grid runs in waves. Each wave begins when the previous one ends.
struct Waves {
  std::uint64_t count;
  bool leavesRoom; // the last wave has room for a block of 256 threads without shared memory
};
Waves wavesOf(const BlockNeeds &block, std::uint64_t blocks);

} // namespace cudasim

#endif // CUDASIM_SRC_OCCUPANCY_H
