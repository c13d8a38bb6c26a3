// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A callback that gets every region of every replay.

#ifndef GRAPHPROF_PROFILER_H
#define GRAPHPROF_PROFILER_H

#include <functional>

#include "graphprof/control.h"
#include "graphprof/detail/export.h"
#include "graphprof/record.h"

namespace graphprof {
inline namespace v1 {

/// Passes every region of every replay to a function: in capture order within a replay, and replays
/// of one exec in launch order. Regions outside graphs come as soon as their time is known.
///
///     graphprof::Profiler profiler([](const graphprof::Record &record) {
///       std::cout << record.name << " took " << record.duration_ns * 1e-3 << " us\n";
///     });
///     ... capture, launch ...
///     profiler.flush();
///
/// The function runs on a thread of graphprof's own, never on two threads at once. It must not call
/// CUDA. What it measures itself is counted as dropped, and flush() inside it returns false at
/// once. If it throws, the exception is caught and reported once, and it gets nothing more. Several
/// profilers may exist, each with a thread.
///
/// Source: Profiler and its dump_fn in the post "Transparent Profiling for PyTorch CUDA Graphs".
class GRAPHPROF_API Profiler {
public:
  using DumpFunction = std::function<void(const Record &)>;

  explicit Profiler(DumpFunction dump);
  /// Flushes, then detaches. The function is not called afterwards.
  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// As graphprof::flush.
  bool flush(std::int64_t timeout_ms = 10'000) noexcept { return graphprof::flush(timeout_ms); }

private:
  void *output_; // owned by the session; detached in the destructor
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_PROFILER_H
