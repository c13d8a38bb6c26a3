// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteSchema.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "output/data/RecordColumns.h"
#include "output/formats/sqlite/SqliteColumns.h"
#include "output/formats/steps/SqliteSteps.h"

namespace graphprof::sqlite {

namespace {

// Records are small and have no index: each replay says where its records are, and their ids are
// consecutive. What is busy_times' is known of few.
constexpr const char *recordTables = R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  program TEXT NOT NULL,
  pid INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  began_ns INTEGER NOT NULL,
  ended_ns INTEGER);
CREATE TABLE regions (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  parent INTEGER REFERENCES regions,
  {region_columns});
CREATE TABLE graph_names (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  text TEXT NOT NULL,
  name TEXT NOT NULL,
  context TEXT NOT NULL);
CREATE TABLE replays (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  graph INTEGER,
  exec INTEGER,
  replay INTEGER,
  device INTEGER,
  stream INTEGER NOT NULL,
  step INTEGER,
  cold INTEGER NOT NULL,
  launch_ns INTEGER,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER,
  first_record INTEGER NOT NULL,
  records INTEGER NOT NULL,
  cuda_graph INTEGER,
  cuda_exec INTEGER,
  graph_name INTEGER REFERENCES graph_names);
CREATE TABLE records (
  id INTEGER PRIMARY KEY,
  replay INTEGER NOT NULL REFERENCES replays,
  region INTEGER NOT NULL REFERENCES regions,
  offset_ns INTEGER,
  duration_ns INTEGER,
  iteration INTEGER,
  cold INTEGER NOT NULL,
  next_begin INTEGER NOT NULL);
CREATE TABLE metadata (
  run INTEGER NOT NULL REFERENCES runs,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, key)) WITHOUT ROWID;
CREATE TABLE remarks (
  run INTEGER NOT NULL REFERENCES runs,
  text TEXT NOT NULL);
CREATE TABLE losses (
  run INTEGER NOT NULL REFERENCES runs,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, kind)) WITHOUT ROWID;
CREATE TABLE busy_times (
  record INTEGER PRIMARY KEY REFERENCES records,
  {busy_columns});
CREATE INDEX regions_by_name ON regions (name, run);
CREATE INDEX replays_by_number ON replays (run, exec, replay);
CREATE INDEX replays_by_step ON replays (run, step);
CREATE TABLE memory (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  time_ns INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  allocated INTEGER NOT NULL,
  address INTEGER NOT NULL,
  device INTEGER,
  kind TEXT NOT NULL,
  step INTEGER,
  path TEXT);
CREATE INDEX memory_by_time ON memory (run, time_ns);
)";

// The span around a host span is found by its time, within its thread.
constexpr const char *hostTables = R"(
CREATE TABLE threads (
  run INTEGER NOT NULL REFERENCES runs,
  thread INTEGER NOT NULL,
  name TEXT,
  PRIMARY KEY (run, thread)) WITHOUT ROWID;
CREATE TABLE host_spans (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  thread INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  step INTEGER,
  graph INTEGER,
  exec INTEGER,
  replay INTEGER,
  bytes INTEGER,
  captured INTEGER NOT NULL,
  source TEXT,
  function TEXT,
  context TEXT);
CREATE INDEX host_spans_by_time ON host_spans (run, thread, begin_ns);
)";

// What graphs are made of: how many nodes and edges and, where nodes are recorded, which. `record`
// is the place of a node's record among those of a replay that are in no conditional node's body.
constexpr const char *graphTables = R"(
CREATE TABLE graphs (
  run INTEGER NOT NULL REFERENCES runs,
  graph INTEGER NOT NULL,
  nodes INTEGER,
  edges INTEGER,
  multiprocessors INTEGER,
  PRIMARY KEY (run, graph)) WITHOUT ROWID;
CREATE TABLE graph_nodes (
  run INTEGER NOT NULL REFERENCES runs,
  graph INTEGER NOT NULL,
  node INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  region INTEGER REFERENCES regions,
  record INTEGER,
  inside INTEGER,
  blocks INTEGER,
  threads INTEGER,
  resident INTEGER,
  cuda_node INTEGER,
  PRIMARY KEY (run, graph, node)) WITHOUT ROWID;
CREATE TABLE graph_edges (
  run INTEGER NOT NULL REFERENCES runs,
  graph INTEGER NOT NULL,
  node INTEGER NOT NULL,
  after INTEGER NOT NULL,
  early INTEGER NOT NULL,
  PRIMARY KEY (run, graph, node, after)) WITHOUT ROWID;
)";

// What ran inside kernels: runs of kernels and of their timed twins, the regions inside a twin, its
// sampled warps, and what each spent in a region.
constexpr const char *kernelTables = R"(
CREATE TABLE kernel_runs (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs,
  name TEXT NOT NULL,
  path TEXT,
  graph INTEGER NOT NULL,
  exec INTEGER NOT NULL,
  replay INTEGER NOT NULL,
  node INTEGER NOT NULL,
  device INTEGER,
  step INTEGER,
  cold INTEGER NOT NULL,
  twin INTEGER NOT NULL,
  duration_ns INTEGER,
  launch TEXT);
CREATE TABLE kernel_regions (
  kernel_run INTEGER NOT NULL REFERENCES kernel_runs,
  region INTEGER NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  inside INTEGER,
  PRIMARY KEY (kernel_run, region)) WITHOUT ROWID;
CREATE TABLE kernel_warps (
  kernel_run INTEGER NOT NULL REFERENCES kernel_runs,
  number INTEGER NOT NULL,
  block INTEGER NOT NULL,
  warp INTEGER NOT NULL,
  multiprocessor INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  PRIMARY KEY (kernel_run, number)) WITHOUT ROWID;
