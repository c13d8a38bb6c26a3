// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// NVTX ranges that the program started and has not ended, by the number that their start returned.
// Does not know which ranges are taken (calls/nvtx).

#ifndef GRAPHPROF_PROCESS_STARTEDRANGES_H
#define GRAPHPROF_PROCESS_STARTEDRANGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "Mutex.h"
#include "host/HostSpanQueue.h"

namespace graphprof {

class HostSpans;
class Services;
class Windows;

/// Any thread may call any member: a range may end on another thread than it started on.
class StartedRanges {
public:
  using Number = std::uint64_t;

  /// All three outlive it.
  StartedRanges(Services &services, Windows &windows, HostSpans &hostSpans) noexcept;
  ~StartedRanges();
  StartedRanges(const StartedRanges &) = delete;
  StartedRanges &operator=(const StartedRanges &) = delete;

  /// One that no range had before, and that is not 0.
  [[nodiscard]] Number next() noexcept { return ++last_; }
  /// Gives no number that `others` gave until now: a forked child may still end those.
  void continueFrom(const StartedRanges &others) noexcept { last_ = others.last_.load(); }

  /// This range opens a window until it ends. If too many do, it closes at once.
  void openWindow(Number range) EXCLUDES(mutex_);
  /// This range becomes a span when it ends. Counts it as lost if there are too many.
  void add(Number range, HostEvent begun) EXCLUDES(mutex_);
  /// This range ends now. Does nothing if it was not added, or has ended.
  void end(Number range) noexcept EXCLUDES(mutex_);

private:
  /// If so many are open, some are never ended, it seems.
  static constexpr std::size_t mostOpen = 10'000;
  class OpenWindow;

  Services &services_;
  Windows &windows_;
  HostSpans &hostSpans_;
  std::atomic<Number> last_{0};
  std::atomic<bool> any_{false}; // was ever open
  Mutex mutex_;
  std::unordered_map<Number, HostEvent> open_ GUARDED_BY(mutex_);
  std::unordered_map<Number, std::unique_ptr<OpenWindow>> openWindows_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_STARTEDRANGES_H
