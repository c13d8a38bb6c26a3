// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements the traces and key averages of graphprof/capi.h.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Edge.h"
#include "capi/FlatTrace.h"
#include "capi/Status.h"
#include "graphprof/key_averages.h"
#include "process/Process.h"
#include "services/MessageLog.h"
#include "session/Session.h"

using namespace graphprof;

struct graphprof_capi_averages {
  explicit graphprof_capi_averages(KeyAverages of) : averages(std::move(of)) {
    for (const FunctionEventAvg &row : averages) {
      std::string &lines = stacks.emplace_back();
      for (const std::string &place : row.stack)
        lines += (lines.empty() ? "" : "\n") + place;
    }
  }
  const KeyAverages averages;
  std::vector<std::string> stacks; // of each row
};

namespace graphprof {
namespace {

int outOfRange() noexcept {
  return capi::failed(graphprof_capi_bad_argument, "index is out of range");
}

bool exported(const Trace &trace, std::string_view what, const char *path, const char *detail) {
  if (what == "chrome_trace")
    return trace.export_chrome_trace(path);
  if (what == "stacks")
    return trace.export_stacks(path, detail ? detail : "self_cuda_time_total");
  if (what == "memory_timeline")
    return trace.export_memory_timeline(path, detail ? detail : "");
  if (what == "execution_trace")
    return trace.export_execution_trace(path);
  throw capi::Failure{graphprof_capi_unknown,
                      "there is no export '" + std::string(what) +
                          "'; use chrome_trace, stacks, memory_timeline or execution_trace"};
}

} // namespace
} // namespace graphprof

void graphprof_capi_trace_release(graphprof_capi_trace *trace) { delete trace; }

int graphprof_capi_trace_get(graphprof_capi_trace *of, graphprof_capi_trace_info *info) {
  if (!of)
    return capi::missing("trace");
  graphprof_capi_trace_info all{};
  all.cycle = of->trace.cycle();
  all.first_step = of->trace.first_step();
  all.last_step = of->trace.last_step();
  all.dropped = of->trace.dropped();
  all.event_count = of->events.size();
  all.host_event_count = of->hostEvents.size();
  all.trace_id = of->id.c_str();
  return capi::write(info, all) ? graphprof_capi_ok : capi::missing("info");
}

int graphprof_capi_trace_event(graphprof_capi_trace *of, size_t index,
                               graphprof_capi_event *event) {
  if (!of)
    return capi::missing("trace");
  if (index >= of->events.size())
    return outOfRange();
  const Record &record = of->events[index];
  graphprof_capi_event all{};
  all.name = record.name.data();
  all.name_length = record.name.size();
  all.file = record.site && record.site->file ? record.site->file : "";
  all.line = record.site ? record.site->line : 0;
  all.depth = record.depth;
  all.kind = static_cast<int>(record.kind);
  all.clock = static_cast<int>(record.clock);
  all.cold = record.cold ? 1 : 0;
  all.device = record.device;
  all.launch_ns = record.launch_ns;
  all.begin_ns = record.begin_ns;
  all.duration_ns = record.duration_ns;
  all.stream = record.stream;
  all.graph = record.graph;
  all.exec = record.exec;
  all.replay = record.replay;
  all.step = record.step;
  all.iteration = record.iteration;
  all.cuda_graph = record.cuda_graph;
  all.cuda_exec = record.cuda_exec;
  all.cuda_node = record.cuda_node;
  all.busy_ns = record.busy_ns;
  all.gap_ns = record.gap_ns;
  all.busy_replays = record.busy_replays;
  all.gap_cause = static_cast<int>(record.gap_cause);
  all.ends = static_cast<int>(record.ends);
  all.graph_name = record.graph_name.data();
  all.graph_name_length = record.graph_name.size();
  return capi::write(event, all) ? graphprof_capi_ok : capi::missing("event");
}

int graphprof_capi_trace_host_event(graphprof_capi_trace *of, size_t index,
                                    graphprof_capi_host_event *event) {
  if (!of)
    return capi::missing("trace");
  if (index >= of->hostEvents.size())
    return outOfRange();
  const HostSpan &span = of->hostEvents[index];
  graphprof_capi_host_event all{};
  all.name = span.name.data();
  all.name_length = span.name.size();
  all.kind = static_cast<int>(span.kind);
  all.captured = span.captured ? 1 : 0;
  all.thread = span.thread;
  all.begin_ns = span.begin_ns;
  all.end_ns = span.end_ns;
  all.step = span.step;
  all.graph = span.graph;
  all.exec = span.exec;
  all.replay = span.replay;
  all.bytes = span.bytes;
  return capi::write(event, all) ? graphprof_capi_ok : capi::missing("event");
}

