// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The database, read back with the system's own SQLite: that there are two in this process is part
// of the test.

#include "output/formats/sqlite/Sqlite.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const Run run{"node7", "solver", 4321, 3, 1'700'000'000'000'000'000};

using Rows = std::vector<std::string>;

// The rows of a query, fields by bars as the shell of SQLite shows them; what went wrong as a row.
std::string answer(const std::string &path, const std::string &sql) {
  ::sqlite3 *database = nullptr;
  std::string rows;
  ::sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
  char *error = nullptr;
  ::sqlite3_exec(
      database, sql.c_str(),
      [](void *to, int count, char **fields, char **) {
        auto &rows = *static_cast<std::string *>(to);
        for (int i = 0; i < count; ++i)
          rows.append(i ? "|" : "").append(fields[i] ? fields[i] : "NULL");
        rows += '\n';
        return 0;
      },
      &rows, &error);
  if (error)
    rows.append("error: ").append(error).append("\n");
  ::sqlite3_free(error);
  ::sqlite3_close(database);
  return rows;
}

// Runs `work` in a process of its own and returns what it returns. Two SQLites in one process do
// not see each other's locks, as docs/sqlite.md says.
template <class Work> std::string elsewhere(Work work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string text = work();
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 512> piece{};
  for (ssize_t size; (size = ::read(ends[0], piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(size));
  ::close(ends[0]);
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

Rows query(const std::string &path, const std::string &sql) {
  std::istringstream lines(elsewhere([&] { return answer(path, sql); }));
  Rows rows;
  for (std::string row; std::getline(lines, row);)
    rows.push_back(row);
  return rows;
}

class SqliteTest : public testing::Test {
protected:
  void SetUp() override {
    if (!sqliteBuiltIn())
      GTEST_SKIP() << "built without SQLite";
    writer = makeSqlite(path, run);
  }
  // What the query of docs/sqlite.md under this comment answers.
  Rows documented(const std::string &comment) {
    const std::string page = contents(GRAPHPROF_TEST_DOCS "/sqlite.md");
    const std::size_t begin = page.find("-- " + comment);
    EXPECT_NE(begin, std::string::npos) << comment;
    return rows(page.substr(begin, page.find(';', begin) - begin));
  }
  // One transaction of one replay.
  std::string write(const Replay &replay) {
    batcher.renew(batch);
    batcher.add(replay, batch);
    return writer->write(batch);
  }
  // One of host spans alone; `anew`: without what is in the batch already.
  std::string write(const HostSample &sample, bool anew = true) {
    if (anew)
      batcher.renew(batch);
    for (const HostSpan &span : sample.spans())
      batcher.add(span, batch);
    return writer->write(batch);
  }
  std::string write(std::uint64_t number = 0) {
    Sample sample(number);
    return write(sample.region("a", 0, 0, 10).region("b", 1, 10, 20));
  }
  [[nodiscard]] Rows rows(const std::string &sql) const { return query(path, sql); }

  const Folder folder;
  const std::string path = folder.file("run.db");
  std::unique_ptr<BatchWriter> writer;
  Batcher batcher;
  Batch batch;
};

TEST_F(SqliteTest, RunIsRow) {
  EXPECT_EQ(write(), "");
  EXPECT_THAT(rows("SELECT * FROM runs"),
              ElementsAre("1|node7|solver|4321|3|1700000000000000000|NULL"));
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows("SELECT ended_ns > 1700000000000000000 FROM runs"), ElementsAre("1"));
  EXPECT_THAT(folder.names(), ElementsAre("run.db")) << "what SQLite kept beside it is gone";
}

TEST_F(SqliteTest, TextsAreValidUtf8) {
  Sample sample;
  EXPECT_EQ(write(sample.region("caf\xe9", 0, 0, 10)), "");
  EXPECT_THAT(rows("SELECT name FROM regions WHERE name LIKE 'caf%'"),
              ElementsAre("caf\xef\xbf\xbd"));
}

TEST_F(SqliteTest, ReadableWhileWritten) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(write(i), "");
    EXPECT_THAT(rows("SELECT count(*), count(DISTINCT replay) FROM records"),
                ElementsAre(std::to_string(2 * (i + 1)) + '|' + std::to_string(i + 1)));
  }
  EXPECT_THAT(rows("PRAGMA journal_mode"), ElementsAre("wal"));
}

