// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/DriverNames.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace graphprof::internal {
namespace {

struct RuntimeName {
  std::string_view driver, runtime;
};
constexpr std::array runtimeNames{
    RuntimeName{"cuArrayCreate", "cudaMallocArray"},
    RuntimeName{"cuArrayDestroy", "cudaFreeArray"},
    RuntimeName{"cuCtxSynchronize", "cudaDeviceSynchronize"},
    RuntimeName{"cuEventQuery", "cudaEventQuery"},
    RuntimeName{"cuEventSynchronize", "cudaEventSynchronize"},
    RuntimeName{"cuGraphExecDestroy", "cudaGraphExecDestroy"},
    RuntimeName{"cuGraphInstantiateWithFlags", "cudaGraphInstantiate"},
    RuntimeName{"cuGraphLaunch", "cudaGraphLaunch"},
    RuntimeName{"cuMemAlloc", "cudaMalloc"},
    RuntimeName{"cuMemAllocAsync", "cudaMallocAsync"},
    RuntimeName{"cuMemAllocHost", "cudaMallocHost"},
    RuntimeName{"cuMemAllocManaged", "cudaMallocManaged"},
    RuntimeName{"cuMemFree", "cudaFree"},
    RuntimeName{"cuMemFreeAsync", "cudaFreeAsync"},
    RuntimeName{"cuMemFreeHost", "cudaFreeHost"},
    RuntimeName{"cuMemHostAlloc", "cudaHostAlloc"},
    RuntimeName{"cuStreamEndCapture", "cudaStreamEndCapture"},
    RuntimeName{"cuStreamQuery", "cudaStreamQuery"},
    RuntimeName{"cuStreamSynchronize", "cudaStreamSynchronize"},
    RuntimeName{"cuStreamWaitEvent", "cudaStreamWaitEvent"},
};

} // namespace

std::string_view plainDriverName(std::string_view symbol) {
  for (const std::string_view variant : {"_ptsz", "_ptds"})
    if (symbol.ends_with(variant))
      symbol.remove_suffix(variant.size());
  if (symbol.size() > 3 && symbol.substr(symbol.size() - 3, 2) == "_v")
    symbol.remove_suffix(3);
  return symbol;
}

std::string driverNameOf(std::string_view symbol) {
  const std::string_view name = plainDriverName(symbol);
  const auto *const known = std::ranges::find(runtimeNames, name, &RuntimeName::driver);
  return known == runtimeNames.end() ? std::string(name)
                                     : fmt::format("{} ({})", name, known->runtime);
}

} // namespace graphprof::internal
