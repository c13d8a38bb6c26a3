// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes what replayed graphs consist of to a file: PyTorch's
// torch.profiler.ExecutionTraceObserver, with its names.

#ifndef GRAPHPROF_EXECUTION_TRACE_H
#define GRAPHPROF_EXECUTION_TRACE_H

#include <memory>
#include <string>

#include "graphprof/detail/export.h"

namespace graphprof {

struct SavedCycle; // the library's own

inline namespace v1 {

/// Writes the graphs that are replayed while something records, with the times of their regions,
/// into one file for all cycles, as Trace::export_execution_trace() does. It knows the graphs that
/// are captured or built while it is registered.
///
///     graphprof::ExecutionTraceObserver observer;
///     observer.register_callback("graphs.json");
///     graphprof::profile_options options;
///     options.execution_trace_observer = observer;
///
/// With a profile, the file is written at the end of each cycle, before on_trace_ready, and the end
/// of the profile's scope unregisters the observer. Without one, start() and stop() decide when to
/// record, and stop() writes the file.
///
/// A small value whose copies are one observer. Any thread may use it. No member throws.
class GRAPHPROF_API ExecutionTraceObserver {
public:
  ExecutionTraceObserver() noexcept;

  /// Registers the observer until unregister_callback(). `path` ends in .json or .dot, and
  /// may hold {pid}, {host} and the like, as in GRAPHPROF_OUTPUT. If it ends in something else,
  /// nothing is registered, and a message on stderr says so. If one is registered already, nothing
  /// changes.
  ExecutionTraceObserver &register_callback(const std::string &path) noexcept;
  /// Stops. The file stays, and another path may be registered.
  void unregister_callback() noexcept;
  [[nodiscard]] bool is_registered() const noexcept;

  /// Records replays, without a profile. Does nothing unless it is registered.
  void start() noexcept;
  /// Stops recording, waits at most ten seconds for what was launched, and writes the file.
  void stop() noexcept;
  /// Whether it is between start() and stop().
  [[nodiscard]] bool is_running() const noexcept;

  /// The path that register_callback() last got; empty if it was never called.
  [[nodiscard]] std::string get_output_file_path() const;

private:
  friend class profile;
  struct State;
  GRAPHPROF_LOCAL void add(const SavedCycle &cycle) const noexcept; // what a profile has recorded

  std::shared_ptr<State> state_; // null: there was no memory for it
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_EXECUTION_TRACE_H
