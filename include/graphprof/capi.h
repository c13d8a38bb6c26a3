// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof for other languages: a flat C interface, of which the Python package is made. C11 and
// C++17, no CUDA header: streams and graphs are passed as the driver's handles.
//
//     graphprof_capi_site *site =
//         graphprof_capi_site_of("attention {}", __FILE__, __LINE__, __func__);
//     struct graphprof_capi_value layer = {graphprof_capi_signed, NULL, {.i = 3}};
//     struct graphprof_capi_region_info info = {sizeof info};
//     info.site = site, info.stream = stream, info.values = &layer, info.value_count = 1;
//     graphprof_capi_region *region = graphprof_capi_region_begin(&info);
//     launch_attention(stream);
//     graphprof_capi_region_end(region);
//
// - A function that can fail returns a status: 0, or one of graphprof_capi_status. Then
//   graphprof_capi_last_error() says what was wrong, and what to do. Nothing is thrown.
// - The begin and the end of a region never fail. What could not be measured is counted
//   (graphprof_capi_get_losses).
// - Each struct begins with `size`, which the caller sets to sizeof the struct. Structs grow at
//   their end only: members that a caller's struct lacks have their default, which is 0, NULL or
//   "not set"; members that the library does not know stay as they are.
// - Texts are UTF-8. The library copies those that it gets. Handles are freed by the function that
//   their description names; NULL is allowed there.
// - Any thread may call any function, also at the same time, but for what is said of regions and
//   lanes. A handle may not be used while it is freed.
// - Callbacks must not throw or jump out. Those of a profile come on a thread of graphprof's, but
//   for `action`.

#ifndef GRAPHPROF_CAPI_H
#define GRAPHPROF_CAPI_H

#include <stddef.h>
#include <stdint.h>

#include "graphprof/detail/export.h"
#include "graphprof/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of this header. Grows when something is added; what is there does not change.
#define GRAPHPROF_CAPI_VERSION 2
/// Of the library that is loaded. If it is below GRAPHPROF_CAPI_VERSION, the library is older than
/// the program, and functions may be missing.
GRAPHPROF_API int graphprof_capi_version(void);

enum graphprof_capi_status {
  graphprof_capi_ok = 0,
  graphprof_capi_bad_argument = 1, ///< NULL, a value out of range, a format that does not fit
  graphprof_capi_unknown = 2,      ///< no output, export, column or file ending of that name
  graphprof_capi_no_memory = 3,
  graphprof_capi_failed = 4,    ///< a file could not be written, CUDA refused, a callback failed
  graphprof_capi_timed_out = 5, ///< not everything arrived in time
  graphprof_capi_off = 6,       ///< GRAPHPROF_ENABLED=0, or a child that graphprof left alone
};
/// What a status means, as a text that is never freed; for a number that is none, too.
GRAPHPROF_API const char *graphprof_capi_error(int status);
/// What was wrong with the last call of this thread that did not return 0. Valid until its next
/// call.
GRAPHPROF_API const char *graphprof_capi_last_error(void);

/// Frees a text that a function returned in a `char **`.
GRAPHPROF_API void graphprof_capi_free(char *text);

// Control (graphprof/control.h)

/// Records from the next launch on, or stops that.
GRAPHPROF_API void graphprof_capi_start(void);
GRAPHPROF_API void graphprof_capi_stop(void);
/// 0 with GRAPHPROF_ENABLED=0, in some forked children, and at the process's end.
GRAPHPROF_API int graphprof_capi_active(void);
/// Whether it is recording: somebody listens, and it was not stopped.
GRAPHPROF_API int graphprof_capi_recording(void);
/// Waits until what was launched has reached outputs and callbacks; timed_out after `timeout_ms`.
GRAPHPROF_API int graphprof_capi_flush(int64_t timeout_ms);

