// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/csv/Csv.h"

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/data/RecordColumns.h"
#include "output/io/Json.h"
#include "output/io/Text.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

template <class Type> void appendValue(std::string &out, const Type &value) {
  if constexpr (std::same_as<Type, bool>)
    out += value ? '1' : '0';
  else if constexpr (std::integral<Type>)
    append(out, value);
  else if constexpr (std::is_enum_v<Type>)
    out += word(value);
  else if constexpr (std::same_as<Type, std::span<const Value>>)
    out += value.empty() ? std::string() : csvField(jsonContext(value));
  else
    out += csvField(value);
}

template <class Type> void appendValue(std::string &out, const std::optional<Type> &value) {
  if (value)
    appendValue(out, *value);
}

// A column's field, and what separates it from the next.
template <class Column, class Thing>
void addField(std::string &out, const Column &column, const Thing &of) {
  appendValue(out, column.value(of));
  out += ',';
}

// What is not known at all has no number of replays either.
template <class Column>
void addBusyField(std::string &out, const Column &column, const Batch::Busy &busy) {
  if (busy.isKnown())
    appendValue(out, column.value(busy));
  out += ',';
}

// The last field has no comma behind it.
void endLine(std::string &out) { out.back() = '\n'; }

} // namespace

std::string csvField(std::string_view raw) {
  std::string text = utf8(raw);
  // A spreadsheet would take the cell for a formula, and run what it says.
  constexpr std::string_view formula = "=+-@\t\r";
  if (!text.empty() && formula.find(text.front()) != std::string_view::npos)
    text.insert(text.begin(), '\'');
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"')
      quoted += '"';
  }
  return quoted += '"';
}

void Csv::begin() {
  if (std::exchange(begun_, true))
    return;
  forEachColumn<ColumnOrder::Csv>(
      [this](const auto &column) { text_.append(column.name.view()) += ','; });
  endLine(text_);
}

std::string Csv::write(const Batch &batch) {
  begin();
  texts_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    Texts texts;
    bool isBehindOne = false;
    forEachColumn<ColumnOrder::Csv>([&](const auto &column) {
      constexpr bool isOne = isColumnOf<decltype(column), Batch::Region>;
      if constexpr (isOne) {
        if (!isBehindOne)
          texts.emplace_back();
        addField(texts.back(), column, region);
      }
      isBehindOne = isOne;
    });
    return texts;
  });
  for (const Batch::Launch &launch : batch.launches)
    for (const Batch::Timing &timing : batch.timingsOf(launch))
      add(launch, timing);
  std::string failed = stream_.write(text_);
  text_.clear();
  return failed;
}

void Csv::add(const Batch::Launch &launch, const Batch::Timing &timing) {
  auto texts = texts_.of(timing.region).begin();
  bool isBehindOne = false; // column of the region
  forEachColumn<ColumnOrder::Csv>([&](const auto &column) {
    constexpr bool isOne = isColumnOf<decltype(column), Batch::Region>;
    if constexpr (isOne) {
      if (!isBehindOne)
        text_ += *texts++;
    } else if constexpr (isColumnOf<decltype(column), Replay>) {
      addField(text_, column, launch.replay);
    } else if constexpr (isColumnOf<decltype(column), Batch::Timing>) {
      addField(text_, column, timing);
    } else {
      addBusyField(text_, column, timing.busy);
    }
    isBehindOne = isOne;
  });
  endLine(text_);
}

std::string Csv::close(const Losses &losses) {
  begin();
  for (const std::string &sentence : lossSentences(losses)) {
    text_ += csvField(sentence) + ",,,loss";
    text_.append(columns::count - 4, ',') += '\n'; // behind the name, path, depth and kind
  }
  std::string failed = stream_.write(text_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

// A line is a record, so host spans have no place here.
constinit const Format formats::csv = {
    .endings = {".csv"},
    .items = "PATH.csv",
    .wrote = [](std::string_view head) { return head.starts_with("name,path,depth,kind,clock,"); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Csv>(settings.path);
    },
};

} // namespace graphprof
