// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof keeps for each CUDA context: the stamp kernels with their control blocks, pools of
// rings and events, and the alignment with the host. Does not know graphs or regions.
//
// Ownership: Devices makes one at first use of its context. It never frees device or pinned memory,
// because that can synchronize. cudaDeviceReset gives the context another id, and so another
// Device. When the program ends a context, its Device ends with it: no call names it any more.

#ifndef GRAPHPROF_CLOCK_DEVICE_H
#define GRAPHPROF_CLOCK_DEVICE_H

#include <atomic>

#include "Mutex.h"
#include "clock/Alignment.h"
#include "clock/DeviceMemoryPool.h"
#include "clock/EdgeTrial.h"
#include "clock/EventPool.h"
#include "clock/GraphEvents.h"
#include "clock/PinnedPool.h"
#include "clock/StampControls.h"
#include "clock/StampKernels.h"
#include "clock/look/Peek.h"
#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Devices;

class Device {
public:
  /// That of `context`, which is current and has this id. `all` outlives it.
  Device(Devices &all, driver::Context context, unsigned long long contextId);

  /// Those among which it is.
  [[nodiscard]] Devices &all() const { return all_; }

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
  /// Whether it ends then, and has not ended yet.
  [[nodiscard]] bool endsWith(const Ending &ending) const;
  /// It has ended.
  void end() noexcept { hasEnded_.store(true, std::memory_order_release); }
  [[nodiscard]] const driver::DeviceProperties &properties() const { return properties_; }
  /// The CUDA ordinal.
  [[nodiscard]] int ordinal() const { return ordinal_; }

  /// Whether all that waits for the device has been done here (Graphs::prepareContext()).
  [[nodiscard]] bool isPrepared() const noexcept {
    return isPrepared_.load(std::memory_order_relaxed);
  }
  void prepared() noexcept { isPrepared_.store(true, std::memory_order_relaxed); }

  /// Loads the stamp kernels for this context. Safe during a capture. Returns false if they cannot
  /// run.
  bool loadStamps();
  /// Valid once loadStamps() has worked; after that it does not change.
  [[nodiscard]] const StampKernels &stamps() const { return stamps_; }
  [[nodiscard]] StampControls &controls() { return controls_; }
  [[nodiscard]] PinnedPool &pinned() { return pinned_; }
  [[nodiscard]] DeviceMemoryPool &memory() { return memory_; }
  [[nodiscard]] StampEntries &entries() { return entries_; }
  /// What reads its memory while kernels run.
  [[nodiscard]] Peek &peek() { return peek_; }
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
  Devices &all_;
  const driver::Context context_;
  const unsigned long long contextId_;
  std::atomic<bool> hasEnded_{false}, isPrepared_{false};
  int ordinal_ = -1;
  bool endsWithPrimary_ = true;
  driver::DeviceProperties properties_; // never changes

  Mutex mutex_;
  bool stampsTried_ GUARDED_BY(mutex_) = false;
  StampKernels stamps_; // only loadStamps() sets it, under mutex_
  StampControls controls_;
  PinnedPool pinned_;
  DeviceMemoryPool memory_;
  StampEntries entries_;
  Peek peek_{*this};
  EventPool events_{*this};
  GraphEvents graphEvents_;
  Alignment alignment_{*this};
  EdgeTrial edgeTrial_{*this};
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICE_H