/// graphprof::set_recording_terms: bad_argument if a value makes no sense, and nothing changes.
GRAPHPROF_API int graphprof_capi_set_recording_terms(double budget, uint64_t sample_every,
                                                     unsigned parts);

/// graphprof::Losses
struct graphprof_capi_losses {
  size_t size;
  uint64_t overrun, not_queued, unfinished, incomplete, beyond_limit, not_instantiated,
      not_mirrored, not_launched, invalidated, regions_outside_graphs_failed, dropped,
      names_truncated, host_spans, evicted, not_sampled, plain_kernels, inside_kernels;
};
GRAPHPROF_API int graphprof_capi_get_losses(struct graphprof_capi_losses *losses);

/// What works in this process.
struct graphprof_capi_support {
  size_t size;
  int active;     ///< graphprof_capi_active()
  int driver;     ///< the CUDA driver is there; it is looked for now
  int interposed; ///< under `graphprof run`, or with its preload library: graphs are seen
  int nvtx;       ///< an NVTX tool listens: regions are shown to it
  int sqlite;     ///< databases can be written
};
GRAPHPROF_API int graphprof_capi_get_support(struct graphprof_capi_support *support);

/// Adds an output, as an item of GRAPHPROF_OUTPUT: "table", "trace.json", "runs.db". It gets what
/// is recorded from now on. `unknown` if there is no such output.
GRAPHPROF_API int graphprof_capi_add_output(const char *item);
/// The items that there are, as a sentence's part.
GRAPHPROF_API int graphprof_capi_output_items(char **text);
/// As a program does that makes a profile: the table that is the default without GRAPHPROF_OUTPUT
/// is not shown.
GRAPHPROF_API void graphprof_capi_no_default_table(void);
/// A message of the caller's, on stderr as graphprof's own, once for each text.
GRAPHPROF_API void graphprof_capi_say(const char *text);
/// For programs whose standard error is not the process's, as a notebook's: messages wait until
/// they are taken. Each is told of by `wake(take, user)`, on the thread that has it, maybe under
/// locks: so `wake` must not wait for another thread, and call nothing of graphprof. It has
/// `take(user)` called later, from elsewhere; CPython's Py_AddPendingCall is such a function. A
/// NULL `wake`, which a program has to give before it unloads either: what waits, and all further
/// ones, go to stderr.
GRAPHPROF_API void graphprof_capi_keep_messages(int (*wake)(int (*take)(void *user), void *user),
                                                int (*take)(void *user), void *user);
/// The next message, or NULL in `*text`.
GRAPHPROF_API int graphprof_capi_take_message(char **text);

// Regions (graphprof/scope.h)

typedef struct graphprof_capi_site graphprof_capi_site;
typedef struct graphprof_capi_region graphprof_capi_region;
typedef struct graphprof_capi_lane graphprof_capi_lane;

/// A place in the source, and the format of the names of its regions (fmt's syntax, "layer {}").
/// One handle for all equal places, never freed. `file` and `function` may be NULL. Leave numbers
/// that change out of the format: beyond 10,000 different sites, all further ones are one, which
/// says so, and its regions are counted as shortened names. NULL without memory or format.
GRAPHPROF_API graphprof_capi_site *graphprof_capi_site_of(const char *format, const char *file,
                                                          int line, const char *function);

enum graphprof_capi_kind {
  graphprof_capi_signed = 0,
  graphprof_capi_unsigned = 1,
  graphprof_capi_real = 2,
  graphprof_capi_boolean = 3, ///< `i`
  graphprof_capi_text = 4,
};
/// A context value. Has no `size`, because it comes in arrays: it never changes.
struct graphprof_capi_value {
  int kind;        ///< graphprof_capi_kind
  const char *key; ///< of a value with a key; NULL: one for the next "{}" of the format
  union {
    int64_t i;
    uint64_t u;
    double d;
    const char *text;
  } value;
};
/// bad_argument if the format is none, or does not fit the values without keys.
GRAPHPROF_API int graphprof_capi_check_format(const char *format,
                                              const struct graphprof_capi_value *values,
                                              size_t count);

