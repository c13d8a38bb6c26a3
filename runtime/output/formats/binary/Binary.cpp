// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/binary/Binary.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/data/RecordColumns.h"
#include "output/formats/binary/BinaryMessage.h"

namespace graphprof {

using binary::Message;
using binary::Tag;

namespace {

// The difference that a reader adds again. Wraps, because signed overflow is undefined.
std::int64_t distance(std::int64_t to, std::int64_t from) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) -
                                   static_cast<std::uint64_t>(from));
}

std::string_view orEmpty(const char *text) { return text ? text : std::string_view(); }

void add(Message &message, const Value &value) {
  message.number(static_cast<std::uint64_t>(value.kind())).text(value.key());
  switch (value.kind()) {
  case Value::Kind::Signed:
  case Value::Kind::Character:
    message.difference(value.as_signed());
    return;
  case Value::Kind::Real:
    message.number(std::bit_cast<std::uint64_t>(value.as_real()));
    return;
  case Value::Kind::Text:
    message.text(value.as_text());
    return;
  case Value::Kind::Unsigned:
  case Value::Kind::Boolean:
  case Value::Kind::Address:
    message.number(value.as_unsigned());
    return;
  }
}

void add(Message &message, const Site *site) {
  message.number(site ? 1 : 0);
  if (site)
    message.text(orEmpty(site->name_format))
        .text(orEmpty(site->file))
        .difference(site->line)
        .text(orEmpty(site->function));
}

void add(Message &message, const std::vector<Value> &values) {
  message.number(values.size());
  for (const Value &value : values)
    add(message, value);
}

// The part of the source that regions and acts share.
void add(Message &message, const Site *site, const std::vector<Value> &context) {
  add(message, site);
  add(message, context);
}

void add(std::string &out, const Batch::Region &region) {
  Message message(out, Tag::Region);
  message.number(region.id).number(region.parent).fromMinusOne(region.depth);
  message.number(static_cast<std::uint64_t>(region.kind));
  message.number(static_cast<std::uint64_t>(region.clock)).text(region.name);
  add(message, region.site, region.context);
  message.number(region.place);
}

std::int64_t orNone(std::uint32_t index) {
  return index == GraphNodes::none ? std::int64_t{-1} : std::int64_t{index};
}

void add(Message &message, const GraphNodes::Node &node, std::uint32_t number, bool isNamed) {
  const auto type = std::ranges::find(GraphNodes::types, node.type) - GraphNodes::types.begin();
  message.number(static_cast<std::uint64_t>(type) % GraphNodes::types.size());
  message.fromMinusOne(orNone(node.timed)).fromMinusOne(orNone(node.region));
  message.fromMinusOne(orNone(node.inside)).number(node.after.size());
  for (const std::uint32_t before : node.after)
    message.difference(std::int64_t{number} - before);
  message.number(node.early.size());
  for (const std::uint32_t before : node.early)
    message.difference(std::int64_t{number} - before);
  message.number(node.blocks).number(node.threads).number(node.resident);
  message.text(isNamed ? std::string_view() : std::string_view(node.name));
}

// Nothing if the driver told none. The others are counted from -1.
void addIds(std::string &out, const std::vector<GraphNodes::Node> &nodes) {
  if (std::ranges::all_of(nodes,
                          [](const auto &node) { return node.cudaNode == GraphNodes::none; }))
    return;
  Message message(out, Tag::CudaNodes);
  message.number(nodes.size());
  for (const GraphNodes::Node &node : nodes)
    message.fromMinusOne(orNone(node.cudaNode));
}

