// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A multiprocessor of compute capability 9.0. OccupancyCalculatorTest.cpp compares the results with
// a toolkit's own calculator, cuda_occupancy.h.

#include "Occupancy.h"

#include "Properties.h"

#include <algorithm>

namespace cudasim {
namespace {

constexpr unsigned kWarpThreads = 32;
constexpr unsigned kMostWarps = 64;
constexpr unsigned kRegisters = 65536;
constexpr unsigned kRegisterUnit = 256; // granularity of a warp's registers
constexpr unsigned kPartitions = 4;     // each has a quarter of the registers
constexpr std::size_t kSharedBytes = std::size_t{228} << 10;
constexpr std::size_t kSharedReserved = 1 << 10; // reserved by the system in every block
constexpr std::size_t kSharedUnit = 128;
constexpr BlockNeeds kSmallBlock = {256, 32, 0};

template <typename T> T roundUp(T value, T unit) { return (value + unit - 1) / unit * unit; }

// The part of each resource of a multiprocessor that a block takes.
struct Share {
  unsigned warps, registersPerWarp;
  std::size_t sharedBytes;
  unsigned registers() const { return warps * registersPerWarp; }
};

Share shareOf(const BlockNeeds &block) {
  const unsigned warps = roundUp(block.threads, kWarpThreads) / kWarpThreads;
  return {warps, roundUp(block.registersPerThread * kWarpThreads, kRegisterUnit),
          roundUp(block.sharedBytes + kSharedReserved, kSharedUnit)};
}

unsigned mostBlocks() {
  return static_cast<unsigned>(deviceProperties().maxBlocksPerMultiProcessor);
}

bool fitsBeside(const Share &running, std::uint64_t blocks, const Share &added) {
  return blocks < mostBlocks() && blocks * running.warps + added.warps <= kMostWarps &&
         blocks * running.registers() + added.registers() <= kRegisters &&
         blocks * running.sharedBytes + added.sharedBytes <= kSharedBytes;
}

} // namespace

unsigned residentBlocks(const BlockNeeds &block) {
  if (!block.threads || block.threads > kMostThreadsPerBlock ||
      block.sharedBytes > kMostSharedBytesPerBlock)
    return 0;
  const Share share = shareOf(block);
  unsigned blocks = std::min(mostBlocks(), kMostWarps / share.warps);
  if (share.registersPerWarp) {
    if (share.registersPerWarp * roundUp(share.warps, kPartitions) > kRegisters)
      return 0;
    const unsigned warps = kRegisters / kPartitions / share.registersPerWarp * kPartitions;
    blocks = std::min(blocks, warps / share.warps);
  }
  return std::min(blocks, static_cast<unsigned>(kSharedBytes / share.sharedBytes));
}

Waves wavesOf(const BlockNeeds &block, std::uint64_t blocks) {
  const auto multiprocessors = static_cast<std::uint64_t>(deviceProperties().multiProcessorCount);
  const std::uint64_t capacity = std::max(residentBlocks(block), 1U) * multiprocessors;
  const std::uint64_t count = std::max<std::uint64_t>(1, (blocks + capacity - 1) / capacity);
  const std::uint64_t last = blocks - (count - 1) * capacity;
  return {count, fitsBeside(shareOf(block), last / multiprocessors, shareOf(kSmallBlock))};
}

} // namespace cudasim
