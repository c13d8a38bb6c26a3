// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The profiler as a program sees it: a callback that gets every region of every replay.

#ifndef GRAPHPROF_PROFILER_H
#define GRAPHPROF_PROFILER_H

#include <functional>

#include "graphprof/control.h"
#include "graphprof/record.h"

namespace graphprof {

/// Hands every region of every replay to a function, in capture order within a replay, replays of
/// one exec in launch order; regions outside graphs as soon as their time is known.
///
///     graphprof::Profiler profiler([](const graphprof::Record &record) {
///       std::printf("%.*s took %.3f us\n", int(record.name.size()), record.name.data(),
///       record.durationNs * 1e-3);
///     });
///     ... capture, launch ...
///     profiler.flush();
///
/// The function runs on graphprof's own thread, never on two threads at once, and must not call
/// CUDA nor wait for the thread that launches. What it throws is caught, said once, and the
/// profiler detached. Several profilers may exist. Source: Profiler and its dump_fn in the
/// post "Transparent Profiling for PyTorch CUDA Graphs".
class Profiler {
public:
  using DumpFunction = std::function<void(const Record &)>;

  explicit Profiler(DumpFunction dump);
  /// Flushes, then detaches: the function is not called afterwards.
  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// As graphprof::flush.
  bool flush(std::int64_t timeoutMs = 10'000) noexcept { return graphprof::flush(timeoutMs); }

private:
  void *output_; // owned by the session; detached in the destructor
};

} // namespace graphprof

#endif // GRAPHPROF_PROFILER_H
