// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// torch.profiler's profile, for CUDA C++: record some steps of a program, and look at them. See
// docs/torch-profiler.md for each of its members beside PyTorch's.

#ifndef GRAPHPROF_PROFILE_H
#define GRAPHPROF_PROFILE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphprof/activity.h"
#include "graphprof/execution_trace.h"
#include "graphprof/schedule.h"
#include "graphprof/trace.h"

namespace graphprof {

class Cycles; // the library's own
class Output;

/// PyTorch's _ExperimentalConfig, which sets up Kineto and CUPTI. graphprof uses neither: it is
/// taken, so that a translated program compiles, and said to do nothing.
struct ExperimentalConfig {
  std::vector<std::string> profiler_metrics;
  bool profiler_measure_per_kernel = false;
  bool verbose = false;
  std::vector<std::string> performance_events;
  bool enable_cuda_sync_events = false;
  bool adjust_profiler_step = false;
  bool disable_external_correlation = false;
  bool profile_all_threads = false;
  bool capture_overload_names = false;
  std::string custom_profiler_config;
};

/// What a profile is made with. Names and meaning are torch.profiler.profile's.
struct profile_options {
  Activities activities = Activities::all();
  /// From the number of a step to what to do in it: a graphprof::schedule, or any function, which
  /// is called on the thread that steps. Empty: everything is recorded from start() to stop().
  std::function<ProfilerAction(std::int64_t step)> schedule;
  /// Gets each trace when it is complete: at the end of each cycle of the schedule, and at stop().
  std::function<void(const Trace &trace)> on_trace_ready;
  /// Records the program's allocations and frees: see Trace::export_memory_timeline,
  /// and the columns of memory in key_averages().
  bool profile_memory = false;
  /// events() has the records of all cycles, not of the last one alone.
  bool acc_events = false;
  /// Keeps what the graphs that are captured or built from now on are made of, for
  /// export_execution_trace(): asks the driver what each node does, once a graph.
  bool execution_trace = false;
  /// The same, and a file of them is written: see there. Given one, execution_trace is on.
  std::optional<ExecutionTraceObserver> execution_trace_observer;
  /// Makes the id of a trace, when its cycle is prepared. Empty: a random one.
  std::function<std::string()> custom_trace_id_callback;
  /// PyTorch's, which say here what a trace says of itself, as there ("with_stack": 1). What they
  /// ask for is always recorded: an annotation's values, its source line and function, its `flops`,
  /// the regions around it.
  bool record_shapes = false, with_stack = false, with_flops = false, with_modules = false;
  /// Deprecated, as in PyTorch: whether `activities` has CUDA.
  std::optional<bool> use_cuda;
  /// Does nothing: see there.
  std::optional<ExperimentalConfig> experimental_config;
};

/// For a profile that start() is to start.
struct defer_start_t {};
inline constexpr defer_start_t defer_start{};

/// Records some steps of the program, and nothing in between.
///
///     graphprof::profile_options options;
///     options.schedule = graphprof::schedule(1, 1, 2, 3); // wait, warmup, active, repeat
///     options.on_trace_ready = [](const graphprof::Trace &trace) {
///       trace.export_chrome_trace("trace-" + std::to_string(trace.cycle()) + ".json");
///     };
///     graphprof::profile profile(options); // Python's "with torch.profiler.profile(...) as p:"
///     for (const Batch &batch : batches) {
///       train(batch);
///       profile.step();
///     }
///
/// **What a step does.** In a step of the action NONE launches take the program's own exec, in one
/// of WARMUP they are timed and the times thrown away, in the others they are recorded. What
/// happens between two steps follows torch.profiler's table. A replay belongs to the step in which
/// it was *launched*; a region outside graphs to that in which it began.
///
/// **Nothing waits.** PyTorch's step() synchronises and calls on_trace_ready before it returns.
/// This one notes a time and returns: no CUDA call, no wait for the device. The trace is complete
/// once every replay that was launched in it has been read; then on_trace_ready is called, on a
/// thread of graphprof's own, one trace after the other, never two at once. It must not call CUDA.
/// Meanwhile the program goes on with its next step. Who wants to wait calls flush(). stop() does.
///
/// **Beside everything else.** A program that makes a profile says itself when to record. From then
/// on graphprof records while somebody wants it: a profile in WARMUP or RECORD, a Profiler, outputs
/// that GRAPHPROF_OUTPUT names. The table that is shown where GRAPHPROF_OUTPUT is not set is not
/// shown. graphprof::stop() switches all of them off, start() on again. Several profiles may exist,
/// each with its own schedule. With GRAPHPROF_ENABLED=0 a profile does nothing.
///
/// All members may be called from any thread, on_trace_ready included. None throws: what the
/// functions in its options throw is caught and said.
class profile {
public:
  /// Starts, as Python's `with` does.
  explicit profile(profile_options options = {});
  /// Does not start: start() does.
  profile(profile_options options, defer_start_t);
  /// Stops. on_trace_ready is not called afterwards: waits for a call under way, whatever that
  /// takes.
  ~profile();
  profile(const profile &) = delete;
  profile &operator=(const profile &) = delete;