CREATE TABLE kernel_times (
  kernel_run INTEGER NOT NULL REFERENCES kernel_runs,
  region INTEGER NOT NULL,
  number INTEGER NOT NULL,
  iterations INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  PRIMARY KEY (kernel_run, region, number)) WITHOUT ROWID;
CREATE INDEX kernel_runs_by_name ON kernel_runs (run, name);
)";

// Statistics tell what ran in graphs from what ran outside, and show what has no warm execution by
// its cold ones: the rule of output/statistics/ByWarmth.h.
constexpr const char *views = R"(
CREATE VIEW timings AS
  SELECT replays.run, {columns}
  FROM records
  JOIN replays ON replays.id = records.replay
  JOIN regions ON regions.id = records.region
  LEFT JOIN busy_times ON busy_times.record = records.id
  LEFT JOIN graph_names ON graph_names.id = replays.graph_name;
CREATE VIEW launches AS
  SELECT host_spans.run, host_spans.graph, host_spans.exec, host_spans.replay, host_spans.step,
    host_spans.thread, replays.device, replays.stream, replays.cold, host_spans.begin_ns,
    host_spans.duration_ns,
    iif(replays.end_ns IS NULL, NULL, replays.begin_ns - host_spans.begin_ns) AS until_device_ns,
    replays.end_ns - replays.begin_ns AS device_ns, host_spans.id AS host_span,
    replays.id AS replay_id, graph_names.text AS graph_name
  FROM host_spans
  LEFT JOIN replays ON replays.run = host_spans.run AND replays.exec = host_spans.exec
    AND replays.replay = host_spans.replay
  LEFT JOIN graph_names ON graph_names.id = replays.graph_name
  WHERE host_spans.kind = 'launch';
CREATE VIEW statistics AS
  SELECT run, path, kind, clock, count, total_ns, mean_ns, min_ns, max_ns, not_measured, in_graph,
    cold
  FROM (SELECT regions.run, regions.path, regions.kind, regions.clock,
      replays.exec IS NOT NULL AS in_graph, records.cold,
      min(records.cold) OVER (PARTITION BY regions.run, regions.path, regions.kind,
        regions.clock, replays.exec IS NOT NULL) AS shown,
      count(records.duration_ns) AS count, sum(records.duration_ns) AS total_ns,
      avg(records.duration_ns) AS mean_ns, min(records.duration_ns) AS min_ns,
      max(records.duration_ns) AS max_ns, sum(records.duration_ns IS NULL) AS not_measured
    FROM records
    JOIN replays ON replays.id = records.replay
    JOIN regions ON regions.id = records.region
    GROUP BY 1, 2, 3, 4, 5, 6)
  WHERE cold = shown;
)";

// Where the columns of a replay and of a timing are, if not in `replays` under their own names.
struct Elsewhere {
  std::string_view column, sql;
};
constexpr Elsewhere elsewhere[] = {
    {"graph_name", "graph_names.text"},
    {"iteration", "records.iteration"},
    {"cold", "records.cold"},
    {"begin_ns", "replays.begin_ns + records.offset_ns"},
    {"duration_ns", "records.duration_ns"},
    {"ends", "iif(records.next_begin, 'next_begin', 'completion')"},
};

// The columns of the view `timings`, in the order of a line of CSV. The busy time has the ids of
// the record and of its region before it, and the order of its table.
std::string timingColumns() {
  std::string list;
  const auto add = [&](std::string_view sql, std::string_view name) {
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ",\n    ", sql, name);
  };
  bool isBusyThere = false;
  forEachColumn<ColumnOrder::Csv>([&](const auto &column) {
    const std::string_view name = column.name.view();
    if constexpr (isColumnOf<decltype(column), Batch::Region>) {
      add(fmt::format("regions.{}", name), name);
    } else if constexpr (!isColumnOf<decltype(column), Batch::Busy>) {
      const auto *const at = std::ranges::find(elsewhere, name, &Elsewhere::column);
      add(at == std::end(elsewhere) ? fmt::format("replays.{}", name) : std::string(at->sql), name);
    } else if (!std::exchange(isBusyThere, true)) {
      add("records.id", "record");
      add("records.region", "region");
      forEachColumnOf<Batch::Busy>([&](const auto &busy) {
        add(fmt::format("busy_times.{}", busy.name.view()), busy.name.view());
      });
    }
  });
  return list;
}

constexpr std::int64_t version = 1;
constexpr std::int64_t ownFile = 0x47505246; // "GPRF", for PRAGMA application_id

} // namespace

void prepareTables(Database &database) {
  const auto refuse = [&](const std::string &why) {
    throw Refused{fmt::format("cannot write {}: {}", database.path(), why)};
  };
  if (database.number("SELECT count(*) FROM sqlite_schema") != 0) {
    if (database.number("PRAGMA application_id") != ownFile)
      refuse("it has tables of another program");
    if (const std::int64_t found = database.number("PRAGMA user_version"); found != version)
      refuse(fmt::format("its tables are of version {}, not {}", found, version));
    return;
  }
  const std::string records =
      fmt::format(recordTables, fmt::arg("region_columns", tableColumns<Batch::Region>()),
                  fmt::arg("busy_columns", tableColumns<Batch::Busy>()));
  const std::string viewed = fmt::format(views, fmt::arg("columns", timingColumns()));
  for (const char *const tables :
       {records.c_str(), hostTables, stepTable, graphTables, kernelTables, viewed.c_str()})
    database.run(tables);
  database.run(fmt::format("PRAGMA application_id = {}", ownFile).c_str());
  database.run(fmt::format("PRAGMA user_version = {}", version).c_str());
}

} // namespace graphprof::sqlite
