// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// SQLite's C interface as objects: an open database, its statements, a transaction. Errors of
// SQLite are thrown, and caught at the output. Does not know tables.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEDATABASE_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEDATABASE_H

#include <cstdint>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "output/io/Text.h"

namespace graphprof::sqlite {

/// An error of SQLite.
struct Refused {
  std::string why;
};

/// One thread at a time.
class Database {
public:
  /// Makes the file if it does not exist.
  explicit Database(const std::string &path);
  ~Database() { ::sqlite3_close_v2(handle_); }
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  void check(int status) const {
    if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
      throw Refused{reason(status)};
  }
  /// Switches to write-ahead logging, so that readers block nobody. Waits for other processes,
  /// because SQLite gives up at once if two of them switch a file.
  void logAhead();
  void run(const char *sql) { check(::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr)); }
  [[nodiscard]] std::int64_t number(const char *sql);
  [[nodiscard]] std::int64_t lastId() const { return ::sqlite3_last_insert_rowid(handle_); }
  [[nodiscard]] bool inTransaction() const { return ::sqlite3_get_autocommit(handle_) == 0; }
  [[nodiscard]] ::sqlite3 *handle() const { return handle_; }
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  [[nodiscard]] std::string reason(int status) const;

  const std::string path_;
  ::sqlite3 *handle_ = nullptr;
};

/// A statement that is compiled once and run often.
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

  /// Set all parameters in order before each run(). Texts become valid UTF-8.
  Statement &number(std::int64_t number) {
    database_.check(::sqlite3_bind_int64(handle_, ++bound_, number));
    return *this;
  }
  Statement &real(double number) {
    database_.check(::sqlite3_bind_double(handle_, ++bound_, number));
    return *this;
  }
  Statement &null() {
    database_.check(::sqlite3_bind_null(handle_, ++bound_));
    return *this;
  }
  Statement &numberIf(bool known, std::int64_t value) { return known ? number(value) : null(); }
  Statement &text(std::string_view text) {
    const std::string valid = utf8(text);
    database_.check(::sqlite3_bind_text(handle_, ++bound_, valid.data(),
                                        static_cast<int>(valid.size()), SQLITE_TRANSIENT));
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

/// Others see all of it, or nothing if it is not committed.
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

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEDATABASE_H
