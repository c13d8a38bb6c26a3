// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteDatabase.h"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "Deadline.h"
#include "output/data/Origin.h"
#include "output/io/Foreign.h"

namespace graphprof::sqlite {

namespace {

// How long to wait for another process that writes the same file. Must be shorter than the wait at
// the program's end (Streamed).
constexpr int patienceMs = 8'000;

} // namespace

Database::Database(const std::string &path) : path_(path) {
  for (const char *const suffix : {"", "-journal", "-wal", "-shm"})
    if (isForeign(followed(path) + suffix))
      throw Refused{fmt::format("cannot write {}: another user put it into a folder that several "
                                "may write",
                                asSeenFromOrigin(path))};
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int status = ::sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (status != SQLITE_OK) {
    std::string why = reason(status);
    ::sqlite3_close_v2(std::exchange(handle_, nullptr)); // the destructor will not run
    throw Refused{std::move(why)};
  }
  ::sqlite3_busy_timeout(handle_, patienceMs);
}

void Database::logAhead() {
  constexpr std::chrono::milliseconds between{5};
  Deadline deadline(std::chrono::milliseconds(patienceMs), between);
  int status = SQLITE_OK;
  do {
    if (status != SQLITE_OK)
      std::this_thread::sleep_for(between);
    status = ::sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
  } while (status == SQLITE_BUSY && !deadline.isOver());
  check(status);
}

std::int64_t Database::number(const char *sql) { return Statement(*this, sql).result(); }

std::string Database::reason(int status) const {
  const char *text = handle_ ? ::sqlite3_errmsg(handle_) : ::sqlite3_errstr(status);
  return fmt::format("cannot write {}: {}", asSeenFromOrigin(path_), text);
}

} // namespace graphprof::sqlite
