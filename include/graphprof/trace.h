// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graphprof::profile recorded in one cycle of its schedule. It is complete, and never
// changes.

#ifndef GRAPHPROF_TRACE_H
#define GRAPHPROF_TRACE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphprof/detail/export.h"
#include "graphprof/host_span.h"
#include "graphprof/key_averages.h"
#include "graphprof/record.h"

namespace graphprof {

struct SavedCycle; // the library's own

inline namespace v1 {

/// A list of a trace's events, in order. Keeps alive what its events point to.
///
///     for (const graphprof::Record &record : trace.events())
///       total += record.measured() ? record.duration_ns : 0;
template <class Event> class EventList {
public:
  // NOLINTNEXTLINE(readability-redundant-typename): C++17 asks for it
  using const_iterator = typename std::vector<Event>::const_iterator;

  explicit EventList(std::shared_ptr<const std::vector<Event>> events)
      : events_(std::move(events)) {}

  [[nodiscard]] const_iterator begin() const noexcept { return events_->begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return events_->end(); }
  [[nodiscard]] std::size_t size() const noexcept { return events_->size(); }
  [[nodiscard]] bool empty() const noexcept { return events_->empty(); }
  [[nodiscard]] const Event &operator[](std::size_t index) const { return (*events_)[index]; }

private:
  std::shared_ptr<const std::vector<Event>> events_;
};

/// The records of a trace, in the order in which they were read: those of a replay in capture
/// order, replays of one exec in launch order.
using Events = EventList<Record>;
/// Its host spans, thread by thread, and in a thread by their begin: what contains a span comes
/// before it.
using HostEvents = EventList<HostSpan>;

/// One trace. A small value that shares its data with its copies. Any thread may use it, and keep
/// it for as long as it likes. Members with torch.profiler's names do what they do there.
///
///     options.on_trace_ready = [](const graphprof::Trace &trace) {
///       trace.export_chrome_trace("trace-" + std::to_string(trace.cycle()) + ".json");
///     };
class GRAPHPROF_API Trace {
public:
  /// The number of the cycle, from 1. 0: nothing was recorded yet, so there are no events.
  [[nodiscard]] std::uint64_t cycle() const noexcept;
  /// The first and the last step that were recorded, as the profile counts them, from 0; -1: none.
  [[nodiscard]] std::int64_t first_step() const noexcept;
  [[nodiscard]] std::int64_t last_step() const noexcept;
  /// What custom_trace_id_callback returned, or 32 random hexadecimal digits.
  [[nodiscard]] std::string get_trace_id() const;

  /// The records of this cycle; with acc_events also of those before it.
  [[nodiscard]] Events events() const;
  /// For each of events(): if it is a copy of a step (graphprof/copies.h), for how many nanoseconds
  /// of it other streams of its device computed (replays of graphs, regions outside graphs). -1: it
  /// is no copy, or was not measured.
  [[nodiscard]] std::vector<std::int64_t> overlapped_ns() const;
  /// What the program's threads did meanwhile: the spans that began and ended in the cycle, if
  /// ProfilerActivity::CPU is recorded. With acc_events also those of the cycles before.
  [[nodiscard]] HostEvents host_events() const;
  /// A row for each name of events() and host_events() together. With `group_by_input_shape`, a row
  /// for each name and values. With `group_by_stack_n`, also for each of the n innermost places in
  /// the source. A region is one row, with the host's times of its threads and the device's times
  /// of its work. With profile_memory it also has what the region allocated, and a row "[memory]"
  /// has what was allocated in no region. A row is of warm replays, or, if
  /// there are none, of cold ones, and marked.
  [[nodiscard]] KeyAverages key_averages(bool group_by_input_shape = false,
                                         int group_by_stack_n = 0) const;
  /// How many records and host spans were left out, beyond GRAPHPROF_MAX_RECORDS.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

  /// Writes this cycle, and no earlier one, as a Chrome trace. In the path, {pid} and {host} stand
  /// for the process's id and the machine's name. The file appears when it is whole. If it cannot
  /// be written, a message on stderr says why, and the result is false.
  bool export_chrome_trace(const std::string &path) const noexcept;

  /// Writes folded stacks for flame graphs, one a line: the names of the regions from the outermost
  /// inwards, with ';' between them, and how many nanoseconds the innermost took without the
  /// regions inside it, summed over its executions. (PyTorch writes whole microseconds.)
  ///
  ///     layer_0;attention 1263040
  ///
  /// `metric` is self_cuda_time_total (what ran on the device) or self_cpu_time_total (what threads
  /// did: regions, launches, steps; without ProfilerActivity::CPU, regions with host time). Spaces
  /// and ';' in names become '_'. If `metric` is another one, or the file cannot be written, a
  /// message on stderr says so, and the result is false.
  bool export_stacks(const std::string &path,
                     std::string_view metric = "self_cuda_time_total") const noexcept;

  /// Writes the graphs of this cycle's replays, with the times of their regions and, with
  /// GRAPHPROF_NODES=1, nodes: as JSON (`path` ends in .json), or for Graphviz (.dot), of which
  /// `graphprof convert` makes a picture. Make the profile with execution_trace before you make the
  /// graphs. If the path ends in something else, or the file cannot be written, a message on stderr
  /// says so, and the result is false.
  bool export_execution_trace(const std::string &path) const noexcept;

  /// Writes how much memory of each kind (graphprof/memory.h) was allocated when, if the profile
  /// was made with profile_memory. The end of the path chooses the form:
  ///
  ///     .raw.json.gz, .raw.json        a list of (time in ns, action, bytes, category)
  ///     .json.gz, and any other        times in us, and of each the bytes by category
  ///
  /// Both lists are torch.profiler's; docs/torch-profiler.md explains their numbers. `device` is
  /// "cuda:0", "cuda:1", ..., or "cpu" for the host's pinned memory; empty: the first device with
  /// any events. If the file cannot be written, or nothing was allocated or freed, a message on
  /// stderr says so, and the result is false; likewise for .html. A page of the program's memory is
  /// made by `graphprof html`, of a recording with GRAPHPROF_MEMORY=1.
  bool export_memory_timeline(const std::string &path, std::string_view device = {}) const noexcept;

  explicit Trace(std::shared_ptr<const SavedCycle> saved) : saved_(std::move(saved)) {}

private:
  friend class ExecutionTraceObserver;
  std::shared_ptr<const SavedCycle> saved_; // never null
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_TRACE_H
