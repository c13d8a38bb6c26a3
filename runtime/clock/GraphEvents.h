// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Events of one device that graphs record. An event is not used again while a graph or an exec that
// records it may run: the graph holds one user object for all events of its capture, and its
// destructor gives them back. CUDA calls the destructor on a thread of its own, where no CUDA call
// is allowed.

#ifndef GRAPHPROF_CLOCK_GRAPHEVENTS_H
#define GRAPHPROF_CLOCK_GRAPHEVENTS_H

#include <atomic>
#include <cstdint>
#include <vector>

#include "Mutex.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Device;

/// A recorded event: what graphprof_event points to. The caller that recorded it holds it, and so
/// does its graph, if any. The last one to let go gives it back.
class RecordedEvent {
public:
  RecordedEvent(Device &device, driver::Event event, bool ofGraph) noexcept
      : device(device), event(event), ofGraph(ofGraph) {}

  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  static void letGo(RecordedEvent *recorded) noexcept;

  Device &device;
  /// From the device's pool; or a new event of a graph, which has no time before the graph runs.
  const driver::Event event;
  const bool ofGraph;

private:
  std::atomic<int> holders_{1};
};

/// All members may be called from any thread. Never destroyed, like its device: a graph may end
/// late.
class GraphEvents {
public:
  /// An event of the current context, which is the device's, for a graph, or null if CUDA refuses.
  /// Also destroys the events that no graph needs any more.
  driver::Event make() noexcept;
  /// Makes `graph`, which is being captured in capture `captureId`, hold `recorded`. If that fails
  /// (no memory, or the driver refuses), the event is kept for ever, because the graph records it.
  void keep(driver::Graph graph, std::uint64_t captureId, RecordedEvent &recorded) noexcept;
  /// Call this when no graph needs `event` any more. Makes no CUDA call.
  void retire(driver::Event event) noexcept;

private:
  struct Kept {
    GraphEvents &all;
    std::vector<RecordedEvent *> events;
  };
  static void gone(void *kept) noexcept;
  bool begin(driver::Graph graph, std::uint64_t captureId) REQUIRES(mutex_);

  Mutex mutex_;
  // Of the last capture that recorded an event. Captures that alternate get several user objects
  // each.
  std::uint64_t captureId_ GUARDED_BY(mutex_) = 0;
  Kept *newest_ GUARDED_BY(mutex_) = nullptr;
  std::vector<driver::Event> retired_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_GRAPHEVENTS_H