void add(std::string &out, const Batch::Graph &graph) {
  if (graph.like == 0)
    addIds(out, graph.nodes->nodes);
  Message message(out, Tag::Graph);
  message.number(graph.id).number(graph.number).number(graph.like);
  message.number(graph.counts.nodes).number(graph.counts.edges);
  if (graph.like != 0)
    return;
  message.number(graph.nodes->multiprocessors).number(graph.regions.size());
  std::uint64_t last = 0;
  for (const std::uint64_t region : graph.regions)
    message.difference(static_cast<std::int64_t>(region - std::exchange(last, region)));
  message.number(graph.nodes->nodes.size());
  std::uint32_t number = 0;
  for (const GraphNodes::Node &node : graph.nodes->nodes)
    add(message, node, number++, node.timed != GraphNodes::none || node.name == node.type);
  for (std::size_t i = 0; i < graph.regions.size(); ++i) {
    const GraphNodes::Region &region = graph.nodes->regions[i];
    message.fromMinusOne(orNone(region.parent)).fromMinusOne(orNone(region.inside));
    if (graph.regions[i] != 0)
      continue; // the region's own message says the rest
    message.fromMinusOne(region.depth).number(region.isNode ? 1 : 0).text(region.name);
    add(message, region.site);
  }
  if (graph.nodes->gapNs > 0)
    message.number(static_cast<std::uint64_t>(graph.nodes->gapNs));
}

// Which of the graph's regions the records of the next replay are of: how many are consecutive
// regions, and so on. Writes nothing if they are all of them, in their order.
void addInGraph(std::string &out, std::span<const Batch::Timing> timings) {
  struct InARow {
    std::uint32_t first;
    std::uint64_t count;
  };
  std::vector<InARow> runs;
  std::uint32_t next = 0;
  for (const Batch::Timing &timing : timings) {
    if (runs.empty() || timing.ofGraph != next)
      runs.push_back({timing.ofGraph, 0});
    ++runs.back().count;
    next = timing.ofGraph + 1;
  }
  if (runs.empty() || (runs.size() == 1 && runs.front().first == 0))
    return;
  Message message(out, Tag::InGraph);
  message.number(runs.size());
  for (const InARow &run : runs)
    message.number(run.first).number(run.count);
}

void add(std::string &out, const Batch::Act &act) {
  Message message(out, Tag::Act);
  message.number(act.id).number(static_cast<std::uint64_t>(act.kind));
  message.number(act.captured ? 1 : 0).text(act.name);
  add(message, act.site, act.context);
}

unsigned flagsOf(const Replay &replay, std::span<const Batch::Timing> timings) {
  unsigned flags = (replay.cold ? binary::Cold : 0U) | (replay.exec != 0 ? binary::InGraph : 0U);
  for (const Batch::Timing &timing : timings)
    flags |= (timing.iteration >= 0 ? binary::Iterations : 0U) |
             (timing.device != replay.device || timing.stream != replay.stream ||
                      timing.step != replay.step
                  ? binary::Places
                  : 0U);
  return flags;
}

// How many consecutive records end with their completion, how many with the next begin, and so on.
// Writes nothing if all end with their completion.
void addEnds(Message &message, std::span<const Batch::Timing> timings) {
  Ends ends = Ends::Completion;
  std::uint64_t inARow = 0;
  for (const Batch::Timing &timing : timings) {
    if (timing.ends != ends) {
      message.number(std::exchange(inARow, 0));
      ends = timing.ends;
    }
    ++inARow;
  }
  if (ends != Ends::Completion)
    message.number(inARow);
}

void add(std::string &out, const Replay &replay, std::span<const Batch::Timing> timings) {
  const unsigned flags = flagsOf(replay, timings);
  Message message(out, Tag::Replay);
  message.number(flags);
  if (flags & binary::InGraph)
    message.number(replay.graph).number(replay.exec).number(replay.number);
  message.fromMinusOne(replay.device).number(replay.stream).fromMinusOne(replay.step);
  message.difference(replay.launchNs).difference(distance(replay.beginNs, replay.launchNs));
  message.difference(distance(replay.endNs, replay.beginNs)).number(timings.size());
  std::uint64_t region = 0;
  std::int64_t atNs = replay.beginNs;
  for (const Batch::Timing &timing : timings) {
    // Normally the next region begins where this one ends or, if it is inside, begins.
    message.difference(
        static_cast<std::int64_t>(timing.region - std::exchange(region, timing.region)));
    message.fromMinusOne(timing.durationNs);
    if (timing.durationNs >= 0)
      message.difference(distance(timing.beginNs, std::exchange(atNs, timing.beginNs)));
    if (flags & binary::Iterations)
      message.fromMinusOne(timing.iteration);
    if (flags & binary::Places)
      message.fromMinusOne(timing.device).number(timing.stream).fromMinusOne(timing.step);
  }
  addEnds(message, timings);
}

