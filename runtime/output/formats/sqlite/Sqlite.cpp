// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/Sqlite.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "output/data/ById.h"
#include "output/data/LossText.h"
#include "output/data/Origin.h"
#include "output/data/Source.h"
#include "output/formats/sqlite/SqliteColumns.h"
#include "output/formats/sqlite/SqliteDatabase.h"
#include "output/formats/sqlite/SqliteFiles.h"
#include "output/formats/sqlite/SqliteGraphs.h"
#include "output/formats/sqlite/SqliteKernels.h"
#include "output/formats/sqlite/SqliteSchema.h"
#include "output/formats/steps/SqliteSteps.h"
#include "output/formats/steps/StepSamples.h"
#include "output/io/Json.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using sqlite::Database;
using sqlite::Refused;
using sqlite::Statement;
using sqlite::Transaction;

// Collects 16 MiB of changes before they are moved into the database, which waits for the disk.
constexpr const char *setUp = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096; "
                              "PRAGMA temp_store = MEMORY;";

// The rows of one statement, for records of one warm replay that are in no body, like almost all.
// So the cost of a statement, and what the rows share, occurs once.
constexpr int rowsAtOnce = 16;

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

// One run in an open database.
class OpenRun {
public:
  OpenRun(const std::string &path, const Run &run, std::size_t maxSteps, bool settled);
  void write(const Batch &batch);
  void close(Losses losses);
  [[nodiscard]] std::uint64_t dropped() const { return samples_ ? samples_->dropped() : 0; }

private:
  // What the rows of one act's host spans share.
  struct Act {
    HostKind kind;
    bool captured;
    std::string name, source, function, context;
  };

  void addRegions(const Batch &batch);
  void addThreads(const Batch &batch);
  void addSpans(const Batch &batch);
  void add(const Batch::Memory &memory);
  void add(const Batch::Launch &launch, const Batch &batch);
  void addReplay(const Replay &replay, const Batch::Timing *first, std::size_t records);
  void addRecords(const Replay &replay, std::span<const Batch::Timing> timings);
  void addBusy(std::span<const Batch::Timing> timings);
  Statement &addTimes(Statement &statement, const Batch::Timing &timing, std::int64_t baseNs);

  Database database_;
  std::int64_t run_ = 0;
  ById<std::int64_t> regions_; // ids in the database, which other runs use, too
  ById<Act> acts_;
  ById<std::int64_t> threads_;         // thread numbers
  std::optional<StepSamples> samples_; // if there are host spans
  std::unique_ptr<sqlite::StepRows> steps_;
  std::unique_ptr<sqlite::GraphRows> graphs_;
  std::unique_ptr<sqlite::KernelRows> kernels_;
  std::int64_t nextReplay_ = 0, nextRecord_ = 0; // ids, valid within a transaction
  struct Statements {
    explicit Statements(Database &database);
    Statement region, replay, record, plainRecords, busy, thread, span, memory, note, remark,
        lastReplay, lastRecord;
  };
  std::unique_ptr<Statements> statements_;
};

