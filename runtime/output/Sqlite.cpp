// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Sqlite.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "output/ByRegion.h"
#include "output/Json.h"
#include "output/LossText.h"
#include "output/Words.h"

namespace graphprof {

namespace {

constexpr int schemaVersion = 2; // user_version; docs/sqlite.md describes it

// What version 2 added.
constexpr const char *memorySchema = R"(
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

// A record is small and in no index: its replay says where its records are, one behind the other.
constexpr const char *schema = R"(
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
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  depth INTEGER NOT NULL,
  kind TEXT NOT NULL,
  clock TEXT NOT NULL,
  source TEXT,
  function TEXT,
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
  records INTEGER NOT NULL);
CREATE TABLE records (
  id INTEGER PRIMARY KEY,
  replay INTEGER NOT NULL REFERENCES replays,
  region INTEGER NOT NULL REFERENCES regions,
  offset_ns INTEGER,
  duration_ns INTEGER,
  iteration INTEGER,
  cold INTEGER NOT NULL);
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
CREATE INDEX regions_by_name ON regions (name, run);
CREATE INDEX replays_by_number ON replays (run, exec, replay);
CREATE INDEX replays_by_step ON replays (run, step);
CREATE VIEW timings AS
  SELECT replays.run, regions.name, regions.path, regions.depth, regions.kind, regions.clock,
    replays.device, replays.stream, replays.graph, replays.exec, replays.replay,
    records.iteration, replays.step, records.cold, replays.begin_ns + records.offset_ns AS begin_ns,
    records.duration_ns, regions.source, regions.function, regions.context,
    records.id AS record, records.region
  FROM records
  JOIN replays ON replays.id = records.replay
  JOIN regions ON regions.id = records.region;
CREATE VIEW statistics AS
  SELECT regions.run, regions.path, regions.kind, regions.clock, count(records.duration_ns) AS count,
    sum(records.duration_ns) AS total_ns, avg(records.duration_ns) AS mean_ns,
    min(records.duration_ns) AS min_ns, max(records.duration_ns) AS max_ns,
    sum(records.duration_ns IS NULL) AS not_measured
  FROM records
  JOIN regions ON regions.id = records.region
  WHERE NOT records.cold
  GROUP BY regions.run, regions.path, regions.kind, regions.clock;
)";

// How long another process that writes the same file is waited for. Shorter than the end of the
// program waits (Streamed).
constexpr int patienceMs = 8'000;
// 16 MiB of changes before they are moved into the database, which waits for the disk.
constexpr const char *setUp = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096; "
                              "PRAGMA temp_store = MEMORY;";

// Rows of one statement, of records of one replay that are in no body and not cold, as nearly all
// are: what a statement costs beside its rows is paid once, and what they share is said once.
constexpr int rowsAtOnce = 16;

// What SQLite refused, with its reason; caught at the edge of this file.
struct Refused {
  std::string why;
};

class Database {
public:
  explicit Database(const std::string &path) : path_(path) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int status = ::sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
    if (status != SQLITE_OK) {
      std::string why = reason(status);
      ::sqlite3_close_v2(std::exchange(handle_, nullptr)); // the destructor is not called
      throw Refused{std::move(why)};
    }
    ::sqlite3_busy_timeout(handle_, patienceMs);
  }
  ~Database() { ::sqlite3_close_v2(handle_); }
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  void check(int status) const {
    if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
      throw Refused{reason(status)};
  }
  // Waits for others as SQLite itself does not: it gives up at once where two make a file of
  // theirs.
  void logAhead() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patienceMs);
    int status = SQLITE_OK;
    do {
      if (status != SQLITE_OK)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      status = ::sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    } while (status == SQLITE_BUSY && std::chrono::steady_clock::now() < until);
    check(status);
  }
  void run(const char *sql) { check(::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr)); }
  [[nodiscard]] std::int64_t number(const char *sql);
  [[nodiscard]] bool inTransaction() const { return ::sqlite3_get_autocommit(handle_) == 0; }
  [[nodiscard]] ::sqlite3 *handle() const { return handle_; }
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  [[nodiscard]] std::string reason(int status) const {
    const char *text = handle_ ? ::sqlite3_errmsg(handle_) : ::sqlite3_errstr(status);
    return fmt::format("cannot write {}: {}", path_, text);
  }

  const std::string path_;
  ::sqlite3 *handle_ = nullptr;
};

