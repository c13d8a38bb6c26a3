// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timers of one graph, in capture order, each with a context of the program's.

#ifndef GRAPHPROF_TIMER_REGISTRY_H
#define GRAPHPROF_TIMER_REGISTRY_H

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "graphprof/timer.h"

namespace graphprof {
inline namespace v1 {

/// An ordered list of (context, timer), filled while a graph is captured and read after each
/// replay.
///
///     struct Context { int layer; const char *op; };
///     graphprof::TimerRegistry<Context> registry;
///     // during capture:
///     { auto scope = registry.time({layer, "add"}, stream); add<<<grid, block, 0, stream>>>(x); }
///     // after each cudaGraphLaunch:
///     for (const auto &[context, ns] : registry.elapsed_times()) ...
///
/// Not thread-safe. The timers live as long as the registry.
///
/// Source: TimerRegistry in the post "Transparent Profiling for PyTorch CUDA Graphs".
template <class Context> class TimerRegistry {
public:
  /// Adds a timer for `context` and times the scope that holds the returned guard.
  Timer::Running time(Context context, CUstream_st *stream) {
    timings_.push_back(Timing{std::move(context), Timer()});
    return timings_.back().timer.time(stream);
  }

  /// In capture order: each context with its duration in the last replay, in nanoseconds
  /// (Timer::elapsed_ns). Empty if there was nothing to read. Waits for the replay.
  [[nodiscard]] std::vector<std::pair<Context, std::optional<std::int64_t>>> elapsed_times() const {
    std::vector<std::pair<Context, std::optional<std::int64_t>>> result;
    result.reserve(timings_.size());
    for (const Timing &timing : timings_)
      result.emplace_back(timing.context, timing.timer.elapsed_ns());
    return result;
  }

  /// Forgets all timers. Call it before the graph is captured again.
  void clear() { timings_.clear(); }
  [[nodiscard]] std::size_t size() const { return timings_.size(); }

private:
  struct Timing {
    Context context;
    Timer timer;
  };
  std::deque<Timing> timings_; // a deque: a running guard refers to its timer
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_TIMER_REGISTRY_H
