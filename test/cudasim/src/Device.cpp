// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one simulated device.

#include "Device.h"

#include "Capture.h"
#include "Context.h"
#include "Event.h"
#include "Exec.h"
#include "Graph.h"
#include "Properties.h"
#include "Stream.h"
#include "Versions.h"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

namespace cudasim {
namespace {

// A child process inherits the device between two calls. Otherwise it would wait for ever for a
// thread of its parent's that was in one. Registered first (CMakeLists.txt): what registers later
// has done its work before this lock is taken, or does it when the lock is free again.
[[maybe_unused]] const int atFork = pthread_atfork(
    [] { device().lock.lock(); }, [] { device().lock.unlock(); }, [] { device().lock.unlock(); });

// As the driver's: they look at the per-thread streams, which a forked child lacks.
pid_t owner = getpid();
[[gnu::destructor]] void endDriver() {
  if (getpid() != owner && device().usesPerThreadStreams())
    (void)raise(SIGSEGV);
}

} // namespace

Device &device() {
  static Device *const instance = new Device;
  return *instance;
}

Device::Device()
    : l2(static_cast<std::size_t>(deviceProperties().l2CacheSize)),
      allMemory(deviceProperties().totalGlobalMem) {
  legacyStream.kind = CUstream_st::Kind::Legacy;
  legacyStream.id = nextId();
}

CUstream_st &Device::perThreadStream() {
  // Nothing to destroy: a main thread that ends by pthread_exit() would leak it.
  thread_local CUstream_st *stream = nullptr;
  thread_local unsigned long long epoch = 0;
  if (epoch != epoch_) {
    epoch = epoch_;
    stream = perThreadStreams.emplace_back(std::make_shared<CUstream_st>()).get();
    stream->kind = CUstream_st::Kind::PerThread;
    stream->id = nextId();
  }
  return *stream;
}

CUstream_st *Device::stream(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy)
    return &legacyStream;
  if (handle == cudaStreamPerThread)
    return &perThreadStream();
  return streams.get(handle);
}

bool &Device::runtimeUsed() {
  thread_local bool used = false;
  return used;
}

void Device::note(std::string_view name, unsigned long long stream, std::uint64_t startNs,
                  std::uint64_t endNs) {
  if (recording)
    executed.push_back({std::string(name), stream, startNs, endNs});
}

cudaError_t Device::enter(std::string_view function) {
  clock.spend(callCostNs);
  auto count = callCounts.find(function);
  if (count == callCounts.end())
    count = callCounts.emplace(function, 0).first;
  ++count->second;

  cudaError_t error = needsNewerDriver(function) ? cudaErrorCallRequiresNewerDriver : cudaSuccess;
  auto [order, end] = failures.equal_range(function);
  while (order != end) {
    if (--order->second.remaining != 0) {
      ++order;
      continue;
    }
    error = static_cast<cudaError_t>(order->second.error);
    order = failures.erase(order);
  }
  return error;
}

void Device::endWith(const std::function<bool(const CUctx_st *)> &ends) {
  const auto isGone = [&](const auto &object) { return ends(object.context); };
  std::erase_if(captures, [&](const auto &capture) { return isGone(*capture->origin); });
  execs.removeForGoodIf(isGone);
  events.removeForGoodIf(isGone);
  streams.removeForGoodIf(isGone);
}

void Device::destroyObjects() {
  bool anyCreated = false;
  createdContexts.forEach([&](const CUctx_st &) { anyCreated = true; });
  if (anyCreated) {
    endWith([this](const CUctx_st *context) { return !createdContexts.get(context); });
    greenContexts.clear();
    ++epoch_;
    return;
  }
  captures.clear();
  execs.clear();
  graphs.clear();
  conditionals.clear();
  userObjects.clear();
  libraries.clear();
  mipmaps.clear();
  arrays.clear();
  events.clear();
  streams.clear();
  greenContexts.clear();
  perThreadStreams.clear();
  ++epoch_;
  legacyStream.tailNs = orphanTailNs = 0;
  memory.clear();
  graphPool = {};
}

void Device::reset() {
  createdContexts.clear();
  primaryRetains = 0;
  destroyObjects();
  virtualMemory.clear();
  kernels.forgetDurations();
  kernels.handlesOfNodes = KernelHandle::Function;
  failures.clear();
  callCounts.clear();
  recording = false;
  executed.clear();
  callCostNs = kDefaultCallCostNs;
  launchGapNs = 0;
  l2.clear();
  smCyclesAt = nullptr;
  heldKernel.clear();
  heldFromNs = ~std::uint64_t{0};
  held.clear();
  allMemory = deviceProperties().totalGlobalMem;
  clock.reset();
}

} // namespace cudasim
