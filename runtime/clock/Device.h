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
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "Mutex.h"
#include "clock/Alignment.h"
#include "clock/EdgeTrial.h"
#include "clock/StampLayout.h"
#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// A piece of pinned host memory, with its address on both sides.
struct Pinned {
  std::uint64_t *host = nullptr;
  driver::DevicePointer device = 0;
  std::size_t words = 0;
  bool zeroed = true; ///< never written
};

/// A piece of device memory.
struct DeviceMemory {
  driver::DevicePointer address = 0;
  std::size_t words = 0;
};

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
  [[nodiscard]] driver::Kernel rootKernel() const { return root_; }
  [[nodiscard]] driver::Kernel openKernel() const { return open_; }
  [[nodiscard]] driver::Kernel firstKernel() const { return first_; }
  [[nodiscard]] driver::Kernel stampKernel() const { return stamp_; }
  /// The stamp that waits for the end of the work before it; null if this device cannot run it.
  [[nodiscard]] driver::Kernel waitingStampKernel() const { return waitingStamp_; }
  /// The stamp that lets the kernel behind it begin at once; null likewise.
  [[nodiscard]] driver::Kernel triggeringStampKernel() const { return triggeringStamp_; }
  /// The stamp of a kernel's begin and end; null likewise.
  [[nodiscard]] driver::Kernel aroundKernel() const { return around_; }
  [[nodiscard]] driver::Kernel stampKernel(StampEdge edge) const {
    switch (edge) {
    case StampEdge::Programmatic:
      return waitingStamp_;
    case StampEdge::BeforeSuccessor:
      return triggeringStamp_;
    default:
      return stamp_;
    }
  }
  /// The same kernels as functions of this context, for launches.
  [[nodiscard]] driver::Function rootFunction() const { return rootFunction_; }
  [[nodiscard]] driver::Function stampFunction() const { return stampFunction_; }
  [[nodiscard]] driver::Kernel finalKernel() const { return final_; }
  [[nodiscard]] driver::Kernel lastKernel() const { return last_; }
  [[nodiscard]] driver::Kernel countKernel() const { return count_; }
  [[nodiscard]] driver::Kernel spanKernel() const { return span_; }
  [[nodiscard]] driver::Kernel publishWarpsKernel() const { return publishWarps_; }
  /// The most registers that a thread takes of those kernels for which nodes of the program may
  /// wait: the root, and the stamps at launch completion, at completion and in the chain.
  [[nodiscard]] int stampRegisters() const { return stampRegisters_; }

  /// A control block and its current sequence. Index noControl: all are taken.
  struct Control {
    std::uint32_t index;
    std::uint64_t sequence;
  };
  static constexpr std::uint32_t noControl = UINT32_MAX;
  Control takeControl();
  void returnControl(Control control) noexcept;
  /// A control block for a conditional node's body. The host never knows its sequence, so it serves
  /// only bodies.
  std::uint32_t takeBodyControl();
  void returnBodyControl(std::uint32_t index) noexcept;
  [[nodiscard]] driver::DevicePointer controlAddress(std::uint32_t index) const {
    return controls_ + static_cast<driver::DevicePointer>(index) * sizeof(StampControl);
  }

  /// At least `words` 64-bit words, zeroed or not. The host pointer is null if there is no memory.
  Pinned takePinned(std::size_t words);
  void returnPinned(Pinned memory) noexcept;

  /// At least `words` 64-bit words on the device, with any content. The address is 0 if there is no
  /// memory.
  DeviceMemory takeMemory(std::size_t words);
  void returnMemory(DeviceMemory memory) noexcept;

  /// The event that all timing nodes hold until a launch replaces it. Null if CUDA refuses.
  driver::Event placeholder();
  /// A timing event. Null if CUDA refuses or there is no memory.
  driver::Event takeEvent() noexcept;
  void returnEvent(driver::Event event) noexcept { returnEvents({&event, 1}); }
  /// Takes as many free events as `into` holds. If none is free, makes one, or none for the reasons
  /// above. Returns the number of events.
  std::size_t takeEvents(std::span<driver::Event> into) noexcept;
  /// Gives back events that were taken.
  void returnEvents(std::span<const driver::Event> events) noexcept;

  /// Maps the device's times to the host's axis.
  Alignment &alignment() { return alignment_; }
  /// Aligns it, once.
  void align();
  /// What stamps on launch completion read here. Valid once loadStamps() has worked.
  EdgeTrial &edgeTrial() { return edgeTrial_; }

private:
  struct Known;
  [[nodiscard]] bool endsWith(const Ending &ending) const;
  Device(driver::Context context, unsigned long long contextId);
  bool takeStamps(driver::Library library) REQUIRES(mutex_);

  const driver::Context context_;
  const unsigned long long contextId_;
  std::atomic<bool> hasEnded_{false};
  int ordinal_ = -1;
  bool endsWithPrimary_ = true;
  driver::DeviceProperties properties_; // never changes

  // Only loadStamps() sets them, under mutex_. After that call they are read without it.
  driver::Kernel root_ = nullptr, open_ = nullptr, first_ = nullptr, stamp_ = nullptr,
                 final_ = nullptr, last_ = nullptr, count_ = nullptr, align_ = nullptr,
                 waitingStamp_ = nullptr, triggeringStamp_ = nullptr, around_ = nullptr,
                 span_ = nullptr, publishWarps_ = nullptr;
  driver::Function rootFunction_ = nullptr, stampFunction_ = nullptr;
  int stampRegisters_ = 0;
  driver::DevicePointer controls_ = 0;

  Mutex mutex_;
  bool stampsTried_ GUARDED_BY(mutex_) = false;
  // Has capacity for all that were ever made, so that giving back needs no memory.
  std::uint32_t nextControl_ GUARDED_BY(mutex_) = 0;
  std::vector<Control> freeControls_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> freeBodyControls_ GUARDED_BY(mutex_);
  std::multimap<std::size_t, Pinned> freePinned_ GUARDED_BY(mutex_);       // by words
  std::multimap<std::size_t, DeviceMemory> freeMemory_ GUARDED_BY(mutex_); // by words
  driver::Event placeholder_ GUARDED_BY(mutex_) = nullptr;
  std::size_t madeEvents_ GUARDED_BY(mutex_) = 0;
  // Has capacity for all that were made, likewise.
  std::vector<driver::Event> freeEvents_ GUARDED_BY(mutex_);

  Alignment alignment_{*this};
  EdgeTrial edgeTrial_{*this};
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICE_H
