// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "cuda/Occupancy.h"

#include <algorithm>
#include <cstdint>

#include "cuda/Driver.h"

namespace graphprof::driver {

namespace {

constexpr int warpThreads = 32;
// Five for each of four schedulers. Of kernels that only multiplied and added, those with 20 warps
// on each multiprocessor let another block run at once, and most with 24 did not for half of their
// time (H100).
constexpr std::uint64_t warpsThatLeaveTime = 20;
constexpr int spareRegisters = 32; // of each thread of the spare block
constexpr int registerUnit = 256;  // a warp gets registers in these units
// A thread with fewer counts as having these, the most that a stamp's thread takes. So such a
// kernel could start in a few hundred registers where a stamp cannot; none was seen to need that.
constexpr int fewestRegisters = 16;
constexpr std::size_t reservedShared = 1024; // reserved in each block for the system
// The least shared memory with which a multiprocessor is set up: blocks of 256 threads and more
// without shared memory start beside each other, whatever their size (H200).
constexpr std::size_t smallestSetUp = 8 * reservedShared;

int roundedUp(int value, int unit) { return (value + unit - 1) / unit * unit; }

Function functionOf(Function function, Kernel kernel) {
  if (!function && kernel && !ok(cu().kernelGetFunction(&function, kernel)))
    function = nullptr;
  return function;
}

// The node's own, if the grid names none.
Function functionOf(Node kernel, const Grid &grid) {
  Function function = functionOf(grid.function, grid.kernel);
  if (KernelNodeParams params{}; !function && ok(cu().graphKernelNodeGetParams(kernel, &params)))
    function = functionOf(params.function, params.kernel);
  return function;
}

// Of a block.
int registersOf(unsigned threads, int registers) {
  return roundedUp(static_cast<int>(threads), warpThreads) / warpThreads *
         roundedUp(registers * warpThreads, registerUnit);
}

// The number of blocks in a cluster; 1: no clusters.
unsigned clusterSizeOf(Node kernel, Function function) {
  LaunchAttributeValue value{};
  if (ok(cu().graphKernelNodeGetAttribute(kernel, clusterDimension, &value)) &&
      value.clusterDimension.x > 0)
    return value.clusterDimension.x * value.clusterDimension.y * value.clusterDimension.z;
  unsigned size = 1; // set when the kernel was compiled
  for (const FunctionAttribute attribute :
       {FunctionAttribute::ClusterWidth, FunctionAttribute::ClusterHeight,
        FunctionAttribute::ClusterDepth})
    if (int blocks = 0; ok(cu().functionGetAttribute(&blocks, attribute, function)) && blocks > 0)
      size *= static_cast<unsigned>(blocks);
  return size;
}

} // namespace

std::optional<Grid> Occupancy::gridOf(Node kernel) {
  KernelNodeParams params{};
  if (!ok(cu().graphKernelNodeGetParams(kernel, &params)))
    return std::nullopt;
  return Grid{params.function, params.kernel,
              static_cast<std::uint64_t>(params.gridX) * params.gridY * params.gridZ,
              params.blockX * params.blockY * params.blockZ, params.sharedBytes};
}

bool Occupancy::coversBlock(Node kernel, unsigned threads, int registers) {
  const std::optional<Grid> grid = gridOf(kernel);
  return grid && coversBlock(kernel, *grid, threads, registers);
}

// Its threads must be as many, too: the fewer threads a block has, the more blocks a multiprocessor
// is set up for, and the more shared memory that takes.
bool Occupancy::coversBlock(Node kernel, const Grid &grid, unsigned threads, int registers) {
  const Function function = functionOf(kernel, grid);
  int own = 0;
  return function && ok(cu().functionGetAttribute(&own, FunctionAttribute::Registers, function)) &&
         grid.threads >= threads &&
         registersOf(grid.threads, std::max(own, fewestRegisters)) >=
             registersOf(threads, registers);
}

// 0: unknown.
int Occupancy::clustersAtOnce(Node kernel, const Grid &grid) {
  const Function function = functionOf(kernel, grid);
  LaunchAttribute attribute{};
  attribute.id = clusterDimension;
  attribute.value.clusterDimension = {clusterSizeOf(kernel, function), 1, 1};
  LaunchConfig config{};
  config.gridX = static_cast<unsigned>(grid.blocks);
  config.blockX = grid.threads;
  config.gridY = config.gridZ = config.blockY = config.blockZ = 1;
  config.sharedBytes = grid.sharedBytes;
  config.attributes = &attribute;
  config.attributeCount = 1;
  int clusters = 0;
  return ok(cu().occupancyMaxActiveClusters(&clusters, function, &config)) ? std::max(clusters, 0)
                                                                           : 0;
}

bool Occupancy::fitsInPlace(Node kernel, Function other, unsigned spareThreads, int registers) {
  const std::optional<Grid> own = gridOf(kernel);
  if (!own)
    return false;
  Grid instead = *own;
  instead.function = other;
  const unsigned clusterSize = clusterSizeOf(kernel, functionOf(kernel, *own));
  if (clusterSizeOf(kernel, other) != clusterSize)
    return false;
  const auto atOnce = [&](const Grid &grid) {
    return clusterSize > 1 ? std::uint64_t{clusterSize} *
                                 static_cast<std::uint64_t>(clustersAtOnce(kernel, grid))
                           : resident(kernel, grid);
  };
  const std::uint64_t owns = atOnce(*own), others = atOnce(instead);
  const unsigned threads = std::min(spareThreads, own->threads);
  return others > 0 && (own->blocks > owns || own->blocks <= others) &&
         (!leavesRoom(kernel, *own, spareThreads) || leavesRoom(kernel, instead, spareThreads)) &&
         (!coversBlock(kernel, *own, threads, registers) ||
          coversBlock(kernel, instead, threads, registers));
}

bool Occupancy::needsNoMore(Node kernel, Function other) {
  const std::optional<Grid> grid = gridOf(kernel);
  if (!grid)
    return false;
  const Function own = functionOf(kernel, *grid);
  int owns = 0, others = 0, ownShared = 0, otherShared = 0;
  using enum FunctionAttribute;
  return own && ok(cu().functionGetAttribute(&owns, Registers, own)) &&
         ok(cu().functionGetAttribute(&others, Registers, other)) &&
         ok(cu().functionGetAttribute(&ownShared, StaticSharedBytes, own)) &&
         ok(cu().functionGetAttribute(&otherShared, StaticSharedBytes, other)) &&
         registersOf(grid->threads, others) <= registersOf(grid->threads, owns) &&
         otherShared <= ownShared;
}

bool Occupancy::leavesRoom(Node kernel, unsigned spareThreads) {
  const std::optional<Grid> grid = gridOf(kernel);
  return grid && leavesRoom(kernel, *grid, spareThreads);
}

bool Occupancy::leavesRoom(Node kernel, const Grid &grid, unsigned spareThreads) {
  const Function function = functionOf(kernel, grid);
  if (!function)
    return false;
  if (const unsigned clusterSize = clusterSizeOf(kernel, function); clusterSize > 1)
    return grid.blocks / clusterSize < static_cast<std::uint64_t>(clustersAtOnce(kernel, grid));
  const Blocks fitting = blocksOf(function, grid.threads, grid.sharedBytes, spareThreads);
  const auto everywhere = [&](int blocks) {
    return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(device_.numSms);
  };
  // Blocks are spread evenly, so a multiprocessor has as few as the others, or one less.
  return grid.blocks <= everywhere(fitting.most) && grid.blocks < everywhere(fitting.beside + 1) &&
         (grid.blocks < everywhere(1) ||
          isSetUpFor(function, fitting.most, grid.sharedBytes, spareThreads));
}

bool Occupancy::leavesTime(const Grid &grid) const {
  const std::uint64_t warps = (grid.threads + warpThreads - 1) / warpThreads;
  return device_.numSms > 0 &&
         grid.blocks / static_cast<std::uint64_t>(device_.numSms) * warps <= warpsThatLeaveTime;
}

std::uint64_t Occupancy::resident(Node kernel, const Grid &grid) {
  const Function function = functionOf(kernel, grid);
  if (!function || clusterSizeOf(kernel, function) > 1)
    return 0;
  const auto [at, isNew] = most_.try_emplace({function, grid.threads, grid.sharedBytes});
  if (isNew && !ok(cu().occupancyMaxActiveBlocks(&at->second, function,
                                                 static_cast<int>(grid.threads), grid.sharedBytes)))
    at->second = 0;
  return static_cast<std::uint64_t>(std::max(at->second, 0)) *
         static_cast<std::uint64_t>(std::max(device_.numSms, 0));
}

// A multiprocessor is set up with shared memory for as many blocks of the running kernel as fit,
// and for no more until it is idle. Is that enough for blocks of `spareThreads`?
bool Occupancy::isSetUpFor(Function function, int blocks, std::size_t sharedBytes,
                           unsigned spareThreads) const {
  int mostBlocks = 0, fixedShared = 0;
  if (!ok(cu().deviceGetAttribute(&mostBlocks, DeviceAttribute::BlocksPerMultiprocessor,
                                  device_.id)) ||
      !ok(cu().functionGetAttribute(&fixedShared, FunctionAttribute::StaticSharedBytes, function)))
    return false;
  const int spareBlocks =
      std::min(mostBlocks, device_.maxThreadsPerMultiprocessor / static_cast<int>(spareThreads));
  const std::size_t setUp = static_cast<std::size_t>(blocks) *
                            (static_cast<std::size_t>(fixedShared) + sharedBytes + reservedShared);
  return static_cast<std::size_t>(spareBlocks) * reservedShared <= std::max(setUp, smallestSetUp);
}

Occupancy::Blocks Occupancy::blocksOf(Function function, unsigned threads, std::size_t sharedBytes,
                                      unsigned spareThreads) {
  const auto [at, isNew] = known_.try_emplace({function, threads, sharedBytes, spareThreads});
  Blocks &blocks = at->second;
  if (!isNew)
    return blocks;
  if (!ok(cu().occupancyMaxActiveBlocks(&blocks.most, function, static_cast<int>(threads),
                                        sharedBytes)))
    blocks.most = 0;
  blocks.beside = blocks.most;
  while (blocks.beside >= 0 &&
         !roomBeside(function, blocks.beside, threads, sharedBytes, spareThreads))
    --blocks.beside;
  return blocks;
}

// A multiprocessor has this number of blocks. Is there still room for the spare one?
bool Occupancy::roomBeside(Function function, int blocks, unsigned threads, std::size_t sharedBytes,
                           unsigned spareThreads) const {
  int mostBlocks = 0, registers = 0, fixedShared = 0;
  if (!ok(cu().deviceGetAttribute(&mostBlocks, DeviceAttribute::BlocksPerMultiprocessor,
                                  device_.id)) ||
      !ok(cu().functionGetAttribute(&registers, FunctionAttribute::Registers, function)) ||
      !ok(cu().functionGetAttribute(&fixedShared, FunctionAttribute::StaticSharedBytes, function)))
    return false;
  const int warps = roundedUp(static_cast<int>(threads), warpThreads) / warpThreads;
  const int spare = static_cast<int>(spareThreads);
  const std::size_t taken = static_cast<std::size_t>(blocks) *
                            (static_cast<std::size_t>(fixedShared) + sharedBytes + reservedShared);
  return blocks < mostBlocks &&
         blocks * warps * warpThreads + spare <= device_.maxThreadsPerMultiprocessor &&
         blocks * registersOf(threads, registers) + registersOf(spareThreads, spareRegisters) <=
             device_.regsPerMultiprocessor &&
         taken + reservedShared <= static_cast<std::size_t>(device_.sharedMemPerMultiprocessor);
}

} // namespace graphprof::driver
