// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteReader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/data/Places.h"
#include "output/formats/sqlite/SqliteKernels.h"
#include "output/formats/sqlite/SqliteQuery.h"
#include "output/formats/sqlite/SqliteSchema.h"
#include "output/io/JsonValues.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using sqlite::Query;
using sqlite::ReadOnly;
using sqlite::Unreadable;

class Reading {
public:
  Reading(const ReadOnly &database, std::int64_t version, RecordingListener &listener,
          KeptSites &sites)
      : database_(database), hasMemory_(version >= 2), hasHost_(version >= 3),
        hasEnds_(version >= 5), hasGraphs_(version >= 7), hasIds_(version >= 8),
        hasBusy_(version >= 9), hasKernels_(version >= 10), listener_(listener), sites_(sites) {}

  void all() {
    Query runs(database_,
               "SELECT id, host, program, pid, rank, began_ns, ended_ns FROM runs ORDER BY id");
    while (runs.next()) {
      Run run;
      run.host = runs.text(1);
      run.program = runs.text(2);
      run.pid = runs.number(3);
      run.rank = runs.number(4);
      run.beganNs = runs.number(5);
      listener_.begin(run);
      RecordedEnd end;
      if (runs.isNull(6))
        end.missing = "the program did not end normally, or still runs: what it wrote until then "
                      "is read, and what it lost is unknown";
      one(runs.number(0), end);
      listener_.end(end);
    }
  }

private:
  void one(std::int64_t run, RecordedEnd &end) {
    batch_ = {};
    ids_.clear();
    levels_.clear();
    regions(run);
    if (hasGraphs_)
      graphs(run);
    notes(run);
    replays(run);
    handOn();
    if (hasKernels_)
      kernels(run);
    if (hasMemory_)
      memory(run);
    if (hasHost_)
      hostSpans(run);
    Query losses(database_, "SELECT kind, count FROM losses WHERE run = ?");
    losses.of(run);
    while (losses.next())
      for (const LossKind &kind : lossKinds())
        if (losses.text(0) == kind.key)
          end.losses.*kind.count = static_cast<std::uint64_t>(losses.number(1));
  }

  void handOn() {
    listener_.add(batch_);
    batch_.clearRecords();
    batch_.regions.clear();
    batch_.graphs.clear();
  }

  void regions(std::int64_t run) {
    Query rows(database_, "SELECT id, parent, name, path, depth, kind, clock, source, function, "
                          "context FROM regions WHERE run = ? ORDER BY id");
    rows.of(run);
    while (rows.next()) {
      Batch::Region region{};
      region.id = ids_.size() + 1;
      if (!rows.isNull(1)) {
        const auto around = ids_.find(rows.number(1));
        if (around == ids_.end())
          throw Unreadable{"a region is inside one that does not come before it"};
        region.parent = around->second;
        if (levels_[around->second - 1] >= mostLevels)
          throw Unreadable{"regions nest deeper than any program nests them"};
      }
      region.name = rows.text(2);
      region.path = rows.text(3);
      region.depth = static_cast<int>(rows.number(4));
      if (!fromWord(rows.text(5), region.kind) || !fromWord(rows.text(6), region.clock))
        throw Unreadable{"a region is of an unknown kind or clock"};
      region.site = site(region.name, rows.text(7), rows.text(8));
      region.context = valuesOfJson(rows.text(9), sites_);
      region.place = placeIn(region.path, region.name);
      ids_.emplace(rows.number(0), region.id);
      levels_.push_back(region.parent == 0 ? 1 : levels_[region.parent - 1] + 1);
      batch_.regions.push_back(std::move(region));
    }
  }

  struct ReadGraph {
    std::size_t place; // in the batch
    std::shared_ptr<GraphNodes> nodes = std::make_shared<GraphNodes>();
  };
  using ReadGraphs = std::unordered_map<std::int64_t, ReadGraph>; // by their numbers

  void graphs(std::int64_t run) {
    const ReadGraphs read = graphsWithoutNodes(run);
    nodes(run, read);
    edges(run, read);
  }

  ReadGraphs graphsWithoutNodes(std::int64_t run) {
    ReadGraphs read;
    Query rows(database_, "SELECT graph, nodes, edges, multiprocessors FROM graphs WHERE run = ?");
    rows.of(run);
    while (rows.next()) {
      const ReadGraph &made =
          read.emplace(rows.number(0), ReadGraph{batch_.graphs.size()}).first->second;
      made.nodes->multiprocessors = static_cast<std::uint32_t>(rows.number(3));
      batch_.graphs.push_back(
          {batch_.graphs.size() + 1,
           static_cast<std::uint64_t>(rows.number(0)),
           0,
           {static_cast<std::uint32_t>(rows.number(1)), static_cast<std::uint32_t>(rows.number(2))},
           made.nodes,
           {}});
    }
    return read;
  }

