// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Hands launches and regions from the program's threads to the harvest thread: two stores that are
// exchanged. Usually nobody allocates. An item stays where it was written until its place is
// reused, and a program's thread then owns the item's memory. (Memory that moves between processors
// through the allocator costs a region more than everything else.) The lock is held for a few
// instructions, and nothing is called under it.

#ifndef GRAPHPROF_GRAPH_LAUNCH_HANDOVER_H
#define GRAPHPROF_GRAPH_LAUNCH_HANDOVER_H

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "CacheLine.h"
#include "Mutex.h"
#include "graph/launch/RecyclingVector.h"

namespace graphprof {

/// Many threads add items; one thread, the taker, takes them.
template <class Item> class Handover {
public:
  /// The lock for the following functions.
  [[nodiscard]] MutexLock<std::mutex> lock() ACQUIRE(mutex_) { return MutexLock(mutex_); }
  /// The same mutex, for annotations.
  [[nodiscard]] const Mutex &mutex() const RETURN_CAPABILITY(mutex_) { return mutex_; }
  /// Items that the taker has not seen.
  [[nodiscard]] RecyclingVector<Item> &waiting() REQUIRES(mutex_) { return waiting_; }
  /// All items that are not done, oldest first, in two pieces.
  [[nodiscard]] std::array<std::span<const Item>, 2> out() const REQUIRES(mutex_) {
    return {taken_.all().subspan(done_.load(std::memory_order_relaxed)), waiting_.all()};
  }
  [[nodiscard]] std::size_t size() const REQUIRES(mutex_) {
    return out()[0].size() + waiting_.size();
  }
  /// Is there room for `more` items if `most` may be outstanding? Reads the taker's cache line only
  /// if it must.
  [[nodiscard]] bool hasRoomFor(std::size_t more, std::size_t most) const REQUIRES(mutex_) {
    return waiting_.size() + takenAtOnce_ + more <= most || size() + more <= most;
  }
  /// Discards everything. Not while the taker works.
  void clear() REQUIRES(mutex_) {
    waiting_.clear();
    taken_.clear();
    done_.store(0, std::memory_order_relaxed);
    takenAtOnce_ = 0;
  }

  /// For the taker: items that are not done, oldest first; all of them if they are few. Empty if
  /// there are none. Called without the lock, like done().
  [[nodiscard]] std::span<const Item> take() {
    if (done_.load(std::memory_order_relaxed) == taken_.size()) {
      const MutexLock lock(mutex_);
      taken_.clear();
      done_.store(0, std::memory_order_relaxed);
      std::swap(waiting_, taken_);
      takenAtOnce_ = taken_.size();
    }
    return taken_.all().subspan(done_.load(std::memory_order_relaxed));
  }
  /// For the taker: the first `count` items of take() are done.
  void done(std::size_t count = 1) {
    done_.store(done_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

private:
  alignas(cacheLine) Mutex mutex_;
  RecyclingVector<Item> waiting_ GUARDED_BY(mutex_);
  std::size_t takenAtOnce_ GUARDED_BY(mutex_) = 0; // how many the taker took last
  alignas(cacheLine) RecyclingVector<Item> taken_; // changed by the taker, under the lock
  std::atomic<std::size_t> done_{0};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_HANDOVER_H
