// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof keeps for each CUDA context: the stamp kernels and their control blocks, pools of
// rings and events, and its alignment with the host. It knows nothing of graphs and regions.
//
// Ownership: a Device is made at first use of its context and never freed, since freeing device or
// pinned memory can synchronise. After cudaDeviceReset the context has another id, so that it gets
// another Device.

#ifndef GRAPHPROF_CLOCK_DEVICE_H
#define GRAPHPROF_CLOCK_DEVICE_H

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
  /// That of `context`, which is current on this thread; null where `context` is.
  static Device *of(driver::Context context);
  /// What the driver said of each device that was used so far, each once, by ordinal. Makes no CUDA
  /// call; any thread may ask.
  [[nodiscard]] static std::vector<driver::DeviceProperties> known();

  [[nodiscard]] driver::Context context() const { return context_; }
  /// Whether the program has not reset it since. Where it has, its events and the program's streams
  /// are gone, and the driver crashes where it is handed one.
  [[nodiscard]] bool isAlive() const noexcept;
  [[nodiscard]] const driver::DeviceProperties &properties() const { return properties_; }
  /// The CUDA ordinal.
  [[nodiscard]] int ordinal() const { return ordinal_; }

  /// Loads the stamp kernels for this context. Safe during a capture. False where they cannot run.
  bool loadStamps();
  [[nodiscard]] driver::Kernel rootKernel() const { return root_; }
  [[nodiscard]] driver::Kernel openKernel() const { return open_; }
  [[nodiscard]] driver::Kernel firstKernel() const { return first_; }
  [[nodiscard]] driver::Kernel stampKernel() const { return stamp_; }
  /// The one that waits for the end of what it follows; null where it does not run.
  [[nodiscard]] driver::Kernel waitingStampKernel() const { return waitingStamp_; }
  /// The one that stamps begin and end of a kernel; likewise.
  [[nodiscard]] driver::Kernel aroundKernel() const { return around_; }
  [[nodiscard]] driver::Kernel stampKernel(StampEdge edge) const {
    return edge == StampEdge::Programmatic ? waitingStamp_ : stamp_;
  }
  /// The same in this context, for launches.
  [[nodiscard]] driver::Function rootFunction() const { return rootFunction_; }
  [[nodiscard]] driver::Function stampFunction() const { return stampFunction_; }
  [[nodiscard]] driver::Kernel finalKernel() const { return final_; }
  [[nodiscard]] driver::Kernel lastKernel() const { return last_; }
  [[nodiscard]] driver::Kernel countKernel() const { return count_; }
  [[nodiscard]] driver::Kernel spanKernel() const { return span_; }

  /// A control block and the sequence that it stands at. Index noControl: all are taken.
  struct Control {
    std::uint32_t index;
    std::uint64_t sequence;
  };
  static constexpr std::uint32_t noControl = UINT32_MAX;
  Control takeControl();
  void returnControl(Control control) noexcept;
  /// One for the body of a conditional node, of which the host never knows where it stands; it
  /// serves no others.
  std::uint32_t takeBodyControl();
  void returnBodyControl(std::uint32_t index) noexcept;
  [[nodiscard]] driver::DevicePointer controlAddress(std::uint32_t index) const {
    return controls_ + static_cast<driver::DevicePointer>(index) * sizeof(StampControl);
  }

  /// At least `words` 64-bit words, zeroed or not. Null host pointer: no memory.
  Pinned takePinned(std::size_t words);
  void returnPinned(Pinned memory) noexcept;

  /// The event that nodes of graphs hold until a launch sets them to others: one for all. Null
  /// where CUDA refuses.
  driver::Event placeholder();
  /// A timing event; null where CUDA refuses, or there is no memory.
  driver::Event takeEvent() noexcept;
  void returnEvent(driver::Event event) noexcept { returnEvents({&event, 1}); }
  /// As many events as there are and `into` takes; where there are none, one that is made now, or
  /// nothing as above. Returns how many.
  std::size_t takeEvents(std::span<driver::Event> into) noexcept;
  /// Events that were taken.
  void returnEvents(std::span<const driver::Event> events) noexcept;

  /// Where its times lie on the host's axis.
  Alignment &alignment() { return alignment_; }
  /// Learns that, once.
  void align();
  /// What stamps read on it; once loadStamps() has worked.
  EdgeTrial &edgeTrial() { return edgeTrial_; }

private:
  struct Known;
  Device(driver::Context context, unsigned long long contextId);
  bool takeStamps(driver::Library library) REQUIRES(mutex_);

  const driver::Context context_;
  const unsigned long long contextId_;
  int ordinal_ = -1;
  driver::DeviceProperties properties_; // never changed

  // Set by loadStamps(), under mutex_, and by nobody else: who has called it reads them without.
  driver::Kernel root_ = nullptr, open_ = nullptr, first_ = nullptr, stamp_ = nullptr,
                 final_ = nullptr, last_ = nullptr, count_ = nullptr, align_ = nullptr,
                 waitingStamp_ = nullptr, around_ = nullptr, span_ = nullptr;
  driver::Function rootFunction_ = nullptr, stampFunction_ = nullptr;
  driver::DevicePointer controls_ = 0;

  Mutex mutex_;
  bool stampsTried_ GUARDED_BY(mutex_) = false;
  // There is room for all that were ever made: giving back needs no memory.
  std::uint32_t nextControl_ GUARDED_BY(mutex_) = 0;
  std::vector<Control> freeControls_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> freeBodyControls_ GUARDED_BY(mutex_);
  std::multimap<std::size_t, Pinned> freePinned_ GUARDED_BY(mutex_); // by words
  driver::Event placeholder_ GUARDED_BY(mutex_) = nullptr;
  std::size_t madeEvents_ GUARDED_BY(mutex_) = 0;
  // with room for all that were made, as above
  std::vector<driver::Event> freeEvents_ GUARDED_BY(mutex_);

  Alignment alignment_{*this};
  EdgeTrial edgeTrial_{*this};
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICE_H
