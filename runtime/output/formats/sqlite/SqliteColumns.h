// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The columns of records (output/data/RecordColumns.h) in a database. Those of a region and of a
// busy time are columns of a table: this makes the table's and sets a row's. Does not know what
// else the tables have.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITECOLUMNS_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITECOLUMNS_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "output/data/RecordColumns.h"
#include "output/formats/sqlite/SqliteDatabase.h"
#include "output/io/Json.h"
#include "output/io/Words.h"

namespace graphprof::sqlite {

template <class Type> inline constexpr bool isInteger = std::integral<Type>;
template <class Type> inline constexpr bool isInteger<std::optional<Type>> = isInteger<Type>;

/// For CREATE TABLE: "name TEXT NOT NULL, depth INTEGER NOT NULL", each in a line of its own.
template <class Thing> std::string tableColumns() {
  std::string list;
  forEachColumnOf<Thing>([&](const auto &column) {
    using Type = decltype(column.value(std::declval<const Thing &>()));
    list.append(list.empty() ? "" : ",\n  ").append(column.name.view());
    list += isInteger<Type> ? " INTEGER" : " TEXT";
    list += column.ifMissing == Missing::Never ? " NOT NULL" : "";
  });
  return list;
}

template <class Thing> std::size_t columnCount() {
  std::size_t count = 0;
  forEachColumnOf<Thing>([&](const auto & /*column*/) { ++count; });
  return count;
}

/// For INSERT: "(?,?,?)".
inline std::string parameters(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += i ? ",?" : "(?";
  return list += ')';
}

template <class Type> void setValue(Statement &row, const Type &value) {
  if constexpr (std::integral<Type>)
    row.number(static_cast<std::int64_t>(value));
  else if constexpr (std::is_enum_v<Type>)
    row.text(word(value));
  else if constexpr (std::same_as<Type, std::span<const Value>>)
    row.text(jsonContext(value));
  else
    row.text(value);
}

template <class Type> void setValue(Statement &row, const std::optional<Type> &value) {
  if (value)
    setValue(row, *value);
  else
    row.null();
}

/// Sets the next parameters of an INSERT.
template <class Thing> void setColumns(Statement &row, const Thing &of) {
  forEachColumnOf<Thing>([&](const auto &column) { setValue(row, column.value(of)); });
}

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITECOLUMNS_H