  void start() noexcept;
  /// Ends the step, and begins the next one: called behind each iteration. Begins a step of the
  /// process's, as graphprof::step() does.
  void step() noexcept;
  /// Ends recording, then waits as flush() does, and returns what it does.
  bool stop(std::int64_t timeoutMs = 10'000) noexcept;

  /// Waits until every trace whose cycle has ended is complete and was handed to on_trace_ready, or
  /// until `timeoutMs` milliseconds have passed. Returns whether all were. False at once in
  /// on_trace_ready.
  bool flush(std::int64_t timeoutMs = 10'000) noexcept;

  /// While recording: from now on, until the cycle ends, `activities` are recorded, or not. Without
  /// CUDA launches take the program's own exec.
  void toggle_collection_dynamic(bool enable, Activities activities) noexcept;

  /// Puts `"key": "value"` into the trace that is recorded now, or else the next one.
  void add_metadata(const std::string &key, const std::string &value) noexcept;
  /// The same with a JSON value. What is not JSON is left out, and said.
  void add_metadata_json(const std::string &key, const std::string &value) noexcept;
  /// The same for this and every later trace, from its start on.
  void preset_metadata_json(const std::string &key, const std::string &value) noexcept;

  /// The number of the current step, from 0.
  [[nodiscard]] std::int64_t step_num() const noexcept;
  /// Of the trace that is recorded now, or was last; empty where there is none.
  [[nodiscard]] std::string get_trace_id() const;
  void set_custom_trace_id_callback(std::function<std::string()> callback) noexcept;

  /// The newest trace that is complete: after stop(), the last one.
  [[nodiscard]] Trace trace() const;
  /// Of that one: see there.
  [[nodiscard]] Events events() const { return trace().events(); }
  [[nodiscard]] HostEvents host_events() const { return trace().host_events(); }
  [[nodiscard]] KeyAverages key_averages(bool group_by_input_shape = false,
                                         int group_by_stack_n = 0) const {
    return trace().key_averages(group_by_input_shape, group_by_stack_n);
  }
  bool export_chrome_trace(const std::string &path) const noexcept;
  bool export_memory_timeline(const std::string &path, std::string_view device = {}) const noexcept;
  bool export_stacks(const std::string &path,
                     std::string_view metric = "self_cuda_time_total") const noexcept;

  bool export_execution_trace(const std::string &path) const noexcept;

private:
  [[nodiscard]] static std::shared_ptr<Cycles> cyclesOf(profile_options &options) noexcept;

  const bool scheduled_;
  bool drawing_ = false; // one of Session::drawings is ours
  std::optional<ExecutionTraceObserver> observer_;
  std::shared_ptr<Cycles> cycles_; // null: graphprof does nothing
  Output *output_ = nullptr;       // the session's, which it is detached from at the end
};

} // namespace graphprof

#endif // GRAPHPROF_PROFILE_H
