// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof keeps for each CUDA context: the stamp kernels with their control blocks, pools of
// rings and events, and the alignment with the host. Does not know graphs or regions.
//
// Ownership: a Device is made at first use of its context and never freed, because freeing device
// or pinned memory can synchronize. cudaDeviceReset gives the context another id, and so another
// Device. When the program ends a context, its Device ends with it: no call names it any more.

#ifndef GRAPHPROF_CLOCK_DEVICE_H
#define GRAPHPROF_CLOCK_DEVICE_H

#include <atomic>
#include <vector>

#include "Mutex.h"
#include "clock/Alignment.h"
#include "clock/DeviceMemoryPool.h"
#include "clock/EdgeTrial.h"
#include "clock/EventPool.h"
#include "clock/GraphEvents.h"
#include "clock/PinnedPool.h"
#include "clock/StampControls.h"
#include "clock/StampKernels.h"
#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Device {
public:
  /// The device of this thread's current context, or null without one.
  static Device *current();
  /// The device of `context`, which must be current on this thread; null if `context` is null.
  static Device *of(driver::Context context);
  /// What the driver said about each device used so far, once each, ordered by ordinal. Makes no
  /// CUDA call. Any thread may call it.
  [[nodiscard]] static std::vector<driver::DeviceProperties> known();

  /// Null once it has ended, so that nothing makes it current.
  [[nodiscard]] driver::Context context() const noexcept {
    return hasEnded_.load(std::memory_order_acquire) ? nullptr : context_;
  }
  /// Whether the program has neither ended the context nor reset the device. After that its events
  /// and the program's streams are gone, and the driver crashes if it is given one. Asks the driver
  /// about a context only until it has ended.
  [[nodiscard]] bool isAlive() const noexcept;
  /// What ends at once: a context; or, without one, the primary context of the device `ordinal`
  /// with its green contexts, which share its memory. A negative ordinal: of any device.
  struct Ending {
    driver::Context context = nullptr;
    int ordinal = -1;
  };
  /// Those that end, and have not ended yet. Makes no CUDA call.
  [[nodiscard]] static std::vector<Device *> thatEnd(const Ending &ending);
  /// They end. Needs no memory, and makes no CUDA call.
  static void end(const Ending &ending) noexcept;
  [[nodiscard]] const driver::DeviceProperties &properties() const { return properties_; }
  /// The CUDA ordinal.
  [[nodiscard]] int ordinal() const { return ordinal_; }

  /// Loads the stamp kernels for this context. Safe during a capture. Returns false if they cannot
  /// run.
  bool loadStamps();
  /// Valid once loadStamps() has worked; after that it does not change.
  [[nodiscard]] const StampKernels &stamps() const { return stamps_; }
  [[nodiscard]] StampControls &controls() { return controls_; }
  [[nodiscard]] PinnedPool &pinned() { return pinned_; }
  [[nodiscard]] DeviceMemoryPool &memory() { return memory_; }
  [[nodiscard]] EventPool &events() { return events_; }
  /// Those that graphs record.
  [[nodiscard]] GraphEvents &graphEvents() { return graphEvents_; }

  /// Maps the device's times to the host's axis.
  Alignment &alignment() { return alignment_; }
  /// Aligns it, once.
  void align();
  /// What stamps on launch completion read here. Valid once loadStamps() has worked.
  EdgeTrial &edgeTrial() { return edgeTrial_; }

private:
  struct Known;
  [[nodiscard]] bool endsWith(const Ending &ending) const;
  Device(Known &known, driver::Context context, unsigned long long contextId);

  Known &known_;
  const driver::Context context_;
  const unsigned long long contextId_;
  std::atomic<bool> hasEnded_{false};
  int ordinal_ = -1;
  bool endsWithPrimary_ = true;
  driver::DeviceProperties properties_; // never changes

  Mutex mutex_;
  bool stampsTried_ GUARDED_BY(mutex_) = false;
  StampKernels stamps_; // only loadStamps() sets it, under mutex_
  StampControls controls_;
  PinnedPool pinned_;
  DeviceMemoryPool memory_;
  EventPool events_{*this};
  GraphEvents graphEvents_;
  Alignment alignment_{*this};
  EdgeTrial edgeTrial_{*this};
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICE_H
