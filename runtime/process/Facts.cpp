// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Facts.h"

#include <fstream>
#include <sstream>
#include <string>

#include "cuda/Driver.h"
#include "graphprof/backend.h"
#include "output/data/Run.h"
#include "output/io/Json.h"
#include "output/io/JsonWriter.h"
#include "process/Process.h"

namespace graphprof {

namespace {

// "580.159.04" of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...".
std::string kernelDriverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return {};
}

} // namespace

Session::Facts facts() {
  std::string devices;
  JsonWriter json(devices);
  json.beginArray();
  const auto known = process().devices.known();
  for (const driver::DeviceProperties &device : known)
    json.beginObject()
        .member<"id">(device.id)
        .member<"name">(device.name)
        .member<"totalGlobalMem">(device.totalGlobalMem)
        .member<"computeMajor">(device.computeMajor)
        .member<"computeMinor">(device.computeMinor)
        .member<"maxThreadsPerBlock">(device.maxThreadsPerBlock)
        .member<"maxThreadsPerMultiprocessor">(device.maxThreadsPerMultiprocessor)
        .member<"regsPerBlock">(device.regsPerBlock)
        .member<"warpSize">(device.warpSize)
        .member<"sharedMemPerBlock">(device.sharedMemPerBlock)
        .member<"numSms">(device.numSms)
        .member<"regsPerMultiprocessor">(device.regsPerMultiprocessor)
        .member<"sharedMemPerBlockOptin">(device.sharedMemPerBlockOptin)
        .member<"sharedMemPerMultiprocessor">(device.sharedMemPerMultiprocessor)
        .member<"clockRateKhz">(device.clockRateKhz)
        .member<"memoryClockRateKhz">(device.memoryClockRateKhz)
        .member<"memoryBusWidth">(device.memoryBusWidth)
        .endObject();
  json.endArray();
  Session::Facts found;
  found.emplace_back(backendKey, jsonString(graphprof_backend_chosen()->name));
  if (!known.empty()) {
    found.emplace_back("deviceProperties", devices);
    if (int version = 0; driver::functions() && driver::ok(driver::cu().driverGetVersion(&version)))
      found.emplace_back(cudaVersionKey, std::to_string(version));
    if (const std::string version = kernelDriverVersion(); !version.empty())
      found.emplace_back(driverVersionKey, jsonString(version));
  }
  if (const Run &run = thisRun(); run.ranks > 0) { // in the form of PyTorch's traces
    std::string ranks;
    JsonWriter(ranks)
        .beginObject()
        .member<"rank">(run.rank)
        .member<"world_size">(run.ranks)
        .endObject();
    found.emplace_back("distributedInfo", ranks);
  }
  if (!driver::functions())
    found.emplace_back(noDriverKey, jsonString(driver::whyNot()));
  return found;
}

} // namespace graphprof
