// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A database that is read, and queries of it.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEQUERY_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEQUERY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace graphprof::sqlite {

struct Unreadable {
  std::string why;
};

// A database that is only read. A file that lies where nothing may be written, and was closed well,
// is read as it is.
class ReadOnly {
public:
  explicit ReadOnly(const std::string &path) {
    if (open(path, SQLITE_OPEN_READONLY) ||
        open("file:" + escaped(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI))
      return;
    std::string why = ::sqlite3_errmsg(handle_);
    ::sqlite3_close_v2(std::exchange(handle_, nullptr)); // the destructor will not run
    throw Unreadable{std::move(why)};
  }
  ~ReadOnly() { ::sqlite3_close_v2(handle_); }
  ReadOnly(const ReadOnly &) = delete;
  ReadOnly &operator=(const ReadOnly &) = delete;
  [[nodiscard]] ::sqlite3 *handle() const { return handle_; }

private:
  // Opening reads nothing yet, so a statement shows whether that works.
  bool open(const std::string &path, int flags) {
    ::sqlite3_close_v2(std::exchange(handle_, nullptr));
    constexpr int patienceMs = 2'000;
    return ::sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) ==
               SQLITE_OK &&
           ::sqlite3_busy_timeout(handle_, patienceMs) == SQLITE_OK &&
           ::sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr,
                          nullptr) == SQLITE_OK;
  }
  static std::string escaped(const std::string &path) {
    std::string result;
    for (const char c : path)
      if (c == '%' || c == '?' || c == '#')
        result += fmt::format("%{:02x}", static_cast<unsigned char>(c));
      else
        result += c;
    return result;
  }

  ::sqlite3 *handle_ = nullptr;
};

// The rows of a query. Columns are numbered from 0.
class Query {
public:
  Query(const ReadOnly &database, const char *sql) : database_(database) {
    check(::sqlite3_prepare_v2(database.handle(), sql, -1, &handle_, nullptr));
  }
  ~Query() { ::sqlite3_finalize(handle_); }
  Query(const Query &) = delete;
  Query &operator=(const Query &) = delete;

  Query &of(std::int64_t number) {
    ::sqlite3_reset(handle_);
    check(::sqlite3_bind_int64(handle_, 1, number));
    return *this;
  }
  Query &between(std::int64_t first, std::int64_t behind) {
    of(first);
    check(::sqlite3_bind_int64(handle_, 2, behind));
    return *this;
  }
  [[nodiscard]] bool next() {
    const int status = ::sqlite3_step(handle_);
    check(status);
    return status == SQLITE_ROW;
  }
  [[nodiscard]] bool isNull(int column) const {
    return ::sqlite3_column_type(handle_, column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t number(int column, std::int64_t ifNull = 0) const {
    return isNull(column) ? ifNull : ::sqlite3_column_int64(handle_, column);
  }
  [[nodiscard]] std::string_view text(int column) const {
    const auto *const bytes = ::sqlite3_column_text(handle_, column);
    return bytes
               ? std::string_view(reinterpret_cast<const char *>(bytes),
                                  static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column)))
               : std::string_view();
  }

private:
  void check(int status) const {
    if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
      throw Unreadable{::sqlite3_errmsg(database_.handle())};
  }
  const ReadOnly &database_;
  ::sqlite3_stmt *handle_ = nullptr;
};

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEQUERY_H
