// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/json_lines/JsonLines.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/data/RecordColumns.h"
#include "output/data/Source.h"
#include "output/io/JsonColumns.h"
#include "output/io/JsonWriter.h"
#include "output/io/Words.h"
#include "output/statistics/InsideKernels.h"

namespace graphprof {

namespace {

// Negative: there is none.
std::optional<std::int64_t> known(std::int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

std::optional<std::string_view> known(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Puts a value of several lines into one. In JSON a line end is a blank like any other.
std::string inOneLine(std::string json) {
  std::replace_if(json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

void ofReplay(JsonWriter &json, std::uint64_t graph, std::uint64_t exec, std::uint64_t number) {
  if (exec != 0)
    json.member<"graph">(graph).member<"exec">(exec).member<"replay">(number);
  else
    json.key<"graph">().raw(R"(null,"exec":null,"replay":null)");
}

// The part that is the same in every record of a region.
std::string fixedText(const Batch::Region &region) {
  std::string text;
  JsonWriter json(text);
  json.beginObject().member<"type">("record");
  forEachColumnOf<Batch::Region, ColumnOrder::Json>(
      [&](const auto &column) { addColumn(json, column, region); });
  return text;
}

std::string fixedText(const Batch::Act &act) {
  std::string text;
  JsonWriter json(text);
  json.beginObject().member<"type">("host_span").key<"kind">().plain(word(act.kind));
  json.member<"name">(act.name).member<"captured">(act.captured);
  json.member<"source">(known(std::string_view(sourceOf(act.site, Kind::Region))))
      .member<"function">(known(functionOf(act.site, Kind::Region)));
  json.key<"context">().beginObject().members(act.context).endObject();
  return text;
}

std::string fixedText(const Batch::Thread &thread) {
  std::string text;
  JsonWriter(text)
      .member<"thread">(thread.number)
      .member<"thread_name">(known(std::string_view(thread.name)));
  return text;
}

} // namespace

template <class Members> void JsonLines::line(Members members) {
  JsonWriter json(text_);
  members(json);
  json.endObject();
  text_ += '\n';
}

void JsonLines::begin() {
  if (!std::exchange(begun_, true))
    line([this](JsonWriter &json) {
      json.beginObject().member<"type">("run").member<"version">(1);
      json.member<"host">(run_.host).member<"program">(run_.program).member<"pid">(run_.pid);
      json.member<"rank">(run_.rank).member<"began_ns">(run_.beganNs);
    });
}

std::string JsonLines::write(const Batch &batch) {
  begin();
  texts_.take(batch.regionsFrom, batch.regions,
              [](const Batch::Region &region) { return fixedText(region); });
  for (const Batch::Note &note : batch.notes)
    line([&](JsonWriter &json) {
      json.beginObject().member<"type">("metadata").member<"key">(note.key);
      json.key<"value">().raw(inOneLine(note.json));
    });
  for (const Batch::Graph &graph : newOf(batch.graphs, nextGraph_)) {
    add(graph);
    nextGraph_ = graph.id + 1;
  }
  for (const Batch::Launch &launch : batch.launches) {
    if (launch.replay.exec != 0)
      add(launch.replay);
    for (const Batch::Timing &timing : batch.timingsOf(launch))
      add(launch.replay, timing);
  }
  for (const KernelRun &run : batch.kernelRuns)
    add(run);
  acts_.take(batch.actsFrom, batch.acts, [](const Batch::Act &act) { return fixedText(act); });
  threads_.take(batch.threadsFrom, batch.threads,
                [](const Batch::Thread &thread) { return fixedText(thread); });
  for (const Batch::Span &span : batch.spans)
    add(span);
  for (const Batch::Memory &memory : batch.memory)
    add(memory);
  for (const GraphMemoryStep &step : batch.graphMemory)
    add(step);
  for (const std::string &remark : batch.remarks)
    line([&](JsonWriter &json) {
      json.beginObject().member<"type">("remark").member<"text">(remark);
    });
  std::string failed = stream_.write(text_);
  text_.clear();
  return failed;
}

// A record of a node is told by its place among the records of a replay, because these have no
// numbers: those in the bodies of conditional nodes are not counted.
void JsonLines::add(const Batch::Graph &graph) {
  const auto index = [](std::uint32_t number) {
    return number == GraphNodes::none ? std::nullopt : std::optional(number);
  };
  const auto list = [](JsonWriter &json, const std::vector<std::uint32_t> &numbers) {
    json.beginArray();
    for (const std::uint32_t number : numbers)
      json.value(number);
    json.endArray();
  };
  line([&](JsonWriter &json) {
    json.beginObject().member<"type">("graph").member<"graph">(graph.number);
    if (graph.serves)
      json.member<"graph_name">(graph.serves->text);
    json.member<"node_count">(graph.counts.nodes).member<"edge_count">(graph.counts.edges);
    json.member<"multiprocessors">(graph.nodes->multiprocessors);
    json.key<"nodes">().beginArray();
    for (const GraphNodes::Node &node : graph.nodes->nodes) {
      json.beginObject().member<"type">(node.type).member<"name">(node.name);
      json.member<"record">(index(node.timed)).member<"region">(index(node.region));
      json.member<"inside">(index(node.inside));
      list(json.key<"after">(), node.after);
      list(json.key<"early">(), node.early);
      json.member<"blocks">(node.blocks).member<"threads">(node.threads);
      json.member<"resident">(node.resident);
      if (node.cudaNode != GraphNodes::none)
        json.member<"cuda_node">(node.cudaNode);
      json.endObject();
    }
    json.endArray();
  });
}

void JsonLines::add(const Batch::Span &span) {
  line([&](JsonWriter &json) {
    json.raw(acts_.of(span.act)).raw(threads_.of(span.thread)).member<"step">(known(span.step));
    ofReplay(json, span.graph, span.exec, span.replay);
    json.member<"bytes">(span.bytes != 0 ? std::optional(span.bytes) : std::nullopt)
        .member<"begin_ns">(span.beginNs)
        .member<"duration_ns">(span.endNs - span.beginNs);
  });
}

void JsonLines::add(const Batch::Memory &memory) {
  line([&](JsonWriter &json) {
    const MemoryEvent &event = memory.event;
    json.beginObject().member<"type">("memory").key<"kind">().plain(word(event.kind));
    json.member<"device">(known(event.device)).member<"bytes">(event.bytes);
    json.member<"allocated">(event.allocated);
    json.key<"address">().plain(fmt::format("{:#x}", event.address));
    json.member<"time_ns">(event.timeNs).member<"step">(known(event.step));
    json.member<"path">(known(memory.path));
  });
}

void JsonLines::add(const GraphMemoryStep &step) {
  line([&](JsonWriter &json) {
    json.beginObject().member<"type">("graph_memory").key<"what">().plain(word(step.what));
    json.key<"graph">();
    step.graph > 0 ? json.value(step.graph) : json.raw("null");
    json.member<"device">(known(step.device)).member<"bytes">(step.bytes);
    json.member<"pool_bytes">(step.poolBytes);
    json.member<"allocations">(step.allocations).member<"allocated_bytes">(step.allocatedBytes);
    json.member<"overlaps">(step.overlaps).member<"time_ns">(step.timeNs);
  });
}

void JsonLines::add(const Replay &replay) {
  line([&](JsonWriter &json) {
    json.beginObject().member<"type">("replay");
    ofReplay(json, replay.graph, replay.exec, replay.number);
    if (replay.serves)
      json.member<"graph_name">(replay.serves->text);
    json.member<"device">(known(replay.device)).member<"stream">(replay.stream);
    json.member<"step">(known(replay.step));
    const bool spanKnown = replay.spanKnown();
    json.member<"cold">(replay.cold)
        .member<"launch_ns">(known(replay.launchNs > 0 ? replay.launchNs : -1))
        .member<"begin_ns">(known(spanKnown ? replay.beginNs : -1))
        .member<"end_ns">(known(spanKnown ? replay.endNs : -1));
    if (replay.serves)
      json.key<"graph_context">().beginObject().members(replay.serves->values).endObject();
    if (replay.cudaExec != 0)
      json.member<"cuda_graph">(replay.cudaGraph).member<"cuda_exec">(replay.cudaExec);
  });
}

void JsonLines::add(const Replay &replay, const Batch::Timing &timing) {
  line([&](JsonWriter &json) {
    json.raw(texts_.of(timing.region));
    forEachColumn<ColumnOrder::Json>([&](const auto &column) {
      using Of = decltype(column);
      if constexpr (isColumnOf<Of, Replay>)
        addColumn(json, column, replay);
      else if constexpr (isColumnOf<Of, Batch::Timing>)
        addColumn(json, column, timing);
      else if constexpr (isColumnOf<Of, Batch::Busy>)
        if (timing.busy.isKnown()) // if not, none of them is there
          addColumn(json, column, timing.busy);
    });
  });
}

// The figures of each region inside, and what each warp spent in it: how often, and how long.
void JsonLines::add(const KernelRun &run) {
  const InsideFigures figures = figuresOf(run);
  line([&](JsonWriter &json) {
    json.beginObject().member<"type">("kernel").member<"name">(run.kernel->kernel);
    json.member<"path">(known(std::string_view(run.kernel->path))).member<"node">(run.kernel->node);
    json.member<"launch">(known(std::string_view(run.kernel->launch)));
    ofReplay(json, run.graph, run.exec, run.replay);
    json.member<"device">(known(run.device)).member<"step">(known(run.step));
    json.member<"cold">(run.cold).member<"twin">(run.isTwin);
    json.member<"duration_ns">(known(run.durationNs));
    if (!run.isTwin)
      return;
    json.key<"inside">().beginArray();
    for (const InsideRegion &region : figures.regions) {
      json.beginObject().member<"name">(region.scope.name);
      json.member<"source">(fmt::format("{}:{}", region.scope.file, region.scope.line));
      json.member<"inside">(region.parent == KernelRun::none ? std::nullopt
                                                             : std::optional(region.parent));
      json.member<"warps">(region.ofWarps.count()).member<"iterations">(region.iterations);
      json.key<"percent_of_warps">().raw(fmt::format("{:.3f}", figures.percentOf(region)));
      json.member<"median_ns">(std::llround(region.ofWarps.quantileNs(0.5)));
      json.member<"p95_ns">(std::llround(region.ofWarps.quantileNs(0.95))).endObject();
    }
    json.endArray().key<"warps">().beginArray();
    auto time = run.times.begin(); // by warp
    for (std::uint32_t i = 0; i < run.warps.size(); ++i) {
      const KernelRun::Warp &warp = run.warps[i];
      json.beginObject().member<"block">(warp.block).member<"warp">(warp.warp);
      json.member<"multiprocessor">(warp.multiprocessor).member<"begin_ns">(warp.beginNs);
      json.member<"duration_ns">(warp.durationNs).key<"times">().beginArray();
      for (; time != run.times.end() && time->warp == i; ++time)
        json.beginArray().value(time->row).value(time->iterations).value(time->ns).endArray();
      json.endArray().endObject();
    }
    json.endArray();
  });
}

std::string JsonLines::close(const Losses &losses) {
  begin();
  for (const LossKind &kind : lossKinds())
    if (const std::uint64_t count = losses.*kind.count)
      line([&](JsonWriter &json) {
        json.beginObject().member<"type">("loss").member<"kind">(kind.key);
        json.member<"count">(count).member<"text">(lossSentence(kind, count));
      });
  line([](JsonWriter &json) { json.beginObject().member<"type">("end"); });
  std::string failed = stream_.write(text_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

constinit const Format formats::jsonLines = {
    .endings = {".jsonl"},
    .items = "PATH.jsonl",
    .hostSpans = ShowsHostSpans::OnRequest,
    .showsMemory = true,
    .keepsGraphs = true,
    .wrote = [](std::string_view head) { return head.starts_with(R"({"type":"run",)"); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<JsonLines>(settings.path, settings.run);
    },
};

} // namespace graphprof
