// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteDatabase.h"

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "Deadline.h"
#include "Thrown.h"
#include "output/data/Origin.h"
#include "output/io/Descriptor.h"
#include "output/io/Foreign.h"

namespace graphprof::sqlite {

namespace {

// How long to wait for another process that writes the same file. Must be shorter than the wait at
// the program's end (Streamed).
constexpr int patienceMs = 8'000;

// Where the system refuses locks, SQLite asks a hundred times within ten seconds for the one of its
// log, at every program's end. A tenth of that is enough: processes that write the same file hold
// it for microseconds. Waits for them are not of this kind (waitForOthers).
constexpr int shortened = 10;

sqlite3_vfs *system() noexcept {
  static sqlite3_vfs *const found = ::sqlite3_vfs_find(nullptr);
  return found;
}

// SQLite's own access to files, but for those waits. Null: there is no memory.
const char *impatientVfs() noexcept {
  static sqlite3_vfs own;
  static const bool isRegistered = [] {
    if (!system())
      return false;
    own = *system();
    own.pNext = nullptr;
    own.zName = "graphprof";
    own.xSleep = [](sqlite3_vfs *, int us) { return system()->xSleep(system(), us / shortened); };
    return ::sqlite3_vfs_register(&own, 0) == SQLITE_OK;
  }();
  return isRegistered ? own.zName : nullptr;
}

// To SQLite a lock that the system refuses is one that somebody holds. Asks for one of the folder:
// to close another descriptor of the file would give up SQLite's own.
bool areLocksRefused(const std::string &path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const Descriptor asked(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return asked.isOpen() && ::fcntl(asked.number(), F_GETLK, &lock) != 0 && errno != EINTR;
}

// Another process writes the file.
int waitForOthers(void *path, int tries) noexcept {
  constexpr std::chrono::milliseconds between{5};
  constexpr int triesBetweenLooks = 20;
  if (tries * between >= std::chrono::milliseconds(patienceMs))
    return 0;
  bool isRefused = false;
  if (tries % triesBetweenLooks == 0)
    (void)survived([&] { isRefused = areLocksRefused(*static_cast<const std::string *>(path)); });
  if (isRefused)
    return 0;
  std::this_thread::sleep_for(between);
  return 1;
}

} // namespace

Database::Database(const std::string &path) : path_(path) {
  for (const char *const suffix : {"", "-journal", "-wal", "-shm"})
    if (isForeign(followed(path) + suffix))
      throw Refused{fmt::format("cannot write {}: another user put it into a folder that several "
                                "may write",
                                asSeenFromOrigin(path))};
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int status = ::sqlite3_open_v2(path.c_str(), &handle_, flags, impatientVfs());
  if (status != SQLITE_OK) {
    std::string why = reason(status);
    ::sqlite3_close_v2(std::exchange(handle_, nullptr)); // the destructor will not run
    throw Refused{std::move(why)};
  }
  ::sqlite3_busy_handler(handle_, waitForOthers, const_cast<std::string *>(&path_));
}

void Database::logAhead() {
  constexpr std::chrono::milliseconds between{5};
  Deadline deadline(std::chrono::milliseconds(patienceMs), between);
  int status = SQLITE_OK;
  do {
    if (status != SQLITE_OK)
      std::this_thread::sleep_for(between);
    status = ::sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
  } while (status == SQLITE_BUSY && !areLocksRefused(path_) && !deadline.isOver());
  check(status);
}

std::int64_t Database::number(const char *sql) { return Statement(*this, sql).result(); }

std::string Database::reason(int status) const {
  const char *text = handle_ ? ::sqlite3_errmsg(handle_) : ::sqlite3_errstr(status);
  return fmt::format("cannot write {}: {}", asSeenFromOrigin(path_), text);
}

} // namespace graphprof::sqlite
