// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The streams with which threads joined captures that other threads began: by a wait for an event
// of the capture. What such a thread does next it does in the stream that it joined last, as far as
// can be told without a look at every launch. Knows nothing of ranges.
//
// A stream that was joined may be destroyed while its capture goes on, and its handle must not be
// asked about from then on. So nothing is noted before somebody promises to tell of that.

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

/// Any thread.
class JoinedStreams {
public:
  /// Leaked on purpose: streams may go while static destructors run.
  static JoinedStreams &instance();

  /// destroying() is called for every stream from now on.
  void follow() noexcept { follows_.store(true); }

  /// This thread has let `stream` wait for an event of the capture of `registry`, which it did not
  /// begin.
  void joined(driver::Stream stream, const std::shared_ptr<Registry> &registry) EXCLUDES(mutex_);
  /// Calls `work(stream, registry)` with the stream that this thread joined last, of those whose
  /// captures go on; while it runs, none is destroyed. Not called where there is none.
  template <class Work> void withNewest(Work work) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (const auto [stream, registry] = newest(); registry)
      work(stream, registry);
  }
  /// Calls `work`; while it runs, none is destroyed.
  template <class Work> void whileAllStay(Work work) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    work();
  }
  /// The program is about to destroy `stream`. The regions that are open in it end here.
  void destroying(driver::Stream stream) EXCLUDES(mutex_);

private:
  struct Capture {
    std::weak_ptr<Registry> registry;
    std::uint64_t id = 0;
  };

  JoinedStreams() = default;
  [[nodiscard]] std::pair<driver::Stream, std::shared_ptr<Registry>> newest() REQUIRES(mutex_);
  /// The registry of the capture that `stream` joined, if that goes on.
  [[nodiscard]] std::shared_ptr<Registry> captureOf(driver::Stream stream, std::uint64_t id) const
      REQUIRES(mutex_);

  std::atomic<bool> follows_{false};
  Mutex mutex_;
  std::unordered_map<driver::Stream, Capture> captures_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_JOINEDSTREAMS_H
