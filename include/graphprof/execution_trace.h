// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What replayed graphs are made of, in a file: PyTorch's torch.profiler.ExecutionTraceObserver,
// under its names.

#ifndef GRAPHPROF_EXECUTION_TRACE_H
#define GRAPHPROF_EXECUTION_TRACE_H

#include <memory>
#include <string>

namespace graphprof {

struct SavedCycle; // the library's own

/// Writes the graphs that are replayed while something records, with the times of their regions, as
/// Trace::export_execution_trace() does, into one file: of all cycles together. Graphs are known
/// that are captured or built while it is registered.
///
///     graphprof::ExecutionTraceObserver observer;
///     observer.register_callback("graphs.json");
///     graphprof::profile_options options;
///     options.execution_trace_observer = observer;
///
/// With a profile the file is written at the end of each cycle, before on_trace_ready, and the end
/// of the profile's scope unregisters the observer. Without one, start() and stop() say when to
/// record; stop() writes the file.
///
/// A small value whose copies are one observer; any thread may use it. Nothing is thrown.
class ExecutionTraceObserver {
public:
  ExecutionTraceObserver() noexcept;

  /// From now on, until unregister_callback(). `path` ends in .json, .dot or .svg, and may hold
  /// {pid}, {host} and the like, as in GRAPHPROF_OUTPUT. With another ending nothing is registered,
  /// and that is said on stderr. One that is registered stays as it is.
  ExecutionTraceObserver &register_callback(const std::string &path) noexcept;
  /// Stops. The file stays, and another one may be registered.
  void unregister_callback() noexcept;
  [[nodiscard]] bool is_registered() const noexcept;

  /// Records replays, without any other profile; not while it is not registered.
  void start() noexcept;
  /// Ends that, waits at most ten seconds for what was launched, and writes the file.
  void stop() noexcept;
  /// Between start() and stop().
  [[nodiscard]] bool is_running() const noexcept;

  /// As it was last given to register_callback(); empty: never.
  [[nodiscard]] std::string get_output_file_path() const;

private:
  friend class profile;
  struct State;
  void add(const SavedCycle &cycle) const noexcept; // what a profile has recorded

  std::shared_ptr<State> state_; // null: there was no memory for it
};

} // namespace graphprof

#endif // GRAPHPROF_EXECUTION_TRACE_H