enum graphprof_capi_where {
  /// The work of `stream`: in its capture, or outside of captures.
  graphprof_capi_in_stream = 0,
  /// All that is captured while it is open, if this thread has begun a capture; else as in_stream.
  graphprof_capi_in_capture_or_stream = 1,
  /// The same, but else only a host time: the stream is not known.
  graphprof_capi_in_capture_or_host = 2,
};
struct graphprof_capi_region_info {
  size_t size;
  const graphprof_capi_site *site;
  int where;    ///< graphprof_capi_where
  void *stream; ///< CUstream; NULL and 1: the legacy default stream, 2: the per-thread one
  const struct graphprof_capi_value *values;
  size_t value_count;
  double flops;              ///< operations of one execution; 0: not known
  double bytes;              ///< bytes that it moves; 0: not known
  graphprof_capi_lane *lane; ///< NULL: the thread's own
};
/// Opens a region. Returns what region_end() takes: NULL, if there is nothing to measure.
///
/// If the stream is being captured and nothing of graphprof's sees the program's graphs, the first
/// such region says what to do.
GRAPHPROF_API graphprof_capi_region *
graphprof_capi_region_begin(const struct graphprof_capi_region_info *info);
/// The same without a struct, for callers to which filling one costs more than the call. `flops`
/// and `bytes` are values with these keys.
GRAPHPROF_API graphprof_capi_region *
graphprof_capi_region_open(const graphprof_capi_site *site, int where, void *stream,
                           const struct graphprof_capi_value *values, size_t value_count,
                           graphprof_capi_lane *lane);
/// Closes it, on the thread that opened it. Regions of one lane may end in any order.
GRAPHPROF_API void graphprof_capi_region_end(graphprof_capi_region *region);
/// Drops it: what it should have timed did not happen. Only the newest of its lane.
GRAPHPROF_API void graphprof_capi_region_discard(graphprof_capi_region *region);

/// A task: regions nest in their lane, however tasks take turns on one thread. Only one thread at a
/// time may use a lane. NULL without memory.
GRAPHPROF_API graphprof_capi_lane *graphprof_capi_lane_create(void);
/// Its regions must have ended; those that have not are lost.
GRAPHPROF_API void graphprof_capi_lane_release(graphprof_capi_lane *lane);

// What graphs serve (graphprof/graph_scope.h)

typedef struct graphprof_capi_graph_name graphprof_capi_graph_name;
/// Names the graphs that this thread begins to capture or creates, those without a name that it
/// instantiates, and its launches, until graph_name_end(). `name` is a format, as a site's; values
/// with keys are shown behind it. NULL if there is nothing to name.
GRAPHPROF_API graphprof_capi_graph_name *
graphprof_capi_graph_name_begin(const char *name, const struct graphprof_capi_value *values,
                                size_t value_count);
/// On any thread. NULL is allowed.
GRAPHPROF_API void graphprof_capi_graph_name_end(graphprof_capi_graph_name *name);

// Steps (graphprof/step.h) and marks

GRAPHPROF_API void graphprof_capi_step(void);
/// -1 outside of steps.
GRAPHPROF_API int64_t graphprof_capi_current_step(void);
GRAPHPROF_API void graphprof_capi_mark(const char *name);

// Profiles (graphprof/profile.h)

typedef struct graphprof_capi_profile graphprof_capi_profile;
typedef struct graphprof_capi_trace graphprof_capi_trace;
typedef struct graphprof_capi_averages graphprof_capi_averages;

struct graphprof_capi_schedule {
  size_t size;
  int wait, warmup, active, repeat, skip_first, skip_first_wait;
};
/// bad_argument if `active` is below 1, or another one below 0.
GRAPHPROF_API int graphprof_capi_check_schedule(const struct graphprof_capi_schedule *schedule);
/// The action of a step: 0 none, 1 warm-up, 2 record, 3 record and save. 0 for a schedule that is
/// none.
GRAPHPROF_API int graphprof_capi_action(const struct graphprof_capi_schedule *schedule,
                                        int64_t step);

