// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// torch.profiler's profile for CUDA C++: records some steps of a program, and shows them.
// docs/torch-profiler.md sets each member beside PyTorch's.

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
#include "graphprof/detail/export.h"
#include "graphprof/execution_trace.h"
#include "graphprof/schedule.h"
#include "graphprof/trace.h"

namespace graphprof {

class Cycles; // the library's own
class Output;

inline namespace v1 {

/// PyTorch's _ExperimentalConfig, which sets up Kineto and CUPTI. graphprof uses neither. It
/// accepts the struct, so that a translated program compiles, and reports that it does nothing.
struct ExperimentalConfig {};

/// The options of a profile. Names and meaning are torch.profiler.profile's.
struct profile_options {
  Activities activities = Activities::all();
  /// Maps the number of a step to its action: a graphprof::schedule, or any function. It is called
  /// on the thread that steps. Empty: everything is recorded from start() to stop().
  std::function<ProfilerAction(std::int64_t step)> schedule;
  /// Gets each trace when it is complete: at the end of each cycle of the schedule, and at stop().
  std::function<void(const Trace &trace)> on_trace_ready;
  /// Records the program's allocations and frees, for Trace::export_memory_timeline and the memory
  /// columns of key_averages().
  bool profile_memory = false;
  /// events() has the records of all cycles, not only of the last one.
  bool acc_events = false;
  /// Keeps the nodes of the graphs that are captured or built from now on, for
  /// export_execution_trace(). Asks the driver once for each graph what its nodes do.
  bool execution_trace = false;
  /// The same, and the observer writes them to a file. Switches execution_trace on.
  std::optional<ExecutionTraceObserver> execution_trace_observer;
  /// Makes the id of a trace when its cycle is prepared. Empty: a random id.
  std::function<std::string()> custom_trace_id_callback;
  /// PyTorch's options for what graphprof always records: an annotation's values, its source line
  /// and function, its `flops`, and the regions around it. Here they only become keys of the trace,
  /// as in PyTorch ("with_stack": 1).
  bool record_shapes = false, with_stack = false, with_flops = false, with_modules = false;
  /// Deprecated, as in PyTorch: whether `activities` has CUDA.
  std::optional<bool> use_cuda;
  /// Does nothing; see ExperimentalConfig.
  std::optional<ExperimentalConfig> experimental_config;
};

/// Makes a profile that does not start before start().
struct defer_start_t {};
inline constexpr defer_start_t defer_start{};

/// Records some steps of a program, and nothing in between.
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
/// **What a step does.** In a step with the action NONE, launches take the program's own exec. With
/// WARMUP they are timed, and the times are thrown away. Otherwise they are recorded. The
/// transitions between steps are torch.profiler's. A replay belongs to the step in which it was
/// *launched*, a region outside graphs to the step in which it began.
///
/// **Nothing waits.** PyTorch's step() synchronizes, and calls on_trace_ready before it returns.
/// This one notes a time and returns: it makes no CUDA call and does not wait for the device. A
/// trace is complete once every replay that was launched in it has been read. Then a thread of
/// graphprof's calls on_trace_ready, one trace after the other, while the program goes on.
/// on_trace_ready must not call CUDA. To wait for it, call flush(); stop() waits, too.
///
/// **With other outputs.** A program that makes a profile decides itself when to record. From then
/// on graphprof records while somebody listens: a profile in WARMUP or RECORD, a Profiler, or
/// outputs that GRAPHPROF_OUTPUT names. The table that is the default without GRAPHPROF_OUTPUT is
/// not shown. graphprof::stop() switches all of them off, and start() switches them on again.
/// Several profiles may exist, each with its own schedule. With GRAPHPROF_ENABLED=0 a profile does
/// nothing.
///
/// Any thread may call any member, also in on_trace_ready. No member throws: what the functions in
/// the options throw is caught and reported.
class GRAPHPROF_API profile {
public:
  /// Starts, as Python's `with` does.
  explicit profile(profile_options options = {});
  /// Does not start; call start().
  profile(profile_options options, defer_start_t);
  /// Stops. Waits for a call of on_trace_ready that is under way, however long that takes. It is
  /// not called afterwards.
  ~profile();
  profile(const profile &) = delete;
  profile &operator=(const profile &) = delete;

  void start() noexcept;
  /// Ends the step and begins the next one. Call it at the end of each iteration. Also begins a
  /// step of the process, as graphprof::step() does.
  void step() noexcept;
  /// Ends recording, then waits as flush() does. Returns what flush() returns.
  bool stop(std::int64_t timeout_ms = 10'000) noexcept;

  /// Waits until every trace whose cycle has ended is complete and was passed to on_trace_ready, or
  /// until `timeout_ms` milliseconds have passed. Returns whether all were. Returns false at once
  /// if on_trace_ready calls it.
  bool flush(std::int64_t timeout_ms = 10'000) noexcept;

  /// Switches `activities` on or off until the cycle ends, while recording. Without CUDA, launches
  /// take the program's own exec.
  void toggle_collection_dynamic(bool enable, Activities activities) noexcept;

  /// Puts `"key": "value"` into the trace that is being recorded, or else into the next one.
  void add_metadata(const std::string &key, const std::string &value) noexcept;
  /// The same with a JSON value. What is not JSON is left out, and reported.
  void add_metadata_json(const std::string &key, const std::string &value) noexcept;
  /// The same for this and every later trace, from its start on.
  void preset_metadata_json(const std::string &key, const std::string &value) noexcept;

  /// The number of the current step, from 0.
  [[nodiscard]] std::int64_t step_num() const noexcept;
  /// The id of the trace that is being recorded, or was last; empty if there is none.
  [[nodiscard]] std::string get_trace_id() const;
  void set_custom_trace_id_callback(std::function<std::string()> callback) noexcept;

  /// The newest complete trace: after stop(), the last one.
  [[nodiscard]] Trace trace() const;
  // Of trace(); see Trace.
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
  [[nodiscard]] GRAPHPROF_LOCAL static std::shared_ptr<Cycles>
  cyclesOf(profile_options &options) noexcept;

  const bool scheduled_;
  bool drawing_ = false; // one of Session::drawings is ours
  std::optional<ExecutionTraceObserver> observer_;
  std::shared_ptr<Cycles> cycles_; // null: graphprof does nothing
  Output *output_ = nullptr;       // the session's, which it is detached from at the end
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_PROFILE_H