  void nodes(std::int64_t run, const ReadGraphs &graphs) {
    Query rows(database_, hasIds_
                              ? "SELECT graph, node, type, name, region, record, inside, blocks, "
                                "threads, resident, cuda_node FROM graph_nodes WHERE run = ? "
                                "ORDER BY graph, node"
                              : "SELECT graph, node, type, name, region, record, inside, blocks, "
                                "threads, resident, NULL FROM graph_nodes WHERE run = ? "
                                "ORDER BY graph, node");
    rows.of(run);
    while (rows.next()) {
      const auto of = graphs.find(rows.number(0));
      if (of == graphs.end())
        throw Unreadable{"a node is of a graph that does not exist"};
      node(rows, *of->second.nodes, batch_.graphs[of->second.place].regions);
    }
  }

  // Adds the node of a row to its graph, and the node's region to those of the graph's records.
  void node(const Query &row, GraphNodes &graph, std::vector<std::uint64_t> &regions) const {
    const std::int64_t record = row.number(5, -1);
    const auto region = ids_.find(row.number(4));
    if (row.number(1) != static_cast<std::int64_t>(graph.nodes.size()) || record > mostRegions ||
        (record >= 0 && !row.isNull(4) && region == ids_.end()))
      throw Unreadable{"a node of a graph is not in its place"};
    GraphNodes::Node &node = graph.nodes.emplace_back();
    const auto type = std::ranges::find(GraphNodes::types, row.text(2));
    node.type = type == GraphNodes::types.end() ? GraphNodes::types.front() : *type;
    node.name = row.text(3);
    if (record >= 0) {
      node.timed = static_cast<std::uint32_t>(record);
      graph.regions.resize(std::max<std::size_t>(graph.regions.size(), node.timed + 1));
      graph.regions[node.timed].isNode = true;
      regions.resize(graph.regions.size());
      regions[node.timed] = row.isNull(4) ? 0 : region->second;
    }
    if (const std::int64_t inside = row.number(6, -1);
        inside >= 0 && inside < row.number(1)) // what is inside a node comes after it
      node.inside = static_cast<std::uint32_t>(inside);
    node.blocks = static_cast<std::uint64_t>(row.number(7));
    node.threads = static_cast<std::uint32_t>(row.number(8));
    node.resident = static_cast<std::uint64_t>(row.number(9));
    if (const std::int64_t id = row.number(10, -1); id >= 0 && id < GraphNodes::none)
      node.cudaNode = static_cast<std::uint32_t>(id);
  }

  void edges(std::int64_t run, const ReadGraphs &graphs) {
    Query rows(database_, "SELECT graph, node, after, early FROM graph_edges WHERE run = ?");
    rows.of(run);
    while (rows.next()) {
      const auto of = graphs.find(rows.number(0));
      const auto inGraph = [&](std::int64_t node) {
        return node >= 0 && node < static_cast<std::int64_t>(of->second.nodes->nodes.size());
      };
      if (of == graphs.end() || !inGraph(rows.number(1)) || !inGraph(rows.number(2)))
        throw Unreadable{"an edge is between nodes that its graph does not have"};
      GraphNodes::Node &node = of->second.nodes->nodes[static_cast<std::size_t>(rows.number(1))];
      node.after.push_back(static_cast<std::uint32_t>(rows.number(2)));
      if (rows.number(3) != 0)
        node.early.push_back(node.after.back());
    }
  }

  const Site *site(std::string_view name, std::string_view source, std::string_view function) {
    const std::size_t colon = source.rfind(':');
    if (colon == std::string_view::npos)
      return sites_.keep(name, "", 0, "");
    int line = 0;
    for (const char digit : source.substr(colon + 1))
      line = digit >= '0' && digit <= '9' && line < 100'000'000 ? 10 * line + (digit - '0') : line;
    return sites_.keep("", source.substr(0, colon), line, function);
  }

