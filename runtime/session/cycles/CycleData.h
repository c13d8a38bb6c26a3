// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one cycle of a schedule has collected, within a bound that all cycles of a profiler share.
// Does not know times: the caller has found out that the data belongs to this cycle.

#ifndef GRAPHPROF_SESSION_CYCLES_CYCLEDATA_H
#define GRAPHPROF_SESSION_CYCLES_CYCLEDATA_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "Mutex.h"
#include "output/data/Collection.h"

namespace graphprof {

/// How much all cycles hold that are not saved yet.
struct CycleBound {
  const std::size_t most; ///< of records, and also of host spans
  std::atomic<std::size_t> records{0}, spans{0};
  std::atomic<std::uint64_t> dropped{0}; ///< records and host spans together, since the beginning
};

/// Thread-safe. Once a record did not fit, all later records are left out, too, because a trace
/// with holes would mislead. The same applies to host spans. What comes after take() is left out as
/// well.
class CycleData {
public:
  explicit CycleData(CycleBound &bound) : bound_(bound) {}

  /// `view` has taken the batch of what is added.
  void add(const BatchView &view, const Replay &replay, std::span<const Batch::Timing> timings);
  /// Steps are called by the numbers that they have here.
  void add(const BatchView &view, std::span<const Batch::Span> spans);
  void add(const MemoryEvent &event);
  void hold(std::vector<MemoryHeld> held);

  struct Taken {
    std::shared_ptr<Collection> collection; ///< sealed
    std::uint64_t dropped;
  };
  /// Returns everything. Call it once.
  Taken take();

private:
  bool hasRoom(std::size_t more) REQUIRES(mutex_);

  CycleBound &bound_;
  Mutex mutex_;
  std::shared_ptr<Collection> collection_ GUARDED_BY(mutex_) = std::make_shared<Collection>();
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0, droppedSpans_ GUARDED_BY(mutex_) = 0;
  bool spansFull_ GUARDED_BY(mutex_) = false;
  bool taken_ GUARDED_BY(mutex_) = false;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_CYCLEDATA_H
