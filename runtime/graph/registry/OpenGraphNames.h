// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The names that this thread gives to the graphs that it captures, builds or instantiates, and to
// its launches. Does not know graphs.

#ifndef GRAPHPROF_GRAPH_REGISTRY_OPENGRAPHNAMES_H
#define GRAPHPROF_GRAPH_REGISTRY_OPENGRAPHNAMES_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "graph/registry/LaunchNames.h"
#include "output/data/GraphName.h"

namespace graphprof {

/// One open GraphScope, from its constructor to its destructor. On the heap.
class OpenGraphName {
public:
  /// Is this thread's innermost one from now on.
  explicit OpenGraphName(std::shared_ptr<const GraphName> name) noexcept
      : name_(std::move(name)), around_(innermost_) {
    innermost_ = this;
  }
  OpenGraphName(const OpenGraphName &) = delete;
  OpenGraphName &operator=(const OpenGraphName &) = delete;

  /// Ends `open`, in whatever order, and on whatever thread: another thread's is that thread's
  /// until it looks for one the next time.
  static void end(OpenGraphName *open) noexcept {
    for (OpenGraphName **at = &innermost_; *at; at = &(*at)->around_)
      if (*at == open) {
        *at = open->around_;
        delete open;
        return;
      }
    open->isEnded_.store(true, std::memory_order_release);
  }

  /// The name of a graph that this thread begins now; null: it gives none.
  [[nodiscard]] static std::shared_ptr<const GraphName> ofThisThread() noexcept {
    const OpenGraphName *const open = innermost();
    return open ? open->name_ : nullptr;
  }

  /// The number of the name that a launch of this thread has (LaunchNames); none: it gives none.
  [[nodiscard]] static std::uint32_t ofLaunch() noexcept {
    OpenGraphName *const open = innermost();
    if (!open)
      return LaunchNames::none;
    if (open->ofLaunches_ == LaunchNames::none)
      open->ofLaunches_ = LaunchNames::numberOf(open->name_);
    return open->ofLaunches_;
  }

private:
  ~OpenGraphName() = default;

  [[nodiscard]] static OpenGraphName *innermost() noexcept {
    while (innermost_ && innermost_->isEnded_.load(std::memory_order_acquire))
      delete std::exchange(innermost_, innermost_->around_);
    return innermost_;
  }

  // Has no destructor, so it works until the thread is gone.
  static inline constinit thread_local OpenGraphName *innermost_ = nullptr;

  const std::shared_ptr<const GraphName> name_;
  OpenGraphName *around_;
  std::atomic<bool> isEnded_{false};             // by another thread
  std::uint32_t ofLaunches_ = LaunchNames::none; // found at the first launch
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_OPENGRAPHNAMES_H
