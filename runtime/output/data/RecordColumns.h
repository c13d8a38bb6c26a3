// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The columns of a record: what files call each, where its value is, and what is written where
// there is none. CSV, JSON lines and SQLite are written from this list, and what traces, graphs as
// JSON, reports and binary files say of busy times. So a new column is a line of it;
// CONTRIBUTING.md says what follows from that. Does not know how a format writes a value.

#ifndef GRAPHPROF_OUTPUT_DATA_RECORDCOLUMNS_H
#define GRAPHPROF_OUTPUT_DATA_RECORDCOLUMNS_H

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "output/data/Batch.h"
#include "output/data/Source.h"

namespace graphprof {

/// The name of a column, known to the compiler: JsonWriter makes one piece of text of it.
template <std::size_t size> struct ColumnName {
  // NOLINTNEXTLINE(*-explicit-*): column<"name">
  consteval ColumnName(const char (&name)[size]) { std::copy_n(name, size, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, size - 1}; }
  char text[size]{};
};

/// A place in a line of CSV, from 0 on, and among the members of a line of JSON. Programs may count
/// on the former: a new column comes last.
struct ColumnPlace {
  int csv, json;
};

/// What is written of a record that lacks the value.
enum class Missing : std::uint8_t {
  Never,   ///< each record has it or, of a busy time, each whose busy time is known
  Null,    ///< null; in CSV, as always, nothing
  LeftOut, ///< in JSON not even the name
};

/// One column. `value` takes what the column belongs to: a Batch::Region, whose columns are the
/// same in all of its records, a Replay, a Batch::Timing, or a Batch::Busy. An optional one may be
/// missing.
template <ColumnName called, Missing missing, class Value> struct RecordColumn {
  static constexpr ColumnName name = called;
  static constexpr Missing ifMissing = missing;
  template <class Thing> static constexpr bool isOf = std::is_invocable_v<Value, const Thing &>;
  ColumnPlace place;
  Value value;
};

/// Those of a busy time are also members of it and of the record.
template <auto member, auto ofRecord> struct BusyValue {
  static constexpr auto ofBusy = member;
  static constexpr auto inRecord = ofRecord;
  auto operator()(const Batch::Busy &busy) const {
    using Member = std::remove_cvref_t<decltype(busy.*member)>;
    if constexpr (std::same_as<Member, GapCause>)
      return busy.*member == GapCause::Unknown ? std::nullopt : std::optional(busy.*member);
    else if constexpr (std::signed_integral<Member>)
      return busy.*member < 0 ? std::nullopt : std::optional(busy.*member);
    else
      return busy.*member;
  }
};

namespace columns {

template <ColumnName name, Missing missing = Missing::Never, class Value>
constexpr RecordColumn<name, missing, Value> column(ColumnPlace place, Value value) {
  return {place, value};
}

template <ColumnName name, Missing missing, auto member, auto ofRecord>
constexpr auto busyColumn(ColumnPlace place) {
  return column<name, missing>(place, BusyValue<member, ofRecord>());
}

// Negative: there is none.
constexpr std::optional<std::int64_t> known(std::int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

inline std::optional<std::string> known(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

constexpr std::optional<std::string_view> known(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

constexpr std::optional<std::uint64_t> inGraph(const Replay &replay, std::uint64_t number) {
  return replay.exec == 0 ? std::nullopt : std::optional(number);
}

// clang-format off

// In the order of SQLite's tables, and of what is neither CSV nor lines of JSON.
inline constexpr std::tuple all{
    column<"name">({0, 0}, [](const Batch::Region &region) -> std::string_view { return region.name; }),
    column<"path">({1, 1}, [](const Batch::Region &region) -> std::string_view { return region.path; }),
    column<"depth">({2, 2}, [](const Batch::Region &region) { return region.depth; }),
    column<"kind">({3, 3}, [](const Batch::Region &region) { return region.kind; }),
    column<"clock">({4, 4}, [](const Batch::Region &region) { return region.clock; }),
    column<"source", Missing::Null>({16, 5}, [](const Batch::Region &region) { return known(sourceOf(region.site, region.kind)); }),
    column<"function", Missing::Null>({17, 6}, [](const Batch::Region &region) { return known(functionOf(region.site, region.kind)); }),
    column<"context">({18, 7}, [](const Batch::Region &region) { return std::span<const Value>(region.context); }),
    column<"graph", Missing::Null>({7, 8}, [](const Replay &replay) { return inGraph(replay, replay.graph); }),
    column<"exec", Missing::Null>({8, 9}, [](const Replay &replay) { return inGraph(replay, replay.exec); }),
    column<"replay", Missing::Null>({9, 10}, [](const Replay &replay) { return inGraph(replay, replay.number); }),
    column<"graph_name", Missing::LeftOut>({23, 11}, [](const Replay &replay) { return replay.serves ? std::optional<std::string_view>(replay.serves->text) : std::nullopt; }),
    column<"device", Missing::Null>({5, 12}, [](const Batch::Timing &timing) { return known(timing.device); }),
    column<"stream">({6, 13}, [](const Batch::Timing &timing) { return timing.stream; }),
    column<"step", Missing::Null>({11, 14}, [](const Batch::Timing &timing) { return known(timing.step); }),
    column<"iteration", Missing::Null>({10, 15}, [](const Batch::Timing &timing) { return known(timing.iteration); }),
    column<"cold">({12, 16}, [](const Replay &replay) { return replay.cold; }),
    column<"begin_ns", Missing::Null>({13, 17}, [](const Batch::Timing &timing) { return known(timing.durationNs >= 0 ? timing.beginNs : -1); }),
    column<"duration_ns", Missing::Null>({14, 18}, [](const Batch::Timing &timing) { return known(timing.durationNs); }),
    column<"ends">({15, 19}, [](const Batch::Timing &timing) { return timing.ends; }),
    busyColumn<"busy_ns", Missing::Never, &Batch::Busy::ns, &Record::busy_ns>({19, 20}),
    busyColumn<"gap_ns", Missing::Null, &Batch::Busy::gapNs, &Record::gap_ns>({20, 21}),
    busyColumn<"gap_cause", Missing::Null, &Batch::Busy::cause, &Record::gap_cause>({22, 23}),
    busyColumn<"busy_replays", Missing::Never, &Batch::Busy::replays, &Record::busy_replays>({21, 22}),
};

// clang-format on

inline constexpr std::size_t count = std::tuple_size_v<decltype(all)>;

} // namespace columns

enum class ColumnOrder : std::uint8_t { List, Csv, Json };

namespace columns {

// The number in the list of the column that stands at a place. If there is none, forEachColumn()
// does not compile; so no two columns have the same place.
template <ColumnOrder order> consteval std::size_t numberAt(std::size_t place) {
  const auto placeOf = [](const ColumnPlace &column, std::size_t number) {
    return order == ColumnOrder::List  ? static_cast<int>(number)
           : order == ColumnOrder::Csv ? column.csv
                                       : column.json;
  };
  std::size_t found = count, number = 0;
  const auto look = [&](const ColumnPlace &column) {
    if (placeOf(column, number) == static_cast<int>(place))
      found = number;
    ++number;
  };
  std::apply([&](const auto &...column) { (look(column.place), ...); }, all);
  return found;
}

} // namespace columns

/// Whether a column belongs to such a thing.
template <class Column, class Thing>
inline constexpr bool isColumnOf = std::remove_cvref_t<Column>::template isOf<Thing>;

/// Calls `visit` with each column.
template <ColumnOrder order, class Visit> void forEachColumn(Visit visit) {
  [&]<std::size_t... place>(std::index_sequence<place...>) {
    (visit(std::get<columns::numberAt<order>(place)>(columns::all)), ...);
  }(std::make_index_sequence<columns::count>());
}

/// Likewise, with each that belongs to such a thing.
template <class Thing, ColumnOrder order = ColumnOrder::List, class Visit>
void forEachColumnOf(Visit visit) {
  forEachColumn<order>([&](const auto &column) {
    if constexpr (isColumnOf<decltype(column), Thing>)
      visit(column);
  });
}

/// What a record says of its busy time, and the reverse.
[[nodiscard]] inline Batch::Busy busyOf(const Record &record) {
  Batch::Busy busy;
  forEachColumnOf<Batch::Busy>(
      [&](const auto &column) { busy.*column.value.ofBusy = record.*column.value.inRecord; });
  return busy;
}
inline void setBusy(Record &record, const Batch::Busy &busy) {
  forEachColumnOf<Batch::Busy>(
      [&](const auto &column) { record.*column.value.inRecord = busy.*column.value.ofBusy; });
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_RECORDCOLUMNS_H
