// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compares the simulation's occupancy with a toolkit's calculator, which needs no device. Built if
// there is a toolkit.

#include "Occupancy.h"
#include "Properties.h"

#include <cuda_occupancy.h>

#include <gtest/gtest.h>

namespace cudasim {
namespace {

cudaOccDeviceProp simulatedDevice() {
  const cudaDeviceProp &simulated = deviceProperties();
  cudaOccDeviceProp device{};
  device.computeMajor = simulated.major;
  device.computeMinor = simulated.minor;
  device.maxThreadsPerBlock = simulated.maxThreadsPerBlock;
  device.maxThreadsPerMultiprocessor = simulated.maxThreadsPerMultiProcessor;
  device.regsPerBlock = simulated.regsPerBlock;
  device.regsPerMultiprocessor = simulated.regsPerMultiprocessor;
  device.warpSize = simulated.warpSize;
  device.sharedMemPerBlock = simulated.sharedMemPerBlock;
  device.sharedMemPerMultiprocessor = simulated.sharedMemPerMultiprocessor;
  device.numSms = simulated.multiProcessorCount;
  device.sharedMemPerBlockOptin = simulated.sharedMemPerBlockOptin;
  device.reservedSharedMemPerBlock = 1 << 10;
  return device;
}

unsigned calculated(const BlockNeeds &block) {
  const cudaOccDeviceProp device = simulatedDevice();
  cudaOccFuncAttributes function{};
  function.maxThreadsPerBlock = 1024;
  function.numRegs = static_cast<int>(block.registersPerThread);
  function.partitionedGCConfig = PARTITIONED_GC_OFF;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = kMostSharedBytesPerBlock;
  function.numBlockBarriers = 1;
  cudaOccDeviceState state{};
  cudaOccResult result{};
  EXPECT_EQ(CUDA_OCC_SUCCESS, cudaOccMaxActiveBlocksPerMultiprocessor(
                                  &result, &device, &function, &state,
                                  static_cast<int>(block.threads), block.sharedBytes));
  return static_cast<unsigned>(result.activeBlocksPerMultiprocessor);
}

TEST(Occupancy, MatchesToolkitsCalculator) {
  // The numbers are the toolkit's for every shape of a block.
  for (unsigned threads : {1u, 32u, 33u, 64u, 96u, 128u, 160u, 256u, 384u, 512u, 640u, 768u, 1024u})
    for (unsigned registers : {1u, 16u, 24u, 32u, 33u, 40u, 64u, 72u, 96u, 128u, 168u, 255u})
      for (std::size_t shared :
           {0, 1, 128, 1000, 6272, 8 << 10, 48 << 10, 75 << 10, 113 << 10, 200'000, 227 << 10}) {
        const BlockNeeds block{threads, registers, shared};
        ASSERT_EQ(calculated(block), residentBlocks(block))
            << threads << " threads, " << registers << " registers, " << shared << " bytes";
      }
}

} // namespace
} // namespace cudasim
