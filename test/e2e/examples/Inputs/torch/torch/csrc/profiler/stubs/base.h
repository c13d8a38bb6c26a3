// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Stands in for PyTorch's header in tests on machines without PyTorch: the interface that its profiler calls.

#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace torch::profiler::impl {

using ProfilerVoidEventStub = std::shared_ptr<void>;

struct ProfilerStubs {
  virtual void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
                      int64_t *cpu_ns) const = 0;
  virtual float elapsed(const ProfilerVoidEventStub *event,
                        const ProfilerVoidEventStub *event2) const = 0;
  virtual void mark(const char *name) const = 0;
  virtual void rangePush(const char *name) const = 0;
  virtual void rangePop() const = 0;
  virtual bool enabled() const { return false; }
  virtual void onEachDevice(std::function<void(int)> op) const = 0;
  virtual void synchronize() const = 0;
  virtual ~ProfilerStubs() = default;
};

void registerCUDAMethods(ProfilerStubs *stubs);
const ProfilerStubs *cudaStubs();

} // namespace torch::profiler::impl
