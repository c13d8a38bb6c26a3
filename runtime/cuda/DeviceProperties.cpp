// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "cuda/DeviceProperties.h"

#include <array>
#include <cstddef>

#include "cuda/Driver.h"

namespace graphprof::driver {

DeviceProperties deviceProperties(int ordinal) {
  DeviceProperties properties;
  properties.id = ordinal;
  std::array<char, 256> name{};
  if (ok(cu().deviceGetName(name.data(), static_cast<int>(name.size()) - 1, ordinal)))
    properties.name = name.data();
  if (std::size_t bytes = 0; ok(cu().deviceTotalMem(&bytes, ordinal)))
    properties.totalGlobalMem = bytes;
  struct Figure {
    DeviceAttribute attribute;
    int DeviceProperties::*member;
  };
  constexpr std::array figures = {
      Figure{DeviceAttribute::ComputeMajor, &DeviceProperties::computeMajor},
      Figure{DeviceAttribute::ComputeMinor, &DeviceProperties::computeMinor},
      Figure{DeviceAttribute::ThreadsPerBlock, &DeviceProperties::maxThreadsPerBlock},
      Figure{DeviceAttribute::ThreadsPerMultiprocessor,
             &DeviceProperties::maxThreadsPerMultiprocessor},
      Figure{DeviceAttribute::RegistersPerBlock, &DeviceProperties::regsPerBlock},
      Figure{DeviceAttribute::RegistersPerMultiprocessor, &DeviceProperties::regsPerMultiprocessor},
      Figure{DeviceAttribute::WarpSize, &DeviceProperties::warpSize},
      Figure{DeviceAttribute::Multiprocessors, &DeviceProperties::numSms},
      Figure{DeviceAttribute::ClockRate, &DeviceProperties::clockRateKhz},
      Figure{DeviceAttribute::MemoryClockRate, &DeviceProperties::memoryClockRateKhz},
      Figure{DeviceAttribute::MemoryBusWidth, &DeviceProperties::memoryBusWidth},
      Figure{DeviceAttribute::SharedBytesPerBlock, &DeviceProperties::sharedMemPerBlock},
      Figure{DeviceAttribute::SharedBytesPerBlockOptin, &DeviceProperties::sharedMemPerBlockOptin},
      Figure{DeviceAttribute::SharedBytesPerMultiprocessor,
             &DeviceProperties::sharedMemPerMultiprocessor},
  };
  for (const Figure &figure : figures)
    if (int value = 0; ok(cu().deviceGetAttribute(&value, figure.attribute, ordinal)))
      properties.*figure.member = value;
  return properties;
}

} // namespace graphprof::driver