TEST_F(SqliteTest, ReaderHoldsUpNoWriter) {
  // A reader in a transaction holds up no writer.
  EXPECT_EQ(write(0), "");
  std::array<int, 2> reading{}, done{};
  ASSERT_EQ(::pipe(reading.data()), 0);
  ASSERT_EQ(::pipe(done.data()), 0);
  const pid_t pid = ::fork();
  char byte = 0;
  if (pid == 0) {
    ::sqlite3 *database = nullptr;
    ::sqlite3_open(path.c_str(), &database);
    ::sqlite3_exec(database, "BEGIN; SELECT count(*) FROM records", nullptr, nullptr, nullptr);
    (void)!::write(reading[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    ::sqlite3_close(database);
    ::_exit(0);
  }
  EXPECT_EQ(::read(reading[0], &byte, 1), 1);
  EXPECT_EQ(write(1), "");
  EXPECT_EQ(::write(done[1], &byte, 1), 1);
  ::waitpid(pid, nullptr, 0);
  for (const int end : {reading[0], reading[1], done[0], done[1]})
    ::close(end);
  EXPECT_THAT(rows("SELECT count(*) FROM records"), ElementsAre("4"));
}

TEST_F(SqliteTest, RowsForRegionReplayRecord) {
  // A region, a replay and a record are a row each.
  Sample sample(2);
  EXPECT_EQ(write(sample.cold()
                      .step(5)
                      .region("layer 0", 0, 100, 30'000, Clock::Stamp, {Value(0), key("batch", 8)})
                      .region("add", 1, 200, 20'000)
                      .region("lost", 1, 0, -1)),
            "");
  EXPECT_THAT(
      rows("SELECT * FROM regions"),
      ElementsAre(
          R"(1|1|NULL|layer 0|layer 0|0|region|stamp|src/model.cu:12|forward|{"0":0,"batch":8})",
          "2|1|1|add|layer 0/add|1|region|stamp|src/model.cu:12|forward|{}",
          "3|1|1|lost|layer 0/lost|1|region|stamp|src/model.cu:12|forward|{}"));
  EXPECT_THAT(rows("SELECT * FROM replays"),
              ElementsAre("1|1|1|1|2|0|7|5|1|1700000000001995000|1700000000002000000|"
                          "1700000000002100000|1|3|NULL|NULL|NULL"));
  EXPECT_THAT(rows("SELECT * FROM records"),
              ElementsAre("1|1|1|100|30000|NULL|1|0", "2|1|2|200|20000|NULL|1|0",
                          "3|1|3|NULL|NULL|NULL|1|0"));
}

TEST_F(SqliteTest, ColumnsOfRecordsStandInTheirTablesAndInTheView) {
  Sample sample;
  EXPECT_EQ(write(sample.region("layer", 0, 0, 5'000)), "");
  const auto columns = [&](const char *table) {
    return rows(("SELECT group_concat(name || iif(\"notnull\", '!', ''), ' ') FROM "
                 "pragma_table_info('" +
                 std::string(table) + "')")
                    .c_str());
  };
  EXPECT_THAT(
      columns("regions"),
      ElementsAre("id run! parent name! path! depth! kind! clock! source function context!"));
  EXPECT_THAT(columns("busy_times"), ElementsAre("record busy_ns! gap_ns gap_cause busy_replays!"));
  EXPECT_THAT(
      columns("timings"),
      ElementsAre("run name path depth kind clock device stream graph exec replay iteration "
                  "step cold begin_ns duration_ns ends source function context record "
                  "region busy_ns gap_ns gap_cause busy_replays graph_name"));
}

TEST_F(SqliteTest, BusyTimesAreOfRecords) {
  Sample sample(0), many(1);
  EXPECT_EQ(write(sample.region("layer", 0, 0, 5'000)
                      .region("gemm", 1, 0, 1'800)
                      .kind(Kind::Kernel)
                      .endsWithNext()
                      .busy(800, 950, 63, GapCause::Launch)
                      .region("last", 1, 1'800, 700)
                      .kind(Kind::Kernel)
                      .busy(690, -1, 7)),
            "");
  for (int i = 0; i < 40; ++i) // more than are inserted at once
    many.region("r", 0, i, 1).busy(i, i + 1, 5);
  EXPECT_EQ(write(many), "");
  EXPECT_THAT(rows("SELECT name, duration_ns, busy_ns, gap_ns, gap_cause, busy_replays "
                   "FROM timings WHERE replay = 0"),
              ElementsAre("layer|5000|NULL|NULL|NULL|NULL", "gemm|1800|800|950|launch|63",
                          "last|700|690|NULL|NULL|7"));
  EXPECT_THAT(rows("SELECT count(*), sum(busy_ns) FROM timings WHERE replay = 1 AND "
                   "busy_ns = begin_ns - (SELECT begin_ns FROM replays WHERE replay = 1)"),
              ElementsAre("40|780"));
}

TEST_F(SqliteTest, ReplaysRecordsAreConsecutive) {
  // The records of a replay follow each other.
  for (std::uint64_t i = 0; i < 3; ++i) {
    Sample sample(i);
    for (int j = 0; j < 50; ++j) // more than are inserted at once
      sample.region("r" + std::to_string(j), 0, j, 100 * static_cast<std::int64_t>(i) + j);
    EXPECT_EQ(write(sample), "");
  }
  EXPECT_THAT(rows("SELECT replays.replay, count(*), sum(duration_ns) FROM replays "
                   "JOIN records ON records.id BETWEEN first_record AND first_record + records - 1 "
                   "AND records.replay = replays.id GROUP BY replays.id"),
              ElementsAre("0|50|1225", "1|50|6225", "2|50|11225"));
  EXPECT_THAT(rows("SELECT name FROM timings WHERE replay = 2 AND duration_ns = 249"),
              ElementsAre("r49"));
}

TEST_F(SqliteTest, EagerPlaceIsRow) {
  // Outside graphs, a place is a row.
  Sample one = Sample::outsideGraphs(), other = Sample::outsideGraphs(50);
  EXPECT_EQ(write(one.step(4)
                      .region("upload", 0, 0, 9, Clock::Event)
                      .region("inner", 1, 1, 2, Clock::Event)
                      .region("parse", 1, 2, 3, Clock::Host)),
            "");
  EXPECT_EQ(write(other.region("tokenise", 0, 0, 7, Clock::Host)), "");
  EXPECT_THAT(rows("SELECT graph, exec, replay, device, stream, step, records FROM replays"),
              ElementsAre("NULL|NULL|NULL|0|7|4|2", "NULL|NULL|NULL|NULL|0|4|1",
                          "NULL|NULL|NULL|NULL|0|NULL|1"));
  EXPECT_THAT(rows("SELECT path, device, stream, step, clock, duration_ns FROM timings"),
              ElementsAre("upload|0|7|4|event|9", "upload/inner|0|7|4|event|2",
                          "upload/parse|NULL|0|4|host|3", "tokenise|NULL|0|NULL|host|7"));
}

TEST_F(SqliteTest, ViewsShowTables) {
  Sample cold(0), one(1), two(2);
  EXPECT_EQ(write(cold.cold().region("a", 0, 5, 1'000).iteration(0)), "");
  EXPECT_EQ(write(one.region("a", 0, 5, 100)), "");
  EXPECT_EQ(write(two.region("a", 0, 5, 300).region("a", 0, 5, -1)), "");
  EXPECT_THAT(rows("SELECT run, name, graph, exec, replay, iteration, cold, begin_ns, duration_ns "
                   "FROM timings"),
              ElementsAre("1|a|1|1|0|0|1|1700000000000000005|1000",
                          "1|a|1|1|1|NULL|0|1700000000001000005|100",
                          "1|a|1|1|2|NULL|0|1700000000002000005|300",
                          "1|a|1|1|2|NULL|0|NULL|NULL"));
  EXPECT_THAT(rows("SELECT * FROM statistics"),
              ElementsAre("1|a|region|stamp|2|400|200.0|100|300|1|1|0"));
}

TEST_F(SqliteTest, StatisticsTellGraphsFromOutside) {
  // They show cold replays where there are no others.
  Sample cold(0), warm(1), outside = Sample::outsideGraphs();
  EXPECT_EQ(write(cold.cold()
                      .region("a", 0, 0, 1'000, Clock::Event)
                      .iteration(0)
                      .region("a", 0, 5, 900, Clock::Event)
                      .iteration(1)
                      .region("once", 0, 0, 70, Clock::Event)),
            "");
  EXPECT_EQ(write(warm.region("a", 0, 0, 100, Clock::Event)), "");
  EXPECT_EQ(write(outside.region("a", 0, 0, 3, Clock::Event)), "");
  EXPECT_THAT(rows("SELECT path, in_graph, cold, count, total_ns FROM statistics ORDER BY 1, 2"),
              ElementsAre("a|0|0|1|3", "a|1|0|1|100", "once|1|1|1|70"));
}

TEST_F(SqliteTest, NotesAndLossesHaveRows) {
  // What is said of the run, and what was lost.
  batch.notes.push_back({"model", "\"llama\""});
  batch.notes.push_back({"model", "{\"layers\":32}"});
  batch.remarks.emplace_back("allocated once");
  EXPECT_EQ(writer->write(batch), "");
  Losses losses{};
  losses.overrun = 3;
  EXPECT_EQ(writer->close(losses), "");
  EXPECT_THAT(rows("SELECT * FROM metadata"), ElementsAre(R"(1|model|{"layers":32})"));
  EXPECT_THAT(rows("SELECT * FROM remarks"), ElementsAre("1|allocated once"));
  EXPECT_THAT(rows("SELECT run, kind, count, text LIKE '3 replays lost: %' FROM losses"),
              ElementsAre("1|overrun|3|1"));
}

TEST_F(SqliteTest, MemoryEventIsRow) {
  // An allocation and a free are a row each.
  batch.memory.push_back(
      {{5, 4096, 8192, 0x7f00, 1, MemoryKind::Pool, 12, {}}, "decode/attention"});
  batch.memory.push_back({{6, -100, 0, 0x1000, -1, MemoryKind::Host, -1, {}}, ""});
  EXPECT_EQ(writer->write(batch), "");
  EXPECT_THAT(rows("SELECT * FROM memory"),
              ElementsAre("1|1|5|4096|8192|32512|1|pool|12|decode/attention",
                          "2|1|6|-100|0|4096|NULL|host|NULL|NULL"));
}

TEST_F(SqliteTest, HostSpanAndThreadAreRows) {
  EXPECT_EQ(write(HostSample::ofEveryKind()), "");
  EXPECT_THAT(rows("SELECT * FROM threads"), ElementsAre("1|7128|main", "1|7130|a worker"));
  EXPECT_THAT(rows("SELECT * FROM host_spans"),
              ElementsAre(R"(1|1|copy|h2d|7128|1700000000000000100|400|3|NULL|NULL|NULL|4096|0|)"
                          R"(src/model.cu:12|forward|{"bytes":4096})",
                          R"(2|1|region|layer 0|7128|1700000000000000600|900|3|NULL|NULL|NULL|)"
                          R"(NULL|1|src/model.cu:12|forward|{"0":0})",
                          "3|1|launch|cudaGraphLaunch|7128|1700000000000002000|1500|3|1|1|2|NULL|0|"
                          "NULL|NULL|NULL",
                          "4|1|mark|epoch|7128|1700000000000003600|0|3|NULL|NULL|NULL|NULL|0|NULL|"
                          "NULL|NULL",
                          "5|1|step|ProfilerStep#3|7128|1700000000000000000|4000|3|NULL|NULL|NULL|"
                          "NULL|0|NULL|NULL|NULL",
                          "6|1|range|load \"next\"|7130|1700000000000000050|9000|NULL|NULL|NULL|"
                          "NULL|NULL|0|NULL|NULL|NULL",
                          "7|1|launch|cudaGraphLaunch|7130|1700000000000009100|700|NULL|NULL|NULL|"
                          "NULL|NULL|0|NULL|NULL|NULL"));
}

TEST_F(SqliteTest, ReusedThreadIdKeepsFirstName) {
  // A thread that gets another's number is under that one's name.
  HostSample sample;
  sample.add(HostKind::Mark, "a", 0, 0).on(7, "first").add(HostKind::Mark, "b", 1, 0).on(7, "next");
  EXPECT_EQ(write(sample), "");
  EXPECT_THAT(rows("SELECT * FROM threads"), ElementsAre("1|7|first"));
  EXPECT_THAT(rows("SELECT name, thread FROM host_spans"), ElementsAre("a|7", "b|7"));
}

TEST_F(SqliteTest, LaunchIsJoinedWithReplay) {
  Sample sample(2), lost(3);
  EXPECT_EQ(write(sample.cold().region("a", 0, 0, 10)), "");
  EXPECT_EQ(write(lost.span(0, 0).region("a", 0, 0, -1)), "");
  HostSample host;
  host.add(HostKind::Launch, "cudaGraphLaunch", 1'990'000, 4'000).of(1, 1, 2).in(5);
  host.add(HostKind::Launch, "cudaGraphLaunch", 2'500'000, 3'000).of(1, 1, 3);
  host.add(HostKind::Launch, "cudaGraphLaunch", 2'600'000, 2'000).of(1, 1, 4);
  host.add(HostKind::Launch, "cudaGraphLaunch", 2'700'000, 1'000);
  host.add(HostKind::Region, "no launch", 0, 1);
  EXPECT_EQ(write(host), "");
  EXPECT_THAT(rows("SELECT exec, replay, step, thread, device, stream, cold, duration_ns, "
                   "until_device_ns, device_ns, host_span, replay_id FROM launches"),
              ElementsAre("1|2|5|7128|0|7|1|4000|10000|100000|1|1",
                          "1|3|NULL|7128|0|7|0|3000|NULL|NULL|2|2",
                          "1|4|NULL|7128|NULL|NULL|NULL|2000|NULL|NULL|3|NULL",
                          "NULL|NULL|NULL|7128|NULL|NULL|NULL|1000|NULL|NULL|4|NULL"))
      << "without a time of the device, without a replay, and of an exec that is not timed";
}

TEST_F(SqliteTest, DocumentedCopyQueryAnswers) {
  Sample graph(0), copy = Sample::outsideGraphs(), behind = Sample::outsideGraphs();
  EXPECT_EQ(write(graph.stream(7).region("add", 0, 0, 25'000)), "");
  EXPECT_EQ(write(copy.step(4).stream(8).copy("h2d", 10'000, 40'000, 1'000'000)), "");
  EXPECT_EQ(write(behind.step(5).stream(7).copy("h2d", 20'000, 40'000, 1'000'000)), "");
  EXPECT_THAT(documented("how much of each copy"),
              ElementsAre("4|1700000000000010000|40000|40000", "5|1700000000000020000|40000|0"));
}

// Those of docs/sqlite.md, which is right as far as they are.
TEST_F(SqliteTest, DocumentedHostSpanQueriesAnswer) {
  HostSample host;
  for (int step = 0; step < 2; ++step) {
    const std::int64_t atNs = 1'000'000 * step - 40'000;
    host.add(HostKind::Region, "prepare", atNs + 1'000, 20'000 + step).in(step);
    host.add(HostKind::Launch, "cudaGraphLaunch", atNs + 30'000, 5'000)
        .of(1, 1, static_cast<std::uint64_t>(step))
        .in(step);
    host.add(HostKind::Step, "ProfilerStep#" + std::to_string(step), atNs, 50'000).in(step);
    host.add(HostKind::Range, "elsewhere", atNs + 1'000, 1'000).on(9, "other");
  }
  EXPECT_EQ(write(host), "");
  for (std::uint64_t replay = 0; replay < 2; ++replay) {
    Sample sample(replay);
    EXPECT_EQ(write(sample.region("a", 0, 0, 10)), "");
  }
  EXPECT_THAT(documented("how long the host took to launch"),
              ElementsAre("1|2|5000.0|5000|10000.0"));
  EXPECT_THAT(documented("what each step's time on the host went into"),
              ElementsAre("0|cudaGraphLaunch|1|5000", "0|prepare|1|20000",
                          "1|cudaGraphLaunch|1|5000", "1|prepare|1|20001"));
}

// Of many records, which have a statement of their own, and of few.
TEST_F(SqliteTest, RecordSaysItsEnd) {
  Sample many(1), few(2);
  for (int i = 0; i < 40; ++i) {
    many.region("a", 0, i, 1);
    if (i % 2 == 0)
      many.endsWithNext();
  }
  EXPECT_EQ(write(many), "");
  EXPECT_EQ(write(few.region("b", 0, 0, 1).endsWithNext().region("b", 0, 1, 1)), "");
  EXPECT_THAT(
      rows("SELECT name, ends, count(*) FROM timings GROUP BY name, ends"),
      ElementsAre("a|completion|20", "a|next_begin|20", "b|completion|1", "b|next_begin|1"));
}

TEST_F(SqliteTest, DriversIdsAreInReplays) {
  Sample one(0), other(0);
  EXPECT_EQ(write(one.region("a", 0, 0, 10).exec(1, 1).cudaIds(41, 42)), "");
  EXPECT_EQ(write(other.region("b", 0, 0, 10).exec(2, 2)), "");
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows("SELECT exec, cuda_graph, cuda_exec FROM replays ORDER BY exec"),
              ElementsAre("1|41|42", "2|NULL|NULL"));
}

// What each step's copies took, as a reader of TraceML's asks for it.
constexpr const char *stepQuery =
    "SELECT rank, global_rank, local_rank, world_size, local_world_size, node_rank, hostname, seq, "
    "step, json_extract(events_json, '$.\"_traceml_internal:step_time\".cpu.duration_ms'), "
    "sample_ts_s > 1.7e9, recv_ts_ns > 1700000000000000000 "
    "FROM step_time_samples ORDER BY rank, step, sample_ts_s, id";

TEST_F(SqliteTest, StepsAreTraceMLs) {
  EXPECT_EQ(write(HostSample().add(HostKind::Step, "ProfilerStep#0", 10, 2'000'000).in(0)), "");
  EXPECT_EQ(write(HostSample().add(HostKind::Step, "ProfilerStep#1", 10, 3'000'000).in(1)), "");
  EXPECT_THAT(rows(stepQuery), ElementsAre("3|3|NULL|NULL|NULL|NULL|node7|0|0|2.0|1|1"))
      << "while the program runs";
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows(stepQuery), ElementsAre("3|3|NULL|NULL|NULL|NULL|node7|0|0|2.0|1|1",
                                           "3|3|NULL|NULL|NULL|NULL|node7|1|1|3.0|1|1"));
}

TEST_F(SqliteTest, StepsMayShareForeignDatabase) {
  std::ofstream(path).close();
  EXPECT_THAT(rows("CREATE TABLE of_another (x); INSERT INTO of_another VALUES (7)"), IsEmpty());
  auto ranked = run;
  ranked.ranks = 8;
  ranked.localRank = 1;
  ranked.localRanks = 4;
  ranked.node = 2;
  writer = makeStepSqlite(path, ranked);
  EXPECT_EQ(write(HostSample().add(HostKind::Step, "ProfilerStep#5", 10, 2'000'000).in(5)), "");
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows(stepQuery), ElementsAre("3|3|1|8|4|2|node7|0|5|2.0|1|1"));
  EXPECT_THAT(rows("SELECT x FROM of_another"), ElementsAre("7"));
  EXPECT_THAT(rows("SELECT name, type FROM pragma_table_info('step_time_samples')"),
              ElementsAre("id|INTEGER", "recv_ts_ns|INTEGER", "rank|INTEGER", "global_rank|INTEGER",
                          "local_rank|INTEGER", "world_size|INTEGER", "local_world_size|INTEGER",
                          "node_rank|INTEGER", "hostname|TEXT", "sample_ts_s|REAL", "seq|INTEGER",
                          "step|INTEGER", "events_json|TEXT"));
  EXPECT_THAT(rows("EXPLAIN QUERY PLAN SELECT * FROM step_time_samples WHERE rank = 3 ORDER BY "
                   "step, sample_ts_s, id"),
              ElementsAre(HasSubstr("idx_step_time_samples_rank_step_ts")));
  EXPECT_THAT(
      rows("EXPLAIN QUERY PLAN SELECT * FROM step_time_samples WHERE step = 5 ORDER BY rank, id"),
      ElementsAre(HasSubstr("idx_step_time_samples_step_rank")));
  EXPECT_THAT(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'runs'"), ElementsAre("0"));
}

TEST_F(SqliteTest, StepsStandBesideLosses) {
  constexpr const char *tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%losses'";
  Losses losses{};
  for (const std::uint64_t lost : {0, 1}) {
    writer = makeStepSqlite(path, run);
    batcher = Batcher(); // each writer is told once what a step is
    EXPECT_EQ(write(HostSample().add(HostKind::Step, "ProfilerStep#5", 10, 2'000'000).in(5)), "");
    losses.host_spans = lost;
    EXPECT_EQ(writer->close(losses), "");
    EXPECT_THAT(rows(tables), ElementsAre(std::to_string(lost)));
  }
  EXPECT_THAT(rows("SELECT rank, kind, count FROM graphprof_losses"), ElementsAre("3|hostSpans|1"));
}

TEST_F(SqliteTest, RunIsAddedToOthers) {
  EXPECT_EQ(write(), "");
  EXPECT_EQ(writer->close({}), "");
  writer = makeSqlite(path, {"node8", "solver", 1, 4, 5});
  batcher = Batcher();
  EXPECT_EQ(write(), "");
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows("SELECT run, count(*), sum(duration_ns) FROM timings GROUP BY run"),
              ElementsAre("1|2|30", "2|2|30"));
  EXPECT_THAT(rows("SELECT id, parent FROM regions"),
              ElementsAre("1|NULL", "2|1", "3|NULL", "4|3"));
}

TEST_F(SqliteTest, RenewedRegionsAreNewRows) {
  batcher = Batcher(1);
  for (int i = 0; i < 6; ++i) {
    Sample sample(static_cast<std::uint64_t>(i));
    EXPECT_EQ(write(sample.region("r" + std::to_string(i), 0, 0, i)), "");
  }
  EXPECT_THAT(rows("SELECT name, duration_ns FROM timings"),
              ElementsAre("r0|0", "r1|1", "r2|2", "r3|3", "r4|4", "r5|5"));
}

// Processes that begin at once, too: they race for making the file.
TEST_F(SqliteTest, ProcessesShareFile) {
  constexpr int processes = 4, batches = 25, regions = 40;
  std::vector<pid_t> children;
  for (int child = 0; child < processes; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto own = makeSqlite(path, {"node7", "solver", child, child, 1});
      bool good = true;
      for (std::uint64_t i = 0; i < batches; ++i) {
        Sample sample(i);
        for (int region = 0; region < regions; ++region)
          sample.region("r" + std::to_string(region), 0, 0, child);
        batcher.renew(batch);
        batcher.add(sample, batch);
        good = good && own->write(batch).empty();
      }
      good = own->close({}).empty() && good;
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(rows("SELECT runs.rank, count(*), sum(duration_ns = runs.rank) FROM timings "
                   "JOIN runs ON runs.id = timings.run GROUP BY runs.rank"),
              ElementsAre("0|1000|1000", "1|1000|1000", "2|1000|1000", "3|1000|1000"));
  EXPECT_THAT(rows("PRAGMA integrity_check"), ElementsAre("ok"));
}

TEST_F(SqliteTest, ForeignFileIsLeftAlone) {
  std::ofstream(path) << "this is somebody's text and long enough to be looked at as a database";
  const std::string before = contents(path);
  EXPECT_THAT(write(), HasSubstr("run.db: file is not a database"));
  EXPECT_EQ(contents(path), before);
}

TEST_F(SqliteTest, ForeignDatabaseIsLeftAlone) {
  std::ofstream{path}.close();
  EXPECT_THAT(rows("CREATE TABLE theirs (x)"), IsEmpty());
  EXPECT_THAT(write(), HasSubstr("run.db: it has tables of another program"));
  EXPECT_THAT(rows("SELECT name FROM sqlite_schema"), ElementsAre("theirs"));
}

// What another user put into a folder that all may write, the files beside a database too.
TEST_F(SqliteTest, AnotherUsersFilesAreLeftAlone) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make files of another user";
  constexpr uid_t nobody = 65'534;
  const Folder shared;
  ::chmod(shared.file("").c_str(), 01777);
  for (const char *const theirs : {"run.db", "run.db-wal", "run.db-journal", "run.db-shm"}) {
    std::filesystem::create_symlink(folder.file("mine"), shared.file(theirs));
    ASSERT_EQ(::lchown(shared.file(theirs).c_str(), nobody, nobody), 0);
    writer = makeSqlite(shared.file("run.db"), run);
    batcher = Batcher();
    EXPECT_THAT(write(), HasSubstr("another user put it into a folder")) << theirs;
    EXPECT_THAT(shared.names(), ElementsAre(theirs));
    EXPECT_FALSE(std::filesystem::exists(folder.file("mine"))) << theirs;
    std::filesystem::remove(shared.file(theirs));
  }
}

// Most programs number their tables from 1, too.
TEST_F(SqliteTest, ForeignDatabaseOfTheSameVersionIsLeftAlone) {
  std::ofstream{path}.close();
  EXPECT_THAT(rows("CREATE TABLE runs (a,b,c,d,e,f,g); PRAGMA user_version = 1"), IsEmpty());
  EXPECT_THAT(write(), HasSubstr("run.db: it has tables of another program"));
  EXPECT_THAT(rows("SELECT count(*) FROM runs"), ElementsAre("0"));
}

TEST_F(SqliteTest, OtherVersionsTablesAreLeftAlone) {
  EXPECT_EQ(write(), "");
  EXPECT_EQ(writer->close({}), "");
  EXPECT_THAT(rows("PRAGMA user_version = 99"), IsEmpty());
  writer = makeSqlite(path, run);
  batcher = Batcher();
  EXPECT_THAT(write(), HasSubstr("run.db: its tables are of version 99, not 1"));
  EXPECT_THAT(rows("SELECT count(*) FROM runs"), ElementsAre("1"));
}

TEST_F(SqliteTest, FailureNamesPathAndReason) {
  writer = makeSqlite(folder.file("no/such/run.db"), run);
  EXPECT_EQ(write(),
            "cannot write " + folder.file("no/such/run.db") + ": unable to open database file");
}

// Where the disk is full, what was whole stays. A disk that is full, as far as one can be made: in
// a process of its own, since the limit stays.
TEST_F(SqliteTest, FullDiskKeepsWholeTransactions) {
  const std::string said = elsewhere([this] {
    std::signal(SIGXFSZ, SIG_IGN); // blocked in the thread that writes
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (std::uint64_t i = 0; i < 100'000; ++i)
      if (std::string failed = write(i); !failed.empty())
        return failed;
    return std::string();
  });
  EXPECT_THAT(said, testing::AnyOf("cannot write " + path + ": disk I/O error",
                                   "cannot write " + path + ": database or disk is full"));
  const Rows counts = rows("SELECT count(*) FROM records");
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_GT(std::stoi(counts[0]), 0);
  EXPECT_EQ(std::stoi(counts[0]) % 2, 0) << "whole transactions";
  EXPECT_THAT(rows("PRAGMA integrity_check"), ElementsAre("ok"));
}

} // namespace