  void notes(std::int64_t run) {
    Query rows(database_, "SELECT key, value FROM metadata WHERE run = ?");
    rows.of(run);
    while (rows.next())
      batch_.notes.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
    Query remarks(database_, "SELECT text FROM remarks WHERE run = ?");
    remarks.of(run);
    while (remarks.next())
      batch_.remarks.emplace_back(remarks.text(0));
  }

  void replays(std::int64_t run) {
    Query rows(database_,
               hasIds_ ? "SELECT graph, exec, replay, device, stream, step, cold, launch_ns, "
                         "begin_ns, end_ns, first_record, records, cuda_graph, cuda_exec "
                         "FROM replays WHERE run = ? ORDER BY id"
                       : "SELECT graph, exec, replay, device, stream, step, cold, launch_ns, "
                         "begin_ns, end_ns, first_record, records, NULL, NULL "
                         "FROM replays WHERE run = ? ORDER BY id");
    Query records(database_,
                  hasBusy_ ? "SELECT region, offset_ns, duration_ns, iteration, cold, next_begin, "
                             "busy_ns, gap_ns, gap_cause, busy_replays FROM records "
                             "LEFT JOIN busy_times ON record = id WHERE id >= ? AND id < ? "
                             "ORDER BY id"
                  : hasEnds_ ? "SELECT region, offset_ns, duration_ns, iteration, cold, next_begin "
                               "FROM records WHERE id >= ? AND id < ?"
                             : "SELECT region, offset_ns, duration_ns, iteration, cold, 0 "
                               "FROM records WHERE id >= ? AND id < ?");
    rows.of(run);
    while (rows.next()) {
      Batch::Launch launch;
      launch.replay = replay(rows);
      launch.first = batch_.timings.size();
      records.between(rows.number(10), rows.number(10) + rows.number(11));
      while (records.next())
        timing(records, launch.replay);
      launch.count = batch_.timings.size() - launch.first;
      batch_.launches.push_back(launch);
      if (batch_.timings.size() + batch_.launches.size() >= large)
        handOn();
    }
  }

  static Replay replay(const Query &row) {
    Replay replay;
    replay.graph = static_cast<std::uint64_t>(row.number(0));
    replay.exec = static_cast<std::uint64_t>(row.number(1));
    replay.number = static_cast<std::uint64_t>(row.number(2));
    replay.device = static_cast<int>(row.number(3, -1));
    replay.stream = static_cast<std::uint64_t>(row.number(4));
    replay.step = row.number(5, -1);
    replay.cold = row.number(6) != 0;
    replay.launchNs = row.number(7);
    replay.beginNs = row.number(8);
    replay.endNs = row.number(9);
    replay.cudaGraph = static_cast<std::uint32_t>(row.number(12));
    replay.cudaExec = static_cast<std::uint32_t>(row.number(13));
    return replay;
  }

  // Adds the timing of a record's row, which is of `replay`. A cold record makes its replay cold.
  void timing(const Query &row, Replay &replay) {
    const auto region = ids_.find(row.number(0));
    if (region == ids_.end())
      throw Unreadable{"a record is of a region that does not exist"};
    Batch::Timing &timing = batch_.timings.emplace_back();
    timing.region = region->second;
    const bool measured = !row.isNull(1) && !row.isNull(2);
    timing.beginNs = measured ? replay.beginNs + row.number(1) : 0;
    timing.durationNs = measured ? row.number(2) : -1;
    timing.iteration = row.number(3, -1);
    timing.step = replay.step;
    timing.stream = replay.stream;
    timing.device = replay.device;
    timing.ends = row.number(5) != 0 ? Ends::NextBegin : Ends::Completion;
    timing.ofGraph = 0;
    timing.launchNs = replay.launchNs;
    if (hasBusy_)
      readBusy(row, timing.busy);
    replay.cold = replay.cold || row.number(4) != 0;
  }

  static void readBusy(const Query &records, Batch::Busy &busy) {
    if (records.isNull(6))
      return;
    busy.ns = records.number(6);
    busy.gapNs = records.number(7, -1);
    if (const std::string_view cause = records.text(8);
        !cause.empty() && !fromWord(cause, busy.cause))
      throw Unreadable{"a gap has an unknown cause"};
    busy.replays = static_cast<std::uint32_t>(records.number(9));
  }

  void kernels(std::int64_t run) {
    sqlite::KernelsInTables tables(database_, run);
    for (KernelRun read; tables.next(read);) {
      batch_.kernelRuns.push_back(std::move(read));
      if (batch_.kernelRuns.size() >= large / 16) // each has many warps
        handOn();
    }
    handOn();
  }