void add(std::string &out, const Batch::Memory &memory) {
  const MemoryEvent &event = memory.event;
  Message(out, Tag::Memory)
      .difference(event.timeNs)
      .difference(event.bytes)
      .number(event.allocated)
      .number(event.address)
      .fromMinusOne(event.device)
      .number(static_cast<std::uint64_t>(event.kind))
      .fromMinusOne(event.step)
      .text(memory.path)
      .number(event.thread);
}

void add(std::string &out, const GraphMemoryStep &step) {
  Message(out, Tag::GraphMemory)
      .number(static_cast<std::uint64_t>(step.what))
      .number(step.graph)
      .fromMinusOne(step.device)
      .difference(step.timeNs)
      .difference(step.bytes)
      .difference(step.poolBytes)
      .number(step.allocations)
      .number(step.allocatedBytes)
      .number(step.overlaps ? binary::Overlaps : 0U);
}

void add(std::string &out, const KernelRun &run) {
  Message message(out, Tag::Kernel);
  message.text(run.kernel->kernel).text(run.kernel->path).number(run.kernel->node);
  message.number(run.graph).number(run.exec).number(run.replay);
  message.fromMinusOne(run.device).fromMinusOne(run.step);
  message.number((run.cold ? binary::ColdRun : 0U) | (run.isTwin ? binary::IsTwin : 0U));
  message.fromMinusOne(run.durationNs).number(run.rows.size());
  for (const KernelRun::Row &row : run.rows) {
    const InsideOfKernel::Scope &scope = run.kernel->scopes[row.scope];
    message.text(scope.name).text(scope.file).difference(scope.line);
    message.fromMinusOne(row.parent == KernelRun::none ? -1 : std::int64_t{row.parent});
  }
  message.number(run.warps.size());
  std::int64_t lastNs = 0;
  for (const KernelRun::Warp &warp : run.warps) {
    message.number(warp.block).number(warp.warp).number(warp.multiprocessor);
    message.difference(distance(warp.beginNs, std::exchange(lastNs, warp.beginNs)));
    message.fromMinusOne(warp.durationNs);
  }
  message.number(run.times.size());
  for (const KernelRun::Time &time : run.times)
    message.number(time.row).number(time.warp).number(time.iterations).fromMinusOne(time.ns);
  if (!run.kernel->launch.empty())
    message.text(run.kernel->launch);
}

// All spans belong to one thread.
void add(std::string &out, std::span<const Batch::Span> spans, const ById<HostKind> &kindOf) {
  Message message(out, Tag::HostSpans);
  message.number(spans.front().thread).number(spans.size());
  const auto further = [&message](std::uint64_t number, std::uint64_t &last) {
    message.difference(static_cast<std::int64_t>(number - std::exchange(last, number)));
  };
  std::uint64_t act = 0, graph = 0, exec = 0, replay = 0;
  std::int64_t endNs = 0, step = 0;
  for (const Batch::Span &span : spans) {
    further(span.act, act);
    message.difference(distance(span.beginNs, std::exchange(endNs, span.endNs)));
    message.number(static_cast<std::uint64_t>(distance(span.endNs, span.beginNs)));
    message.difference(distance(span.step, std::exchange(step, span.step)));
    const HostKind kind = kindOf.of(span.act);
    if (kind == HostKind::Launch) {
      further(span.graph, graph);
      further(span.exec, exec);
      further(span.replay, replay);
    } else if (kind == HostKind::Copy) {
      message.number(span.bytes);
    }
  }
}

