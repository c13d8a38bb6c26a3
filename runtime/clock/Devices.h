// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The devices of a process, by their contexts, and what they share. Does not know graphs or
// regions.

#ifndef GRAPHPROF_CLOCK_DEVICES_H
#define GRAPHPROF_CLOCK_DEVICES_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "Mutex.h"
#include "clock/Device.h"
#include "clock/StampControls.h"
#include "clock/StampKernels.h"
#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// Any thread may call any member. Its devices live as long as it does; the process' own is never
/// destroyed (Process.h).
class Devices {
public:
  Devices() = default;
  Devices(const Devices &) = delete;
  Devices &operator=(const Devices &) = delete;

  /// The device of this thread's current context, or null without one.
  Device *current() EXCLUDES(mutex_);
  /// The device of `context`, which must be current on this thread; null if `context` is null.
  Device *of(driver::Context context) EXCLUDES(mutex_);
  /// What the driver said about each device used so far, once each, ordered by ordinal. Makes no
  /// CUDA call.
  [[nodiscard]] std::vector<driver::DeviceProperties> known() EXCLUDES(mutex_);

  /// Is `event` the one that timing nodes of a graph hold until a launch?
  [[nodiscard]] bool havePlaceholder(driver::Event event) EXCLUDES(mutex_);

  /// Those that end, and have not ended yet. Makes no CUDA call.
  [[nodiscard]] std::vector<Device *> thatEnd(const Device::Ending &ending) EXCLUDES(mutex_);
  /// They end. Needs no memory, and makes no CUDA call.
  void end(const Device::Ending &ending) noexcept EXCLUDES(mutex_);

  /// What the devices share. Each has its own lock.
  [[nodiscard]] StampLibrary &stampLibrary() { return library_; }
  [[nodiscard]] ControlCounts &controlCounts() { return controls_; }

private:
  static std::uint64_t nextNumber();

  const std::uint64_t number_ = nextNumber(); // no other Devices has it, now or later
  Mutex mutex_;
  std::map<unsigned long long, std::unique_ptr<Device>>
      byContextId_ GUARDED_BY(mutex_); // CUDA never gives an id out twice
  StampLibrary library_;
  ControlCounts controls_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICES_H