int graphprof_capi_trace_export(graphprof_capi_trace *of, const char *what, const char *path,
                                const char *detail) {
  if (!of || !what || !path)
    return capi::missing(!of ? "trace" : !what ? "what" : "path");
  return capi::guarded([&] {
    std::string said;
    bool done = false;
    {
      const MessageLog::Kept kept;
      done = exported(of->trace, what, path, detail);
      said = kept.text();
    }
    if (!done)
      throw capi::Failure{graphprof_capi_failed, said};
    if (!said.empty())
      process().session.say(said);
  });
}

int graphprof_capi_trace_averages(graphprof_capi_trace *of, int group_by_input_shape,
                                  int group_by_stack_n, graphprof_capi_averages **averages) {
  if (!of || !averages)
    return capi::missing(of ? "averages" : "trace");
  const Edge edge;
  return capi::guarded([&] {
    *averages = new graphprof_capi_averages(
        of->trace.key_averages(group_by_input_shape != 0, group_by_stack_n));
  });
}

void graphprof_capi_averages_release(graphprof_capi_averages *averages) { delete averages; }

size_t graphprof_capi_averages_size(const graphprof_capi_averages *of) {
  return of ? of->averages.size() : 0;
}

int graphprof_capi_averages_row(const graphprof_capi_averages *of, size_t index,
                                graphprof_capi_average *row) {
  if (!of)
    return capi::missing("averages");
  if (index >= of->averages.size())
    return outOfRange();
  const FunctionEventAvg &average = of->averages[index];
  graphprof_capi_average all{};
  all.key = average.key.c_str();
  all.input_shapes = average.input_shapes.c_str();
  all.stack = of->stacks[index].c_str();
  all.count = average.count;
  all.top_level = average.top_level ? 1 : 0;
  all.cold = average.cold ? 1 : 0;
  all.rounded = average.rounded ? 1 : 0;
  all.cpu_time_total = average.cpu_time_total;
  all.self_cpu_time_total = average.self_cpu_time_total;
  all.device_time_total = average.device_time_total;
  all.self_device_time_total = average.self_device_time_total;
  all.cpu_time = average.cpu_time;
  all.device_time = average.device_time;
  all.cpu_memory_usage = average.cpu_memory_usage;
  all.self_cpu_memory_usage = average.self_cpu_memory_usage;
  all.device_memory_usage = average.device_memory_usage;
  all.self_device_memory_usage = average.self_device_memory_usage;
  all.flops = average.flops;
  all.bytes = average.bytes;
  all.min = average.min;
  all.median = average.median;
  all.p95 = average.p95;
  all.p99 = average.p99;
  all.max = average.max;
  all.replay_percent = average.replay_percent;
  all.flops_per_s = average.flops_per_s;
  all.bytes_per_s = average.bytes_per_s;
  all.roofline_percent = average.roofline_percent;
  all.busy_time = average.busy_time;
  all.gap_time = average.gap_time;
  all.busy_replays = average.busy_replays;
  all.device_time_is_busy = average.device_time_is_busy ? 1 : 0;
  all.self_device_percent = average.self_device_percent;
  return capi::write(row, all) ? graphprof_capi_ok : capi::missing("row");
}

int graphprof_capi_averages_table(const graphprof_capi_averages *of,
                                  const graphprof_capi_table_options *given, char **text) {
  if (!of || !text)
    return capi::missing(of ? "text" : "averages");
  graphprof_capi_table_options all{};
  if (given && !capi::read(given, all))
    return capi::missing("options");
  const Edge edge;
  return capi::guarded([&] {
    table_options options;
    if (given)
      options.row_limit = all.row_limit;
    const auto set = [](std::string &option, const char *value) {
      if (value)
        option = value;
    };
    const auto setWidth = [](int &option, int value) {
      if (value > 0)
        option = value;
    };
    set(options.sort_by, all.sort_by);
    set(options.header, all.header);
    set(options.time_unit, all.time_unit);
    setWidth(options.max_src_column_width, all.max_src_column_width);
    setWidth(options.max_name_column_width, all.max_name_column_width);
    setWidth(options.max_shapes_column_width, all.max_shapes_column_width);
    options.top_level_events_only = all.top_level_events_only != 0;
    options.statistics = all.statistics != 0;
    std::string table, said;
    {
      const MessageLog::Kept kept;
      table = of->averages.table(options);
      said = kept.text();
    }
    if (!said.empty())
      throw capi::Failure{graphprof_capi_unknown, said};
    *text = capi::textFor(table);
  });
}