enum graphprof_capi_activity { graphprof_capi_cpu = 1, graphprof_capi_cuda = 2 };
struct graphprof_capi_profile_options {
  size_t size;
  unsigned activities;                            ///< bits; 0: all
  const struct graphprof_capi_schedule *schedule; ///< NULL: `action`, or all is recorded
  /// Returns the action of a step. Called on the thread that steps.
  int (*action)(void *user, int64_t step);
  /// Gets each complete trace, which it may keep: graphprof_capi_trace_release().
  void (*on_trace_ready)(void *user, graphprof_capi_trace *trace);
  void *user;
  int profile_memory, acc_events, execution_trace;
  int record_shapes, with_stack, with_flops, with_modules;
};
/// Does not start it. Free it by graphprof_capi_profile_destroy().
GRAPHPROF_API int
graphprof_capi_profile_create(const struct graphprof_capi_profile_options *options,
                              graphprof_capi_profile **profile);
/// Stops it. Waits for a callback that is under way; none comes afterwards.
GRAPHPROF_API void graphprof_capi_profile_destroy(graphprof_capi_profile *profile);
GRAPHPROF_API int graphprof_capi_profile_start(graphprof_capi_profile *profile);
GRAPHPROF_API int graphprof_capi_profile_step(graphprof_capi_profile *profile);
GRAPHPROF_API int graphprof_capi_profile_stop(graphprof_capi_profile *profile, int64_t timeout_ms);
GRAPHPROF_API int graphprof_capi_profile_flush(graphprof_capi_profile *profile, int64_t timeout_ms);
GRAPHPROF_API int graphprof_capi_profile_toggle(graphprof_capi_profile *profile, int enable,
                                                unsigned activities);
/// `value` is a text; with `json`, a JSON value. `preset`: for this and every later trace.
GRAPHPROF_API int graphprof_capi_profile_metadata(graphprof_capi_profile *profile, const char *key,
                                                  const char *value, int json, int preset);
GRAPHPROF_API int64_t graphprof_capi_profile_step_num(graphprof_capi_profile *profile);
GRAPHPROF_API int graphprof_capi_profile_trace_id(graphprof_capi_profile *profile, char **text);
/// The newest complete trace. Free it by graphprof_capi_trace_release().
GRAPHPROF_API int graphprof_capi_profile_trace(graphprof_capi_profile *profile,
                                               graphprof_capi_trace **trace);

// Traces (graphprof/trace.h)

GRAPHPROF_API void graphprof_capi_trace_release(graphprof_capi_trace *trace);
struct graphprof_capi_trace_info {
  size_t size;
  uint64_t cycle; ///< from 1; 0: nothing was recorded
  int64_t first_step, last_step;
  uint64_t dropped;
  size_t event_count, host_event_count;
  const char *trace_id; ///< as long as the trace
};
GRAPHPROF_API int graphprof_capi_trace_get(graphprof_capi_trace *trace,
                                           struct graphprof_capi_trace_info *info);