OpenRun::Statements::Statements(Database &database)
    : region(database, insertRows("regions",
                                  sqlite::parameters(3 + sqlite::columnCount<Batch::Region>()), 1)),
      replay(database, insertRows("replays", "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1)),
      record(database, insertRows("records", "(NULL,?,?,?,?,?,?,?)", 1)),
      plainRecords(database, insertRows("records", "(NULL,?1,?,?,?,NULL,0,?)", rowsAtOnce)),
      busy(database,
           insertRows("busy_times", sqlite::parameters(1 + sqlite::columnCount<Batch::Busy>()), 1)),
      thread(database, "INSERT OR IGNORE INTO threads VALUES (?,?,?)"),
      span(database, insertRows("host_spans", "(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1)),
      memory(database, insertRows("memory", "(NULL,?,?,?,?,?,?,?,?,?)", 1)),
      note(database, "INSERT OR REPLACE INTO metadata VALUES (?,?,?)"),
      remark(database, "INSERT INTO remarks VALUES (?,?)"),
      lastReplay(database, "SELECT coalesce(max(id), 0) FROM replays"),
      lastRecord(database, "SELECT coalesce(max(id), 0) FROM records") {}

OpenRun::OpenRun(const std::string &path, const Run &run, std::size_t maxSteps, bool settled)
    : database_(path) {
  if (maxSteps > 0)
    samples_.emplace(maxSteps, settled);
  database_.logAhead();
  database_.run(setUp);
  Transaction transaction(database_);
  sqlite::prepareTables(database_);
  Statement(database_, "INSERT INTO runs VALUES (NULL,?,?,?,?,?,NULL)")
      .text(run.host)
      .text(run.program)
      .number(run.pid)
      .number(run.rank)
      .number(run.beganNs)
      .run();
  run_ = database_.lastId();
  transaction.commit();
  statements_ = std::make_unique<Statements>(database_);
  steps_ = std::make_unique<sqlite::StepRows>(database_, run);
  graphs_ = std::make_unique<sqlite::GraphRows>(database_, run_);
  kernels_ = std::make_unique<sqlite::KernelRows>(database_, run_);
}

void OpenRun::write(const Batch &batch) {
  Transaction transaction(database_);
  addRegions(batch);
  graphs_->add(batch, regions_);
  for (const Batch::Note &note : batch.notes)
    statements_->note.number(run_).text(note.key).text(note.json).run();
  for (const std::string &remark : batch.remarks)
    statements_->remark.number(run_).text(remark).run();
  addThreads(batch);
  addSpans(batch);
  for (const Batch::Memory &memory : batch.memory)
    add(memory);
  nextReplay_ = statements_->lastReplay.result() + 1; // other processes may have added some
  nextRecord_ = statements_->lastRecord.result() + 1;
  for (const Batch::Launch &launch : batch.launches)
    add(launch, batch);
  kernels_->add(batch.kernelRuns);
  if (samples_) {
    samples_->add(batch);
    steps_->add(samples_->ready(), now());
  }
  transaction.commit();
}

void OpenRun::addRegions(const Batch &batch) {
  regions_.take(batch.regionsFrom, batch.regions, [this](const Batch::Region &region) {
    Statement &row = statements_->region.null().number(run_);
    row.numberIf(region.parent != 0, region.parent ? regions_.of(region.parent) : 0);
    sqlite::setColumns(row, region);
    row.run();
    return database_.lastId();
  });
}

// The kernel may reuse a number for another thread. The first thread's name is kept.
void OpenRun::addThreads(const Batch &batch) {
  threads_.take(batch.threadsFrom, batch.threads, [this](const Batch::Thread &thread) {
    const auto number = static_cast<std::int64_t>(thread.number);
    statements_->thread.number(run_).number(number).textIf(thread.name).run();
    return number;
  });
}

void OpenRun::addSpans(const Batch &batch) {
  acts_.take(batch.actsFrom, batch.acts, [](const Batch::Act &act) {
    return Act{act.kind,
               act.captured,
               act.name,
               sourceOf(act.site, Kind::Region),
               std::string(functionOf(act.site, Kind::Region)),
               act.site ? jsonContext(act.context) : std::string()};
  });
  for (const Batch::Span &span : batch.spans) {
    const Act &act = acts_.of(span.act);
    const bool timed = span.exec != 0;
    statements_->span.number(run_)
        .text(word(act.kind))
        .text(act.name)
        .number(threads_.of(span.thread))
        .number(span.beginNs)
        .number(span.endNs - span.beginNs)
        .numberIf(span.step >= 0, span.step)
        .numberIf(timed, static_cast<std::int64_t>(span.graph))
        .numberIf(timed, static_cast<std::int64_t>(span.exec))
        .numberIf(timed, static_cast<std::int64_t>(span.replay))
        .numberIf(act.kind == HostKind::Copy, static_cast<std::int64_t>(span.bytes))
        .number(act.captured ? 1 : 0)
        .textIf(act.source)
        .textIf(act.function)
        .textIf(act.context)
        .run();
  }
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

// A region outside graphs may be in another stream than the one around it. Each place gets a row.
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
    addRecords(replay, timings.first(count));
    addBusy(timings.first(count));
    nextRecord_ += static_cast<std::int64_t>(count);
    ++nextReplay_;
    timings = timings.subspan(count);
  } while (!timings.empty());
}

// `first`: outside graphs, the first record, which tells the place.
void OpenRun::addReplay(const Replay &replay, const Batch::Timing *first, std::size_t records) {
  const bool inGraph = replay.exec != 0;
  const std::int64_t device = first ? first->device : replay.device;
  const std::int64_t step = first ? first->step : replay.step;
  const std::int64_t name = replay.serves && inGraph ? graphs_->nameOf(*replay.serves) : 0;
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
      .numberIf(replay.cudaExec != 0, replay.cudaGraph)
      .numberIf(replay.cudaExec != 0, replay.cudaExec)
      .numberIf(name != 0, name)
      .run();
}

// The ids are consecutive, because nobody else adds any during a transaction.
void OpenRun::addRecords(const Replay &replay, std::span<const Batch::Timing> timings) {
  const std::int64_t baseNs = replay.beginNs;
  const auto plain = [&replay](const Batch::Timing &timing) {
    return timing.iteration < 0 && !replay.cold;
  };
  const auto nextBegin = [](const Batch::Timing &timing) {
    return timing.ends == Ends::NextBegin ? 1 : 0;
  };
  while (!timings.empty()) {
    const auto many = timings.first(std::min<std::size_t>(timings.size(), rowsAtOnce));
    if (many.size() == rowsAtOnce && std::all_of(many.begin(), many.end(), plain)) {
      statements_->plainRecords.number(nextReplay_);
      for (const Batch::Timing &timing : many)
        addTimes(statements_->plainRecords, timing, baseNs).number(nextBegin(timing));
      statements_->plainRecords.run();
    } else {
      for (const Batch::Timing &timing : many) {
        statements_->record.number(nextReplay_);
        addTimes(statements_->record, timing, baseNs)
            .numberIf(timing.iteration >= 0, timing.iteration)
            .number(replay.cold ? 1 : 0)
            .number(nextBegin(timing))
            .run();
      }
    }
    timings = timings.subspan(many.size());
  }
}

void OpenRun::addBusy(std::span<const Batch::Timing> timings) {
  std::int64_t record = nextRecord_;
  for (const Batch::Timing &timing : timings) {
    if (timing.busy.isKnown()) {
      sqlite::setColumns(statements_->busy.number(record), timing.busy);
      statements_->busy.run();
    }
    ++record;
  }
}

Statement &OpenRun::addTimes(Statement &statement, const Batch::Timing &timing,
                             std::int64_t baseNs) {
  const bool measured = timing.durationNs >= 0;
  return statement.number(regions_.of(timing.region))
      .numberIf(measured, timing.beginNs - baseNs)
      .numberIf(measured, timing.durationNs);
}

// Adds the run or rank, what was lost, how often, and the sentence.
void addLosses(Statement loss, std::int64_t whose, const Losses &losses) {
  for (const LossKind &kind : lossKinds())
    if (const std::uint64_t count = losses.*kind.count)
      loss.number(whose)
          .text(kind.key)
          .number(static_cast<std::int64_t>(count))
          .text(lossSentence(kind, count))
          .run();
}

void OpenRun::close(Losses losses) {
  Transaction transaction(database_);
  if (samples_)
    steps_->add(samples_->rest(), now());
  losses.dropped += dropped();
  addLosses(Statement(database_, "INSERT INTO losses VALUES (?,?,?,?)"), run_, losses);
  Statement(database_, "UPDATE runs SET ended_ns = ? WHERE id = ?")
      .number(now())
      .number(run_)
      .run();
  transaction.commit();
}

// The table of steps only.
class OpenSteps {
public:
  OpenSteps(const std::string &path, const Run &run, std::size_t maxSteps, bool settled)
      : database_(path), rank_(run.rank), samples_(maxSteps, settled) {
    database_.logAhead();
    database_.run(setUp);
    Transaction transaction(database_);
    database_.run(sqlite::stepTable);
    transaction.commit();
    rows_ = std::make_unique<sqlite::StepRows>(database_, run);
  }
  void write(const Batch &batch) {
    samples_.add(batch);
    add(samples_.ready());
  }
  // TraceML's table has no place for what was lost. If something was, it goes into a table of its
  // own.
  void close(Losses losses) {
    add(samples_.rest());
    losses.dropped += dropped();
    if (lossSentences(losses).empty())
      return;
    Transaction transaction(database_);
    database_.run(
        "CREATE TABLE IF NOT EXISTS graphprof_losses (rank INTEGER NOT NULL, kind TEXT NOT "
        "NULL, count INTEGER NOT NULL, text TEXT NOT NULL)");
    addLosses(Statement(database_, "INSERT INTO graphprof_losses VALUES (?,?,?,?)"), rank_, losses);
    transaction.commit();
  }
  [[nodiscard]] std::uint64_t dropped() const { return samples_.dropped(); }

private:
  void add(std::span<const StepSample> samples) {
    if (samples.empty())
      return;
    Transaction transaction(database_);
    rows_->add(samples, now());
    transaction.commit();
  }

  Database database_;
  const std::int64_t rank_;
  StepSamples samples_;
  std::unique_ptr<sqlite::StepRows> rows_;
};

// `Open` exists while the database is open.
template <class Open> class Sqlite : public BatchWriter {
public:
  Sqlite(std::string path, Run run, std::size_t maxSteps, bool settled)
      : path_(std::move(path)), run_(std::move(run)), maxSteps_(maxSteps), settled_(settled) {}

  [[nodiscard]] std::string write(const Batch &batch) override {
    return attempt([&] { open().write(batch); });
  }
  [[nodiscard]] std::uint64_t dropped() const override {
    return database_ ? database_->dropped() : dropped_;
  }
  [[nodiscard]] std::string close(const Losses &losses) override {
    std::string failed = attempt([&] { open().close(losses); });
    reset();
    isWritten_ = failed.empty();
    return failed;
  }
  [[nodiscard]] std::string written() const override {
    return isWritten_ ? asSeenFromOrigin(path_) : std::string();
  }

private:
  void reset() {
    dropped_ = dropped();
    database_.reset();
  }
  Open &open() {
    if (!database_)
      database_ = std::make_unique<Open>(path_, run_, maxSteps_, settled_);
    return *database_;
  }
  template <class Work> std::string attempt(Work work) {
    try {
      work();
      return {};
    } catch (Refused &refused) {
      reset();
      return std::move(refused.why);
    }
  }

  const std::string path_;
  const Run run_;
  const std::size_t maxSteps_;
  const bool settled_;
  std::unique_ptr<Open> database_;
  std::uint64_t dropped_ = 0; // of a database that is closed
  bool isWritten_ = false;
};

// Switches off the memory statistics of this copy of SQLite, which need a lock and which nobody
// reads.
void configure() {
  static const bool configured = [] {
    ::sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite::keepFilesOutOfTheWay();
    return true;
  }();
  (void)configured;
}

} // namespace

bool sqliteBuiltIn() { return true; }

std::unique_ptr<BatchWriter> makeSqlite(const std::string &path, const Run &run,
                                        std::size_t maxSteps, bool settled) {
  configure();
  return std::make_unique<Sqlite<OpenRun>>(path, run, maxSteps, settled);
}

std::unique_ptr<BatchWriter> makeStepSqlite(const std::string &path, const Run &run,
                                            std::size_t maxSteps, bool settled) {
  configure();
  return std::make_unique<Sqlite<OpenSteps>>(path, run, maxSteps, settled);
}

} // namespace graphprof
