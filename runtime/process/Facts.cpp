// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Facts.h"

#include <string>

#include <fmt/format.h>

#include "clock/Device.h"
#include "cuda/Driver.h"
#include "graphprof/backend.h"
#include "output/data/Run.h"
#include "output/io/Json.h"

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
  Session::Facts found;
  found.emplace_back(backendKey, jsonString(graphprof_backend_chosen()->name));
  if (!devices.empty())
    found.emplace_back("deviceProperties", '[' + devices + ']');
  if (const Run &run = thisRun(); run.ranks > 0) // in the form of PyTorch's traces
    found.emplace_back("distributedInfo",
                       fmt::format(R"({{"rank":{},"world_size":{}}})", run.rank, run.ranks));
  if (!driver::functions())
    found.emplace_back(noDriverKey, jsonString(driver::whyNot()));
  return found;
}

} // namespace graphprof
