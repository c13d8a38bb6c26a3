// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Who takes replays before the outputs get them. A measurement takes its own: it hands on those
// that count, when it knows which ones do. Does not know what is measured.

#ifndef GRAPHPROF_SESSION_REPLAYTAKERS_H
#define GRAPHPROF_SESSION_REPLAYTAKERS_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "output/data/Replay.h"

namespace graphprof {

/// Any thread may call any member.
class ReplayTakers {
public:
  /// Returns whether it takes the replay, which then no output gets. The harvest thread calls it.
  /// It must not throw, wait for that thread, or call the functions below.
  using Take = std::function<bool(const Replay &)>;

  void add(const void *who, Take take) EXCLUDES(mutex_);
  /// `who` is not called any more after this returns.
  void remove(const void *who) noexcept EXCLUDES(mutex_);
  /// Whether somebody takes the replay. One load while nobody takes any.
  [[nodiscard]] bool take(const Replay &replay) noexcept EXCLUDES(mutex_);

private:
  Mutex mutex_; // held during the calls
  std::vector<std::pair<const void *, Take>> takers_ GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_{0}; // of takers_; set under mutex_
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_REPLAYTAKERS_H