/// graphprof::Record. Texts live as long as the trace.
struct graphprof_capi_event {
  size_t size;
  const char *name;
  size_t name_length;
  const char *file; ///< "" for a node
  int line;
  int depth;
  int kind;  ///< 0 region, 1 kernel, 2 copy, 3 memset, 4 host function, 5 child graph
  int clock; ///< 0 stamp, 1 event, 2 host
  int cold, device;
  int64_t launch_ns, begin_ns;
  int64_t duration_ns; ///< negative: not measured
  uint64_t stream, graph, exec, replay;
  int64_t step, iteration; ///< -1: in none
  /// Of the driver (CUDA 13.1); 0: it tells none. From version 2 on.
  uint32_t cuda_graph, cuda_exec;
  int64_t cuda_node; ///< -1: not a node, or it tells none
  /// From version 2 on, as all that follows. Negative: not measured.
  int64_t busy_ns, gap_ns;
  uint32_t busy_replays;  ///< 0: busy_ns was not measured
  int gap_cause;          ///< 0 unknown, 1 launch, 2 dependency, 3 device full
  int ends;               ///< 0 completion, 1 next begin
  const char *graph_name; ///< what its graph serves; empty: it has no name
  size_t graph_name_length;
};
GRAPHPROF_API int graphprof_capi_trace_event(graphprof_capi_trace *trace, size_t index,
                                             struct graphprof_capi_event *event);
/// graphprof::HostSpan
struct graphprof_capi_host_event {
  size_t size;
  const char *name;
  size_t name_length;
  int kind; ///< 0 region, 1 launch, 2 step, 3 copy, 4 mark, 5 range
  int captured;
  uint64_t thread;
  int64_t begin_ns, end_ns, step;
  uint64_t graph, exec, replay, bytes;
};
GRAPHPROF_API int graphprof_capi_trace_host_event(graphprof_capi_trace *trace, size_t index,
                                                  struct graphprof_capi_host_event *event);

/// Writes `path`. `what`: "chrome_trace"; "stacks" (`detail`: the metric, or NULL);
/// "memory_timeline" (`detail`: the device, or NULL); "execution_trace".
GRAPHPROF_API int graphprof_capi_trace_export(graphprof_capi_trace *trace, const char *what,
                                              const char *path, const char *detail);

// Key averages (graphprof/key_averages.h)

/// Free it by graphprof_capi_averages_release().
GRAPHPROF_API int graphprof_capi_trace_averages(graphprof_capi_trace *trace,
                                                int group_by_input_shape, int group_by_stack_n,
                                                graphprof_capi_averages **averages);
GRAPHPROF_API void graphprof_capi_averages_release(graphprof_capi_averages *averages);
GRAPHPROF_API size_t graphprof_capi_averages_size(const graphprof_capi_averages *averages);
/// graphprof::FunctionEventAvg. Times in microseconds. Texts live as long as the averages.
struct graphprof_capi_average {
  size_t size;
  const char *key, *input_shapes;
  const char *stack; ///< lines
  int64_t count;
  int top_level, cold, rounded;
  double cpu_time_total, self_cpu_time_total, device_time_total, self_device_time_total;
  double cpu_time, device_time;
  int64_t cpu_memory_usage, self_cpu_memory_usage, device_memory_usage, self_device_memory_usage;
  double flops, bytes;
  double min, median, p95, p99, max;
  double replay_percent, flops_per_s, bytes_per_s, roofline_percent;
  double busy_time, gap_time; ///< negative: not measured
  int64_t busy_replays;
  int device_time_is_busy;
  double self_device_percent;
};
GRAPHPROF_API int graphprof_capi_averages_row(const graphprof_capi_averages *averages, size_t index,
                                              struct graphprof_capi_average *row);
struct graphprof_capi_table_options {
  size_t size;
  const char *sort_by;                                                      ///< NULL: as they came
  int row_limit;                                                            ///< negative: all
  int max_src_column_width, max_name_column_width, max_shapes_column_width; ///< 0: the default
  const char *header, *time_unit;                                           ///< NULL: the default
  int top_level_events_only, statistics;
};
/// `options` may be NULL. Free the text by graphprof_capi_free().
GRAPHPROF_API int graphprof_capi_averages_table(const graphprof_capi_averages *averages,
                                                const struct graphprof_capi_table_options *options,
                                                char **text);

// Benchmarks (graphprof/bench.h)

typedef struct graphprof_capi_bench graphprof_capi_bench;

