// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one cycle of a schedule has collected so far, within a bound that all cycles of a profiler
// share. Knows nothing of times: who writes to it has found out that it belongs here.

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

/// How much the cycles hold that are not saved.
struct CycleBound {
  const std::size_t most; ///< of records, and of host spans
  std::atomic<std::size_t> records{0}, spans{0};
  std::atomic<std::uint64_t> dropped{0}; ///< of both, since the beginning
};

/// Thread-safe. Once something was left out for want of room, all of its kind that follows is: a
/// trace with holes would mislead. What comes when it was taken is left out too.
class CycleData {
public:
  explicit CycleData(CycleBound &bound) : bound_(bound) {}

  void add(const Replay &replay, std::span<const Record> records);
  void add(const MemoryEvent &event);
  void hold(std::vector<MemoryHeld> held);
  void add(std::span<const HostSpan> spans);

  struct Taken {
    std::shared_ptr<Collection> collection; ///< sealed
    std::uint64_t dropped;
  };
  /// All of it, once.
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
