// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How launches and regions travel from the program's threads to the harvest thread: two stores that
// are exchanged. Mostly nobody allocates; an item stays where it was written until its place is
// needed again, and what it owns is then a program's thread's: memory that passes from one
// processor to the other and back in the allocator costs a region more than all the rest. The lock
// is held for a few instructions; who holds it calls nobody.

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

/// Many threads add; one, the taker, takes.
template <class Item> class Handover {
public:
  /// For what follows.
  [[nodiscard]] MutexLock<std::mutex> lock() ACQUIRE(mutex_) { return MutexLock(mutex_); }
  /// The same, for those who say that it is held.
  [[nodiscard]] const Mutex &mutex() const RETURN_CAPABILITY(mutex_) { return mutex_; }
  /// What the taker has not seen.
  [[nodiscard]] RecyclingVector<Item> &waiting() REQUIRES(mutex_) { return waiting_; }
  /// Everything that is not done with, oldest first, in two pieces.
  [[nodiscard]] std::array<std::span<const Item>, 2> out() const REQUIRES(mutex_) {
    return {taken_.all().subspan(done_.load(std::memory_order_relaxed)), waiting_.all()};
  }
  [[nodiscard]] std::size_t size() const REQUIRES(mutex_) {
    return out()[0].size() + waiting_.size();
  }
  /// Is there room for `more`, where `most` may be out? Looks at the taker's line only if it must.
  [[nodiscard]] bool hasRoomFor(std::size_t more, std::size_t most) const REQUIRES(mutex_) {
    return waiting_.size() + takenAtOnce_ + more <= most || size() + more <= most;
  }
  /// Gives up on everything. Not beside the taker.
  void clear() REQUIRES(mutex_) {
    waiting_.clear();
    taken_.clear();
    done_.store(0, std::memory_order_relaxed);
    takenAtOnce_ = 0;
  }

  /// For the taker: items that are not done with, the oldest first, and all where there are few;
  /// none: there are none. Without the lock, as is done().
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
  /// For the taker: is done with the first `count` of take().
  void done(std::size_t count = 1) {
    done_.store(done_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

private:
  alignas(cacheLine) Mutex mutex_;
  RecyclingVector<Item> waiting_ GUARDED_BY(mutex_);
  std::size_t takenAtOnce_ GUARDED_BY(mutex_) = 0; // how many the taker took last
  alignas(cacheLine) RecyclingVector<Item> taken_; // changed under the lock, by the taker
  std::atomic<std::size_t> done_{0};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_HANDOVER_H
