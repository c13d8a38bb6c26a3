// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes columns of records (output/data/RecordColumns.h) as members of a JSON object.

#ifndef GRAPHPROF_OUTPUT_IO_JSONCOLUMNS_H
#define GRAPHPROF_OUTPUT_IO_JSONCOLUMNS_H

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>

#include "output/data/RecordColumns.h"
#include "output/io/JsonWriter.h"
#include "output/io/Words.h"

namespace graphprof {

template <JsonKey key, class Type> void addValue(JsonWriter &json, const Type &value) {
  if constexpr (std::is_enum_v<Type>)
    json.key<key>().plain(word(value));
  else if constexpr (std::same_as<Type, std::span<const Value>>)
    json.key<key>().beginObject().members(value).endObject();
  else
    json.member<key>(value);
}

template <JsonKey key, class Type>
void addValue(JsonWriter &json, const std::optional<Type> &value, Missing missing) {
  if (value)
    addValue<key>(json, *value);
  else if (missing == Missing::Null)
    json.key<key>().raw("null");
}

template <JsonKey key, class Type>
void addValue(JsonWriter &json, const Type &value, Missing /*never*/) {
  addValue<key>(json, value);
}

/// Adds what a column says of `of`.
template <class Column, class Thing>
void addColumn(JsonWriter &json, const Column &column, const Thing &of,
               Missing missing = Column::ifMissing) {
  addValue<JsonKey(Column::name.text)>(json, column.value(of), missing);
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSONCOLUMNS_H