// A statement that is made once and run often.
class Statement {
public:
  Statement(Database &database, std::string_view sql) : database_(database) {
    database_.check(::sqlite3_prepare_v3(database_.handle(), sql.data(),
                                         static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                         &handle_, nullptr));
  }
  ~Statement() { ::sqlite3_finalize(handle_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  // Parameters, all of them in order, before each run(). Texts are to live until then.
  Statement &number(std::int64_t number) {
    database_.check(::sqlite3_bind_int64(handle_, ++bound_, number));
    return *this;
  }
  Statement &null() {
    database_.check(::sqlite3_bind_null(handle_, ++bound_));
    return *this;
  }
  Statement &numberIf(bool known, std::int64_t value) { return known ? number(value) : null(); }
  Statement &text(std::string_view text) {
    database_.check(::sqlite3_bind_text(handle_, ++bound_, text.data(),
                                        static_cast<int>(text.size()), SQLITE_STATIC));
    return *this;
  }
  Statement &textIf(std::string_view value) { return value.empty() ? null() : text(value); }
  void run() {
    bound_ = 0;
    const int status = ::sqlite3_step(handle_);
    ::sqlite3_reset(handle_);
    database_.check(status);
  }
  [[nodiscard]] std::int64_t result() {
    database_.check(::sqlite3_step(handle_));
    const std::int64_t number = ::sqlite3_column_int64(handle_, 0);
    ::sqlite3_reset(handle_);
    return number;
  }

private:
  Database &database_;
  ::sqlite3_stmt *handle_ = nullptr;
  int bound_ = 0;
};

std::int64_t Database::number(const char *sql) { return Statement(*this, sql).result(); }

// Readers and other writers see all of it, or, where it is left early, nothing.
class Transaction {
public:
  explicit Transaction(Database &database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (database_.inTransaction())
      ::sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  void commit() { database_.run("COMMIT"); }

private:
  Database &database_;
};

std::string insertRows(std::string_view into, std::string_view row, int rows) {
  std::string sql = fmt::format("INSERT INTO {} VALUES ", into);
  for (int i = 0; i < rows; ++i)
    sql.append(i ? "," : "").append(row);
  return sql;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// One run in a database that is open.
class OpenRun {
public:
  OpenRun(const std::string &path, const Run &run);
  void write(const Batch &batch);
  void close(const Losses &losses);

private:
  void prepareTables();
  void addRegions(const Batch &batch);
  void add(const Batch::Memory &memory);
  void add(const Batch::Launch &launch, const Batch &batch);
  void addReplay(const Replay &replay, const Batch::Timing *first, std::size_t records);
  void addRecords(std::span<const Batch::Timing> timings, std::int64_t baseNs);
  Statement &addTimes(Statement &statement, const Batch::Timing &timing, std::int64_t baseNs);

  Database database_;
  std::int64_t run_ = 0;
  ByRegion<std::int64_t> regions_; // their ids in the database, where other runs have regions too
  std::int64_t nextReplay_ = 0, nextRecord_ = 0; // ids, valid in a transaction
  struct Statements {
    explicit Statements(Database &database);
    Statement region, replay, record, plainRecords, memory, note, remark, lastReplay, lastRecord;
  };
  std::unique_ptr<Statements> statements_;
};

OpenRun::Statements::Statements(Database &database)
    : region(database, insertRows("regions", "(?,?,?,?,?,?,?,?,?,?,?)", 1)),
      replay(database, insertRows("replays", "(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1)),
      record(database, insertRows("records", "(NULL,?,?,?,?,?,?)", 1)),
      plainRecords(database, insertRows("records", "(NULL,?1,?,?,?,NULL,0)", rowsAtOnce)),
      memory(database, insertRows("memory", "(NULL,?,?,?,?,?,?,?,?,?)", 1)),
      note(database, "INSERT OR REPLACE INTO metadata VALUES (?,?,?)"),
      remark(database, "INSERT INTO remarks VALUES (?,?)"),
      lastReplay(database, "SELECT coalesce(max(id), 0) FROM replays"),
      lastRecord(database, "SELECT coalesce(max(id), 0) FROM records") {}

OpenRun::OpenRun(const std::string &path, const Run &run) : database_(path) {
  database_.logAhead();
  database_.run(setUp);
  Transaction transaction(database_);
  prepareTables();
  Statement(database_, "INSERT INTO runs VALUES (NULL,?,?,?,?,?,NULL)")
      .text(run.host)
      .text(run.program)
      .number(run.pid)
      .number(run.rank)
      .number(run.beganNs)
      .run();
  run_ = ::sqlite3_last_insert_rowid(database_.handle());
  transaction.commit();
  statements_ = std::make_unique<Statements>(database_);
}

// Nothing of anybody else's is touched: neither another program's tables nor a later version's. An
// earlier one's get what they lack.
void OpenRun::prepareTables() {
  const std::int64_t version = database_.number("PRAGMA user_version");
  if (version == schemaVersion)
    return;
  const auto becomeOurs = [this] {
    database_.run(memorySchema);
    database_.run(fmt::format("PRAGMA user_version = {}", schemaVersion).c_str());
  };
  if (version == 1)
    return becomeOurs();
  if (version != 0)
    throw Refused{fmt::format("cannot write {}: its tables are of version {}, not {}",
                              database_.path(), version, schemaVersion)};
  if (database_.number("SELECT count(*) FROM sqlite_schema") != 0)
    throw Refused{
        fmt::format("cannot write {}: it has tables of another program", database_.path())};
  database_.run(schema);
  becomeOurs();
}

void OpenRun::write(const Batch &batch) {
  Transaction transaction(database_);
  addRegions(batch);
  for (const Batch::Note &note : batch.notes)
    statements_->note.number(run_).text(note.key).text(note.json).run();
  for (const std::string &remark : batch.remarks)
    statements_->remark.number(run_).text(remark).run();
  for (const Batch::Memory &memory : batch.memory)
    add(memory);
  nextReplay_ = statements_->lastReplay.result() + 1; // other processes may have added some
  nextRecord_ = statements_->lastRecord.result() + 1;
  for (const Batch::Launch &launch : batch.launches)
    add(launch, batch);
  transaction.commit();
}

void OpenRun::addRegions(const Batch &batch) {
  regions_.take(batch, [this](const Batch::Region &region) {
    const std::string source = sourceOf(region.site, region.kind);
    const std::string context = jsonContext(region.context);
    statements_->region.null()
        .number(run_)
        .numberIf(region.parent != 0, region.parent ? regions_.of(region.parent) : 0)
        .text(region.name)
        .text(region.path)
        .number(region.depth)
        .text(word(region.kind))
        .text(word(region.clock))
        .textIf(source)
        .textIf(functionOf(region.site, region.kind))
        .text(context)
        .run();
    return static_cast<std::int64_t>(::sqlite3_last_insert_rowid(database_.handle()));
  });
}

void OpenRun::add(const Batch::Memory &memory) {
  const MemoryEvent &event = memory.event;
  statements_->memory.number(run_)
      .number(event.timeNs)
      .number(event.bytes)
      .number(static_cast<std::int64_t>(event.allocated))
      .number(static_cast<std::int64_t>(event.address))
      .numberIf(event.device >= 0, event.device)
      .text(word(event.kind))
      .numberIf(event.step >= 0, event.step)
      .textIf(memory.path)
      .run();
}

// Regions outside graphs may be in another stream than those around them: a row for each place.
void OpenRun::add(const Batch::Launch &launch, const Batch &batch) {
  const Replay &replay = launch.replay;
  std::span<const Batch::Timing> timings = batch.timingsOf(launch);
  const auto apart = [](const Batch::Timing &one, const Batch::Timing &other) {
    return one.device != other.device || one.stream != other.stream || one.step != other.step;
  };
  do {
    std::size_t count = timings.size();
    if (replay.exec == 0) {
      count = std::min<std::size_t>(1, count);
      while (count < timings.size() && !apart(timings.front(), timings[count]))
        ++count;
    }
    addReplay(replay, replay.exec == 0 && count > 0 ? timings.data() : nullptr, count);
    addRecords(timings.first(count), replay.beginNs);
    nextRecord_ += static_cast<std::int64_t>(count);
    ++nextReplay_;
    timings = timings.subspan(count);
  } while (!timings.empty());
}

// `first`: the record whose place it takes, outside graphs.
void OpenRun::addReplay(const Replay &replay, const Batch::Timing *first, std::size_t records) {
  const bool inGraph = replay.exec != 0;
  const std::int64_t device = first ? first->device : replay.device;
  const std::int64_t step = first ? first->step : replay.step;
  statements_->replay.number(nextReplay_)
      .number(run_)
      .numberIf(inGraph, static_cast<std::int64_t>(replay.graph))
      .numberIf(inGraph, static_cast<std::int64_t>(replay.exec))
      .numberIf(inGraph, static_cast<std::int64_t>(replay.number))
      .numberIf(device >= 0, device)
      .number(static_cast<std::int64_t>(first ? first->stream : replay.stream))
      .numberIf(step >= 0, step)
      .number(replay.cold ? 1 : 0)
      .numberIf(replay.launchNs > 0, replay.launchNs)
      .number(replay.beginNs)
      .numberIf(replay.spanKnown(), replay.endNs)
      .number(nextRecord_)
      .number(static_cast<std::int64_t>(records))
      .run();
}

// Their ids follow each other: in a transaction nobody else adds any.
void OpenRun::addRecords(std::span<const Batch::Timing> timings, std::int64_t baseNs) {
  const auto plain = [](const Batch::Timing &timing) {
    return timing.iteration < 0 && !timing.cold;
  };
  while (!timings.empty()) {
    const auto many = timings.first(std::min<std::size_t>(timings.size(), rowsAtOnce));
    if (many.size() == rowsAtOnce && std::all_of(many.begin(), many.end(), plain)) {
      statements_->plainRecords.number(nextReplay_);
      for (const Batch::Timing &timing : many)
        addTimes(statements_->plainRecords, timing, baseNs);
      statements_->plainRecords.run();
    } else {
      for (const Batch::Timing &timing : many) {
        statements_->record.number(nextReplay_);
        addTimes(statements_->record, timing, baseNs)
            .numberIf(timing.iteration >= 0, timing.iteration)
            .number(timing.cold ? 1 : 0)
            .run();
      }
    }
    timings = timings.subspan(many.size());
  }
}

Statement &OpenRun::addTimes(Statement &statement, const Batch::Timing &timing,
                             std::int64_t baseNs) {
  const bool measured = timing.durationNs >= 0;
  return statement.number(regions_.of(timing.region))
      .numberIf(measured, timing.beginNs - baseNs)
      .numberIf(measured, timing.durationNs);
}

void OpenRun::close(const Losses &losses) {
  Transaction transaction(database_);
  Statement loss(database_, "INSERT INTO losses VALUES (?,?,?,?)");
  for (const LossKind &kind : lossKinds())
    if (const std::uint64_t count = losses.*kind.count)
      loss.number(run_)
          .text(kind.key)
          .number(static_cast<std::int64_t>(count))
          .text(lossSentence(kind, count))
          .run();
  Statement(database_, "UPDATE runs SET ended_ns = ? WHERE id = ?")
      .number(now())
      .number(run_)
      .run();
  transaction.commit();
}

class Sqlite : public BatchWriter {
public:
  Sqlite(std::string path, Run run) : path_(std::move(path)), run_(std::move(run)) {}

  [[nodiscard]] std::string write(const Batch &batch) override {
    return attempt([&] { open().write(batch); });
  }
  [[nodiscard]] std::string close(const Losses &losses) override {
    std::string failed = attempt([&] { open().close(losses); });
    database_.reset();
    return failed;
  }

private:
  OpenRun &open() {
    if (!database_)
      database_ = std::make_unique<OpenRun>(path_, run_);
    return *database_;
  }
  template <class Work> std::string attempt(Work work) {
    try {
      work();
      return {};
    } catch (Refused &refused) {
      database_.reset();
      return std::move(refused.why);
    }
  }

  const std::string path_;
  const Run run_;
  std::unique_ptr<OpenRun> database_;
};

} // namespace

bool sqliteBuiltIn() { return true; }

std::unique_ptr<BatchWriter> makeSqlite(const std::string &path, const Run &run) {
  // Nobody asks this copy of SQLite how much memory it takes, which it would count under a lock.
  static const int configured = ::sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)configured;
  return std::make_unique<Sqlite>(path, run);
}

} // namespace graphprof