  void memory(std::int64_t run) {
    Query rows(database_, "SELECT time_ns, bytes, allocated, address, device, kind, step, path "
                          "FROM memory WHERE run = ? ORDER BY id");
    rows.of(run);
    while (rows.next()) {
      MemoryEvent event;
      event.timeNs = rows.number(0);
      event.bytes = rows.number(1);
      event.allocated = static_cast<std::uint64_t>(rows.number(2));
      event.address = static_cast<std::uint64_t>(rows.number(3));
      event.device = static_cast<int>(rows.number(4, -1));
      if (!fromWord(rows.text(5), event.kind))
        throw Unreadable{"memory is of an unknown kind"};
      event.step = rows.number(6, -1);
      event.path = rows.text(7);
      Batcher::add(event, batch_);
      if (batch_.memory.size() >= large)
        handOn();
    }
    handOn();
  }

  // In batches of their own, whose acts and threads a batcher numbers.
  void hostSpans(std::int64_t run) {
    Batcher batcher;
    Batch batch;
    Query rows(database_,
               "SELECT s.kind, s.name, s.thread, t.name, s.begin_ns, s.duration_ns, s.step, "
               "s.graph, s.exec, s.replay, s.bytes, s.captured, s.source, s.function, s.context "
               "FROM host_spans AS s LEFT JOIN threads AS t ON t.run = s.run AND "
               "t.thread = s.thread WHERE s.run = ? ORDER BY s.id");
    rows.of(run);
    while (rows.next()) {
      HostSpan span;
      if (!fromWord(rows.text(0), span.kind))
        throw Unreadable{"a host span is of an unknown kind"};
      const std::int64_t durationNs = rows.number(5);
      span.begin_ns = rows.number(4);
      if (span.begin_ns < 0 || durationNs < 0 || durationNs > INT64_MAX - span.begin_ns)
        throw Unreadable{"a host span ends before it begins"};
      span.end_ns = span.begin_ns + durationNs;
      span.name = rows.text(1);
      span.thread = static_cast<std::uint64_t>(rows.number(2));
      span.thread_name = rows.text(3);
      span.step = rows.number(6, -1);
      span.graph = static_cast<std::uint64_t>(rows.number(7));
      span.exec = static_cast<std::uint64_t>(rows.number(8));
      span.replay = static_cast<std::uint64_t>(rows.number(9));
      span.bytes = static_cast<std::uint64_t>(rows.number(10));
      span.captured = rows.number(11) != 0;
      span.site = site(rows.text(1), rows.text(12), rows.text(13));
      const std::vector<Value> context = valuesOfJson(rows.text(14), sites_);
      span.context = context.data();
      span.context_size = context.size();
      batcher.add(span, batch);
      if (batch.spans.size() >= large) {
        listener_.add(batch);
        batcher.renew(batch);
      }
    }
    listener_.add(batch);
  }

  static constexpr std::size_t large = 16'384; // records of a batch
  const ReadOnly &database_;
  const bool hasMemory_, hasHost_, hasEnds_, hasGraphs_, hasIds_, hasBusy_, hasKernels_;
  RecordingListener &listener_;
  KeptSites &sites_;
  Batch batch_;
  std::unordered_map<std::int64_t, std::uint64_t> ids_; // of regions, by their rows
  static constexpr int mostLevels = 10'000;
  static constexpr std::int64_t mostRegions = 10'000'000; // of a graph
  std::vector<int> levels_;                               // of each region: it and those around it
};

} // namespace

std::string readSqlite(const std::string &path, RecordingListener &listener, KeptSites &sites) {
  try {
    const ReadOnly database(path);
    Query versions(database, "PRAGMA user_version");
    const std::int64_t version = versions.next() ? versions.number(0) : 0;
    if (version > sqlite::schemaVersion())
      return fmt::format("its tables are of version {}, and this program reads versions up to {}; "
                         "use the graphprof of the release that wrote it",
                         version, sqlite::schemaVersion());
    Query tables(database, "SELECT count(*) FROM sqlite_schema WHERE name IN "
                           "('runs', 'regions', 'replays', 'records')");
    if (version < 1 || !tables.next() || tables.number(0) != 4)
      return "it is a database without graphprof's tables (GRAPHPROF_OUTPUT=PATH.db writes them)";
    Reading(database, version, listener, sites).all();
    return {};
  } catch (const Unreadable &error) {
    return fmt::format("SQLite cannot read it: {}", error.why);
  }
}

} // namespace graphprof