// Writes a message for consecutive spans of one thread, at most `most` of them, which a reader can
// keep in memory.
void add(std::string &out, std::span<const Batch::Span> spans, std::size_t most,
         const ById<HostKind> &kindOf) {
  while (!spans.empty()) {
    const auto other = std::find_if(spans.begin(), spans.end(), [&](const Batch::Span &span) {
      return span.thread != spans.front().thread;
    });
    const auto count = std::min(static_cast<std::size_t>(other - spans.begin()), most);
    add(out, spans.first(count), kindOf);
    spans = spans.subspan(count);
  }
}

// The members of a busy time, in the order of CSV, which stays as it is. readValue() of
// BinaryRegions.cpp reads them.
void addValue(Message &message, std::int64_t ns) { message.fromMinusOne(ns); }
void addValue(Message &message, std::uint32_t count) { message.number(count); }
void addValue(Message &message, GapCause cause) {
  message.number(static_cast<std::uint64_t>(cause));
}

} // namespace

void Binary::begin() {
  if (std::exchange(begun_, true))
    return;
  bytes_ = binary::magic;
  Message(bytes_, Tag::Run)
      .number(binary::version)
      .text(run_.host)
      .text(run_.program)
      .difference(run_.pid)
      .difference(run_.rank)
      .difference(run_.beganNs)
      .number((run_.inJob ? binary::InJob : 0U) | (hostSpans_ ? binary::AsksHostSpans : 0U))
      .difference(run_.ranks);
}

void Binary::forget(const Batch &batch) {
  const bool regions = batch.regionsFrom != std::exchange(regionsFrom_, batch.regionsFrom),
             acts = batch.actsFrom != std::exchange(actsFrom_, batch.actsFrom),
             threads = batch.threadsFrom != std::exchange(threadsFrom_, batch.threadsFrom);
  if (regions || acts || threads)
    Message(bytes_, Tag::Forget).number(regionsFrom_).number(actsFrom_).number(threadsFrom_);
}

// Once for all replays of an exec, or again if it was forgotten that they are in the file.
void Binary::addIds(const Replay &replay) {
  if (replay.cudaExec == 0)
    return;
  constexpr std::size_t most = 10'000;
  if (idsOf_.size() >= most)
    idsOf_.clear();
  const CudaIds ids{replay.graph, replay.cudaGraph, replay.cudaExec};
  if (std::exchange(idsOf_[replay.exec], ids) != ids)
    Message(bytes_, Tag::CudaIds)
        .number(replay.exec)
        .number(replay.graph)
        .number(replay.cudaGraph)
        .number(replay.cudaExec);
}

// If it is not what the file says last of the graph. An empty name: none.
void Binary::addName(std::uint64_t graph, const std::shared_ptr<const GraphName> &serves) {
  constexpr std::size_t most = 10'000;
  const auto known = serves_.find(graph);
  const bool isKept = known != serves_.end() || serves_.size() < most; // if not, it is always said
  const GraphName *const said = known == serves_.end() ? nullptr : known->second.get();
  if (isKept && (said == serves.get() || (said && serves && said->text == serves->text)))
    return;
  if (isKept)
    serves_.insert_or_assign(graph, serves);
  Message message(bytes_, Tag::GraphName);
  message.number(graph).text(serves ? std::string_view(serves->name) : std::string_view());
  add(message, serves ? serves->values : std::vector<Value>());
}

