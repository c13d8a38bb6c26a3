// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Events that graphs record: as long as a graph, or an exec of it, may run, none of them serves
// anybody else. A graph takes them along as a user object, one for all of its capture, whose
// destructor gives them back; CUDA calls that on a thread of its own, where no CUDA call may be
// made.

#ifndef GRAPHPROF_BACKEND_GRAPHEVENTS_H
#define GRAPHPROF_BACKEND_GRAPHEVENTS_H

#include <atomic>
#include <cstdint>
#include <vector>

#include "Mutex.h"
#include "clock/Device.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// An event that was recorded: what graphprof_event points to. Held by who recorded it and, where
/// it is of a graph, by that; whoever lets go last gives it back.
class RecordedEvent {
public:
  RecordedEvent(Device &device, driver::Event event, bool ofGraph) noexcept
      : device(device), event(event), ofGraph(ofGraph) {}

  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  static void letGo(RecordedEvent *recorded) noexcept;

  Device &device;
  /// One of the device's pool; of a graph its own, which has no time before the graph runs.
  const driver::Event event;
  const bool ofGraph;

private:
  std::atomic<int> holders_{1};
};

/// All members may be called from any thread.
class GraphEvents {
public:
  static GraphEvents &instance() noexcept;

  /// An event of the current context for a graph; null where CUDA refuses. Destroys those that no
  /// graph needs any more.
  driver::Event make() noexcept;
  /// Lets `graph`, which is being captured in capture `captureId`, hold `recorded`. Where it
  /// cannot, for want of memory or since the driver refuses, the event is kept for ever: the graph
  /// records it.
  void keep(driver::Graph graph, std::uint64_t captureId, RecordedEvent &recorded) noexcept;
  /// No graph needs `event` any more. Makes no CUDA call.
  void retire(driver::Event event) noexcept;

private:
  struct Kept {
    std::vector<RecordedEvent *> events;
  };
  static void gone(void *kept) noexcept;
  bool begin(driver::Graph graph, std::uint64_t captureId) REQUIRES(mutex_);

  Mutex mutex_;
  // Of the capture that recorded last; captures that take turns get several.
  std::uint64_t captureId_ GUARDED_BY(mutex_) = 0;
  Kept *newest_ GUARDED_BY(mutex_) = nullptr;
  std::vector<driver::Event> retired_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_BACKEND_GRAPHEVENTS_H
