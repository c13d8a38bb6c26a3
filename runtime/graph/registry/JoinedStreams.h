// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The streams with which threads joined captures that other threads began, by waiting for an event
// of the capture. What such a thread does next is taken to be in the stream that it joined last; to
// be certain, every launch would have to be watched. Does not know ranges.
//
// A joined stream may be destroyed during its capture, and its handle must not be used after that.
// So nothing is noted until follow() promises that destroying() will be called.

#ifndef GRAPHPROF_GRAPH_REGISTRY_JOINEDSTREAMS_H
#define GRAPHPROF_GRAPH_REGISTRY_JOINEDSTREAMS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "Mutex.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Registry;

/// Any thread may call any member.
class JoinedStreams {
public:
  /// destroying() is called for every stream from now on.
  void follow() noexcept { follows_.store(true); }

  /// This thread made `stream` wait for an event of the capture of `registry`, which another thread
  /// began.
  void joined(driver::Stream stream, const std::shared_ptr<Registry> &registry) EXCLUDES(mutex_);
  /// Calls `work(stream, registry)` with the stream that this thread joined last among captures in
  /// progress, if any. No joined stream is destroyed while `work` runs.
  template <class Work> void withNewest(Work work) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (const auto [stream, registry] = newest(); registry)
      work(stream, registry);
  }
  /// Calls `work`. No joined stream is destroyed while it runs.
  template <class Work> void whileAllStay(Work work) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    work();
  }
  /// The program is about to destroy `stream`. Ends the regions that are open in it.
  void destroying(driver::Stream stream) EXCLUDES(mutex_);

private:
  struct Capture {
    std::weak_ptr<Registry> registry;
    std::uint64_t id = 0;
  };

  [[nodiscard]] std::pair<driver::Stream, std::shared_ptr<Registry>> newest() REQUIRES(mutex_);
  /// The registry of the capture that `stream` joined, if the capture is in progress.
  [[nodiscard]] std::shared_ptr<Registry> captureOf(driver::Stream stream, std::uint64_t id) const
      REQUIRES(mutex_);

  std::atomic<bool> follows_{false};
  Mutex mutex_;
  std::unordered_map<driver::Stream, Capture> captures_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_JOINEDSTREAMS_H