// Those that differ from what the file says last of the same exec and region.
void Binary::addBusy(const Replay &replay, std::span<const Batch::Timing> timings) {
  constexpr std::size_t most = 1'000'000;
  const bool forgets = busyOf_.size() >= most;
  if (forgets)
    busyOf_.clear();
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const Batch::Busy &busy = timings[i].busy;
    const std::pair of(replay.exec, timings[i].region);
    auto known = busyOf_.find(of);
    if (known == busyOf_.end() && busy.isKnown())
      known = busyOf_.emplace(of, Batch::Busy()).first;
    if (known != busyOf_.end() && std::exchange(known->second, busy) != busy)
      changed.push_back(i);
  }
  if (changed.empty() && !forgets)
    return;
  Message message(bytes_, Tag::Busy);
  message.number(forgets ? 1 : 0).number(changed.size());
  std::size_t next = 0;
  for (const std::size_t i : changed) {
    message.number(i - std::exchange(next, i + 1));
    forEachColumnOf<Batch::Busy, ColumnOrder::Csv>(
        [&](const auto &column) { addValue(message, timings[i].busy.*column.value.ofBusy); });
  }
}

std::string Binary::write(const Batch &batch) {
  begin();
  forget(batch);
  for (const Batch::Region &region : newOf(batch.regions, nextRegion_)) {
    add(bytes_, region);
    nextRegion_ = region.id + 1;
  }
  for (const Batch::Graph &graph : newOf(batch.graphs, nextGraph_)) {
    addName(graph.number, graph.serves);
    add(bytes_, graph);
    nextGraph_ = graph.id + 1;
  }
  for (const Batch::Note &note : batch.notes)
    Message(bytes_, Tag::Metadata).text(note.key).text(note.json);
  for (const Batch::Launch &launch : batch.launches) {
    addIds(launch.replay);
    if (launch.replay.exec != 0)
      addName(launch.replay.graph, launch.replay.serves);
    const auto timings = batch.timingsOf(launch);
    // Of bodies' records only where it matters whose each is: loops have many.
    if (launch.replay.drawn ||
        std::ranges::any_of(timings,
                            [](const Batch::Timing &timing) { return timing.busy.isKnown(); }) ||
        (launch.replay.exec != 0 && std::ranges::all_of(timings, [](const Batch::Timing &timing) {
           return timing.iteration < 0;
         })))
      addInGraph(bytes_, timings);
    addBusy(launch.replay, batch.timingsOf(launch));
    add(bytes_, launch.replay, batch.timingsOf(launch));
  }
  for (const KernelRun &run : batch.kernelRuns)
    add(bytes_, run);
  for (const Batch::Act &act : newOf(batch.acts, nextAct_)) {
    add(bytes_, act);
    nextAct_ = act.id + 1;
  }
  for (const Batch::Thread &thread : newOf(batch.threads, nextThread_)) {
    Message(bytes_, Tag::Thread).number(thread.id).number(thread.number).text(thread.name);
    nextThread_ = thread.id + 1;
  }
  kindOf_.take(batch.actsFrom, batch.acts, [](const Batch::Act &act) { return act.kind; });
  constexpr std::size_t mostOfAMessage = 65'536;
  add(bytes_, batch.spans, mostOfAMessage, kindOf_);
  for (const Batch::Memory &memory : batch.memory)
    add(bytes_, memory);
  for (const GraphMemoryStep &step : batch.graphMemory)
    add(bytes_, step);
  for (const std::string &remark : batch.remarks)
    Message(bytes_, Tag::Remark).text(remark);
  std::string failed = stream_.write(bytes_);
  bytes_.clear();
  return failed;
}

std::string Binary::close(const Losses &losses) {
  begin();
  for (const LossKind &kind : lossKinds())
    if (const std::uint64_t count = losses.*kind.count)
      Message(bytes_, Tag::Loss).text(kind.key).number(count);
  {
    const Message end(bytes_, Tag::End);
  }
  std::string failed = stream_.write(bytes_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

constinit const Format formats::binary = {
    .endings = {".gprof"},
    .items = "PATH.gprof",
    .hostSpans = ShowsHostSpans::OnRequest,
    .showsMemory = true,
    .keepsGraphs = true,
    .wrote = [](std::string_view head) { return head.starts_with(binary::magic); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Binary>(settings.path, settings.run, settings.hostSpans);
    },
};

} // namespace graphprof