/// Device memory of the arguments.
struct graphprof_capi_range {
  const void *data;
  size_t bytes;
};
/// What is measured: a callable that issues its work to a stream, or a captured graph. Callbacks
/// come on the calling thread, before the function returns. One that does not return 0 ends the
/// measurement with the status `failed`.
struct graphprof_capi_candidate {
  size_t size;
  const char *name;
  void *user;
  /// Issues the work of one call to `stream`. `copy`: which copy of the arguments; 0 the originals.
  int (*call)(void *user, void *stream, int copy);
  /// NULL, or: a CUgraph that is measured instead of a callable. It stays the caller's.
  void *graph;
  /// Device memory that a call uses, and that is copied so that each call finds a cold cache.
  const struct graphprof_capi_range *ranges;
  size_t range_count;
  /// Makes copies, if there are ranges, so that there are `copies` with the originals. The caller
  /// frees them after the measurement.
  int (*make_copies)(void *user, int copies);
  /// NULL, or: captures `stream` itself (PyTorch does, so that its allocator knows): begins a
  /// capture, calls issue(issue_user), returns its result unless it is 0, ends the capture, and
  /// sets `*graph` to the CUgraph, which stays its own, and valid until the measurement has ended.
  int (*capture)(void *user, void *stream, int (*issue)(void *issue_user), void *issue_user,
                 void **graph);
};
struct graphprof_capi_bench_options {
  size_t size;
  int dry_run_iters, repeat_iters; ///< negative: by time
  int dry_run_time_ms, repeat_time_ms;
  int num_iters_within_graph;
  int sleep_after_run, cold_l2_cache;
  int cold_method; ///< 0 automatic, 1 rotation, 2 flush
  int stop;        ///< 0 time, 1 median, 2 entropy
  double relative_precision;
  int max_time_ms;
  double min_sm_clock;
  uint64_t bytes;
  double flops;
  int timer;   ///< 0 graph, 1 eager, 2 stamps; of one candidate only
  int per_run; ///< a sample for each replay, whichever way it is timed, as flashinfer's list has it
  void *stream; ///< CUstream; NULL: graphprof's own
};
/// Fills in the defaults of graphprof::bench_options.
GRAPHPROF_API int graphprof_capi_bench_defaults(struct graphprof_capi_bench_options *options);
/// Measures one candidate, or several in turns. Uses the device whose context is current, and waits
/// for it. Free the result by graphprof_capi_bench_release().
GRAPHPROF_API int graphprof_capi_bench_run(const struct graphprof_capi_candidate *candidates,
                                           size_t count,
                                           const struct graphprof_capi_bench_options *options,
                                           graphprof_capi_bench **bench);
GRAPHPROF_API void graphprof_capi_bench_release(graphprof_capi_bench *bench);
/// graphprof::bench_result of a candidate, and its ratio to the first. Times in milliseconds of one
/// iteration. Pointers live as long as the result.
struct graphprof_capi_bench_result {
  size_t size;
  const char *name, *device, *throttle;
  const double *times_ms;
  size_t time_count;
  size_t discarded;
  double median_ms, low_ms, high_ms, mean_ms, stddev_ms, min_ms, max_ms;
  double p5_ms, p25_ms, p75_ms, p95_ms, p99_ms;
  int converged, cold, cold_method, timer;
  double bytes_per_s, flops_per_s;
  size_t l2_bytes, argument_bytes, reuse_bytes, memory_bytes, node_count;
  int copies, graphs, iterations_within_graph, dry_runs;
  double peak_sm_clock_mhz;
  const char *const *warnings;
  size_t warning_count;
  const char *const *nodes;
  size_t work_count; ///< of `nodes`
  double ratio, ratio_low, ratio_high;
  int verdict; ///< 0 undecided, 1 faster, 2 slower than the first candidate
};
GRAPHPROF_API int graphprof_capi_bench_get(const graphprof_capi_bench *bench, size_t candidate,
                                           struct graphprof_capi_bench_result *result);

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_CAPI_H
