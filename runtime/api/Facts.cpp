// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/Facts.h"

#include <string>

#include <fmt/format.h>

#include "clock/Device.h"
#include "output/Json.h"

namespace graphprof {

Session::Facts facts() {
  std::string devices;
  for (const driver::DeviceProperties &device : Device::known())
    devices += fmt::format(
        R"({}{{"id":{},"name":{},"totalGlobalMem":{},"computeMajor":{},"computeMinor":{},)"
        R"("maxThreadsPerBlock":{},"maxThreadsPerMultiprocessor":{},"regsPerBlock":{},)"
        R"("warpSize":{},"sharedMemPerBlock":{},"numSms":{},"regsPerMultiprocessor":{},)"
        R"("sharedMemPerBlockOptin":{},"sharedMemPerMultiprocessor":{},"clockRateKhz":{},)"
        R"("memoryClockRateKhz":{},"memoryBusWidth":{}}})",
        devices.empty() ? "" : ",", device.id, jsonString(device.name), device.totalGlobalMem,
        device.computeMajor, device.computeMinor, device.maxThreadsPerBlock,
        device.maxThreadsPerMultiprocessor, device.regsPerBlock, device.warpSize,
        device.sharedMemPerBlock, device.numSms, device.regsPerMultiprocessor,
        device.sharedMemPerBlockOptin, device.sharedMemPerMultiprocessor, device.clockRateKhz,
        device.memoryClockRateKhz, device.memoryBusWidth);
  if (devices.empty())
    return {};
  return {{"deviceProperties", '[' + devices + ']'}};
}

} // namespace graphprof
