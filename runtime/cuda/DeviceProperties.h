// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A device's properties from the driver: those that Kineto writes into a trace.

#ifndef GRAPHPROF_CUDA_DEVICEPROPERTIES_H
#define GRAPHPROF_CUDA_DEVICEPROPERTIES_H

#include <cstdint>
#include <string>

namespace graphprof::driver {

/// What the driver does not tell is 0 or empty. Sizes are in bytes.
struct DeviceProperties {
  int id = 0; ///< the CUDA ordinal
  std::string name;
  std::uint64_t totalGlobalMem = 0;
  int computeMajor = 0, computeMinor = 0;
  int maxThreadsPerBlock = 0, maxThreadsPerMultiprocessor = 0;
  int regsPerBlock = 0, regsPerMultiprocessor = 0;
  int warpSize = 0, numSms = 0;
  int clockRateKhz = 0, memoryClockRateKhz = 0; ///< the highest
  int memoryBusWidth = 0;                       ///< in bits
  int sharedMemPerBlock = 0, sharedMemPerBlockOptin = 0, sharedMemPerMultiprocessor = 0;
};

/// Asks for properties that never change and that the driver has ready: takes a few microseconds
/// and does not affect captures. driver::functions() must not be null.
[[nodiscard]] DeviceProperties deviceProperties(int ordinal);

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_DEVICEPROPERTIES_H
