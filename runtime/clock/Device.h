// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof keeps for each CUDA context: the stamp kernels' control blocks, pools of rings and
// events, and how the device's times lie on the host's axis. It knows nothing of graphs and
// regions.
//
// Ownership: a Device is made at first use of its context and never freed, since freeing device or
// pinned memory can synchronise. After cudaDeviceReset the context has another id, so that it gets
// another Device.

#ifndef GRAPHPROF_CLOCK_DEVICE_H
#define GRAPHPROF_CLOCK_DEVICE_H

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "clock/StampLayout.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// A piece of pinned host memory, seen from both sides.
struct Pinned {
  std::uint64_t *host = nullptr;
  driver::DevicePointer device = 0;
  std::size_t words = 0;
  bool zeroed = true; ///< nobody has written to it yet
};

class Device {
public:
  /// The device of the context that is current on this thread; null where there is none.
  static Device *current();

  [[nodiscard]] driver::Context context() const { return context_; }
  /// The CUDA ordinal.
  [[nodiscard]] int ordinal() const { return ordinal_; }

  /// Loads the stamp kernels for this context. Safe during a capture. False where they cannot run.
  bool loadStamps();
  [[nodiscard]] driver::Kernel rootKernel() const { return root_; }
  [[nodiscard]] driver::Kernel stampKernel() const { return stamp_; }
  [[nodiscard]] driver::Kernel finalKernel() const { return final_; }
  [[nodiscard]] driver::Kernel lastKernel() const { return last_; }

  /// A control block and the sequence that it stands at. Index noControl: all are taken.
  struct Control {
    std::uint32_t index;
    std::uint64_t sequence;
  };
  static constexpr std::uint32_t noControl = UINT32_MAX;
  Control takeControl();
  void returnControl(Control control);
  [[nodiscard]] driver::DevicePointer controlAddress(std::uint32_t index) const {
    return controls_ + static_cast<driver::DevicePointer>(index) * sizeof(StampControl);
  }

  /// At least `words` 64-bit words, zeroed or not. Null host pointer: no memory.
  Pinned takePinned(std::size_t words);
  void returnPinned(Pinned memory);

  /// A timing event; null where CUDA refuses.
  driver::Event takeEvent();
  void returnEvent(driver::Event event);

  /// Learns where the device's timer and events lie on the host's axis, once. Waits for a tiny
  /// kernel on a stream of its own, at most two milliseconds each. Runs under relaxed capture mode:
  /// the program's first capture may be going on.
  void align();
  /// The smallest step of the device's timer seen while aligning, ns; 0: not known.
  [[nodiscard]] std::int64_t timerStepNs() const { return timerStepNs_.load(); }
  /// A stamp on the host's axis.
  [[nodiscard]] std::int64_t stampToHost(std::uint64_t stampNs) const {
    return static_cast<std::int64_t>(stampNs) + stampOffsetNs_.load(std::memory_order_relaxed);
  }
  /// A finished event on the host's axis. False where it cannot be said.
  bool eventToHost(driver::Event event, std::int64_t &ns);
  /// Offers a finished event, given with its time, as the new anchor: elapsed times are floats,
  /// exact to a few nanoseconds only for some seconds. Takes the event over where it returns true.
  bool offerAnchor(driver::Event event, std::int64_t ns);

private:
  explicit Device(driver::Context context);
  void alignStamps(driver::Stream stream);

  const driver::Context context_;
  int ordinal_ = -1;

  std::mutex mutex_; // guards everything below that is no atomic
  bool stampsTried_ = false;
  driver::Kernel root_ = nullptr, stamp_ = nullptr, final_ = nullptr, last_ = nullptr,
                 align_ = nullptr;
  driver::DevicePointer controls_ = 0;
  std::uint32_t nextControl_ = 0;
  std::vector<Control> freeControls_;
  std::multimap<std::size_t, Pinned> freePinned_; // by words
  std::vector<driver::Event> freeEvents_;

  bool aligned_ = false;
  std::atomic<std::int64_t> stampOffsetNs_{0};
  std::atomic<std::int64_t> timerStepNs_{0};
  driver::Event anchor_ = nullptr;
  std::int64_t anchorNs_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICE_H
