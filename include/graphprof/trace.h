// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graphprof::profile has recorded in one cycle of its schedule. Complete, and never changed
// afterwards.

#ifndef GRAPHPROF_TRACE_H
#define GRAPHPROF_TRACE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphprof/host_span.h"
#include "graphprof/key_averages.h"
#include "graphprof/record.h"

namespace graphprof {

struct SavedCycle; // the library's own

/// Some of what a trace has, in order. Keeps what its events point to.
///
///     for (const graphprof::Record &record : trace.events())
///       total += record.measured() ? record.durationNs : 0;
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
/// Its host spans, thread by thread, those of a thread by their begin: what contains a span stands
/// before it.
using HostEvents = EventList<HostSpan>;

/// One trace. A small value that shares what it shows with its copies; any thread may use it, and
/// keep it for as long as it likes. Members with torch.profiler's names do what they do there.
///
///     options.on_trace_ready = [](const graphprof::Trace &trace) {
///       trace.export_chrome_trace("trace-" + std::to_string(trace.cycle()) + ".json");
///     };
class Trace {
public:
  /// The number of the cycle, from 1. 0: nothing was recorded yet, and there are no events.
  [[nodiscard]] std::uint64_t cycle() const noexcept;
  /// The first and the last step that were recorded, as the profile counts them, from 0; -1: none.
  [[nodiscard]] std::int64_t firstStep() const noexcept;
  [[nodiscard]] std::int64_t lastStep() const noexcept;
  /// What custom_trace_id_callback returned, or 32 random hexadecimal digits.
  [[nodiscard]] std::string get_trace_id() const;

  /// The records of this cycle; with acc_events also of those before it.
  [[nodiscard]] Events events() const;
  /// For each of events() that is a copy of a step (graphprof/copies.h), for how many nanoseconds
  /// of it other streams of its device computed: replays of graphs, and regions outside graphs. -1:
  /// it is no copy, or was not measured.
  [[nodiscard]] std::vector<std::int64_t> overlapped_ns() const;
  /// What the program's threads did meanwhile, likewise, where ProfilerActivity::CPU is recorded:
  /// what began and ended in the cycle.
  [[nodiscard]] HostEvents host_events() const;
  /// A row for each name of events() and host_events() together; with the first for each name and
  /// values, with the second also for each of so many innermost places in the source. A region is
  /// one row: the host's times from its threads, the device's from its work. With profile_memory
  /// also what each allocated, and a row "[memory]" of what was allocated in none. Cold replays are
  /// left out.
  [[nodiscard]] KeyAverages key_averages(bool group_by_input_shape = false,
                                         int group_by_stack_n = 0) const;
  /// Records and host spans that were left out because there were too many (GRAPHPROF_MAX_RECORDS).
  [[nodiscard]] std::uint64_t dropped() const noexcept;

  /// Writes this cycle, and no earlier one, as a Chrome trace; in the path {pid} and {host} stand
  /// for the process's id and the machine's name. The file appears when it is whole. Where it
  /// cannot be written that is said on stderr, and the result is false.
  bool export_chrome_trace(const std::string &path) const noexcept;

  /// Writes folded stacks, one a line, for flame graphs: the names of regions from the outermost to
  /// the one, with ';' between them, and how many nanoseconds that one took without those inside
  /// it, in all its executions together. (PyTorch writes whole microseconds.)
  ///
  ///     layer_0;attention 1263040
  ///
  /// `metric` is self_cuda_time_total (what ran on the device) or self_cpu_time_total (what threads
  /// did: regions, launches, steps; without ProfilerActivity::CPU regions with host time). Spaces
  /// and ';' in names become '_'. Another metric, or a file that cannot be written, is said on
  /// stderr, and the result is false.
  bool export_stacks(const std::string &path,
                     std::string_view metric = "self_cuda_time_total") const noexcept;

  /// Writes the graphs of this cycle's replays, with the times of their regions and, with
  /// GRAPHPROF_NODES=1, nodes: as JSON (`path` ends in .json), for Graphviz (.dot), or as a picture
  /// (.svg; where Graphviz is not installed a .dot beside it, and the result is false). The profile
  /// was made with execution_trace before the graphs were. Another ending, or a file that cannot be
  /// written, is said on stderr, and the result is false.
  bool export_execution_trace(const std::string &path) const noexcept;

  /// Writes how much memory was allocated when, of what kind (graphprof/memory.h), where the
  /// profile was made with profile_memory. What the path ends in says how:
  ///
  ///     .html                          a page with the plot, and with what was there at the peak
  ///     .raw.json.gz, .raw.json        a list of (time in ns, action, bytes, category)
  ///     .json.gz, and any other        times in us, and of each the bytes by category
  ///
  /// Both lists are torch.profiler's; docs/torch-profiler.md says what their numbers are. `device`
  /// is "cuda:0", "cuda:1", ..., or "cpu" for the host's pinned memory; empty: the first device
  /// that there is something of. Where it cannot be written, or nothing was allocated or freed,
  /// that is said on stderr, and the result is false.
  bool export_memory_timeline(const std::string &path, std::string_view device = {}) const noexcept;

  explicit Trace(std::shared_ptr<const SavedCycle> saved) : saved_(std::move(saved)) {}

private:
  friend class ExecutionTraceObserver;
  std::shared_ptr<const SavedCycle> saved_; // never null
};

} // namespace graphprof

#endif // GRAPHPROF_TRACE_H
