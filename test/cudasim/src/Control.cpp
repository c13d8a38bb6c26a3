// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements cudasim.h, which controls the device from tests.

#include "Call.h"
#include "Device.h"
#include "Properties.h"
#include "cudasim/cudasim.h"

namespace cudasim {
namespace {

KernelTable::Rule rule(std::vector<std::size_t> sizes, KernelBody body, std::uint64_t durationNs) {
  KernelDuration duration;
  if (durationNs != kDefaultDuration)
    duration = [durationNs](void **) { return durationNs; };
  return {std::move(sizes), std::move(body), std::move(duration)};
}

template <typename F> auto locked(F &&f) {
  Device &device = cudasim::device();
  std::lock_guard guard(device.lock);
  return f(device);
}

} // namespace

void registerKernel(std::string_view name, std::vector<std::size_t> paramSizes, KernelBody body,
                    std::uint64_t durationNs) {
  locked([&](Device &d) {
    d.kernels.setRule(std::string(name), rule(std::move(paramSizes), std::move(body), durationNs));
  });
}

void registerKernelAt(const void *function, std::vector<std::size_t> paramSizes, KernelBody body,
                      std::uint64_t durationNs) {
  locked([&](Device &d) {
    d.kernels.setRule(function, rule(std::move(paramSizes), std::move(body), durationNs));
  });
}

void registerKernel(std::string_view name, std::vector<std::size_t> paramSizes, KernelBody body,
                    KernelDuration duration) {
  locked([&](Device &d) {
    d.kernels.setRule(std::string(name),
                      {std::move(paramSizes), std::move(body), std::move(duration)});
  });
}

void setKernelDuration(std::string_view name, std::uint64_t durationNs) {
  locked([&](Device &d) { d.kernels.setDuration(std::string(name), durationNs); });
}

void setKernelDurationAt(const void *function, std::uint64_t durationNs) {
  locked([&](Device &d) { d.kernels.setDuration(function, durationNs); });
}

void setKernelOverlap(std::string_view name, Overlap overlap) {
  locked([&](Device &d) { d.kernels.setOverlap(std::string(name), overlap); });
}

void setKernelResources(std::string_view name, Resources resources) {
  locked([&](Device &d) { d.kernels.setResources(std::string(name), resources); });
}

void setKernelHandles(KernelHandle handle) {
  locked([&](Device &d) { d.kernels.handlesOfNodes = handle; });
}

std::uint64_t nowNs() {
  return locked([](Device &d) { return d.clock.now(); });
}

void advanceNs(std::uint64_t ns) {
  locked([&](Device &d) { d.clock.spend(ns); });
}

void setLaunchGap(std::uint64_t ns) {
  std::lock_guard lock(device().lock);
  device().launchGapNs = ns;
}

void setCallCost(std::uint64_t ns) {
  locked([&](Device &d) { d.callCostNs = ns; });
}

void failCall(std::string_view function, unsigned nth, int error) {
  locked([&](Device &d) {
    d.failures.emplace(std::string(function), Device::Order{nth ? nth : 1, error});
  });
}

std::size_t useL2(const void *data, std::size_t bytes) {
  return locked([&](Device &d) { return d.l2.use(data, bytes); });
}

void setSmClock(std::function<std::uint64_t(std::uint64_t ns)> cyclesAt) {
  locked([&](Device &d) { d.smCyclesAt = std::move(cyclesAt); });
}

std::uint64_t smCyclesAt(std::uint64_t ns) {
  return locked(
      [&](Device &d) { return d.smCyclesAt ? d.smCyclesAt(ns) : ns * kSmClockMHz / 1000; });
}

void setFreeMemory(std::size_t bytes) {
  locked([&](Device &d) { d.allMemory = bytes + memoryTaken(d); });
}

unsigned callCount(std::string_view function) {
  return locked([&](Device &d) {
    auto at = d.callCounts.find(function);
    return at == d.callCounts.end() ? 0u : at->second;
  });
}

void recordTimeline(bool on) {
  locked([&](Device &d) {
    d.recording = on;
    if (on)
      d.executed.clear();
  });
}

std::vector<Executed> timeline() {
  return locked([](Device &d) { return d.executed; });
}

void hold(std::string_view kernel) {
  std::vector<std::function<void()>> effects;
  locked([&](Device &d) {
    d.heldKernel = kernel;
    if (!kernel.empty())
      return;
    d.heldFromNs = ~std::uint64_t{0};
    effects.swap(d.held);
  });
  runEffects(effects);
}

void reset() {
  std::vector<std::function<void()>> effects; // destructors of user objects
  locked([&](Device &d) {
    d.reset();
    effects.swap(d.effects);
  });
  runEffects(effects);
  lastError() = cudaSuccess;
}

} // namespace cudasim
