// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/TableText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

constexpr std::size_t leastNameWidth = 24;
constexpr std::size_t columnWidth = 12, drawingWidth = 16;

bool showsBusy(const std::vector<TableRow> &rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow &row) { return row.busy.isKnown(); });
}

// Of TableRow::percent().
std::string_view shareTitle(const std::vector<TableRow> &rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow &row) { return row.percentOfReplays >= 0; })
             ? "% of replays"
             : "% of replay";
}

std::string timeOrNone(std::int64_t ns) {
  return ns < 0 ? std::string(noValue) : formatTime(static_cast<double>(ns));
}

std::size_t widest(const ShownColumn &column) {
  std::size_t width = codePoints(column.heading);
  for (const std::string &cell : column.cells)
    width = std::max(width, codePoints(cell));
  return width;
}

// Otherwise no heading can be above those of a place.
bool isByPlace(const std::vector<TableRow> &rows) {
  return std::ranges::is_sorted(rows, {}, &TableRow::place);
}

// Also indented below a heading, if places have one.
std::size_t indentOf(const TableRow &row, bool byPlace) {
  return graphprof::indentOf(row.depth) + (byPlace && row.place != Place::Graph ? 2 : 0);
}

std::string times(const TableRow &row, bool ascii) {
  return row.regions > 1 && !row.isRest ? fmt::format(" {}{}", ascii ? "x" : "×", row.regions)
                                        : std::string();
}

// The first column, shortened to `width`.
std::vector<std::string> namesOf(const std::vector<TableRow> &rows, std::size_t width,
                                 const TableLook &look) {
  const bool byPlace = isByPlace(rows);
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const TableRow &row : rows) {
    std::string &name = names.emplace_back(
        row.isRest ? counted(row.regions, "row more", "rows more") : printable(row.name));
    if (!byPlace && row.place != Place::Graph)
      name += fmt::format(" ({})", heading(row.place));
    const std::size_t taken = indentOf(row, byPlace) + codePoints(times(row, look.ascii));
    widths.push_back(look.wholeNames ? SIZE_MAX : taken + 8 < width ? width - taken : 8);
  }
  std::vector<std::string> shown = shortNames(names, widths);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    shown[i] = std::string(indentOf(rows[i], byPlace), ' ') + shown[i] + times(rows[i], look.ascii);
    if (!look.wholeNames && codePoints(shown[i]) > width) // nested too deep for it
      shown[i] = std::string(firstCodePoints(shown[i], width - 3)) + "...";
  }
  return shown;
}

std::size_t widestOf(const std::vector<std::string> &texts, std::size_t least) {
  for (const std::string &text : texts)
    least = std::max(least, codePoints(text));
  return least;
}

} // namespace

std::vector<ShownColumn> shownColumns(const std::vector<TableRow> &rows, const TableLook &look) {
  std::vector<ShownColumn> all;
  const auto add = [&](std::string title, int needed, auto cellOf) {
    ShownColumn column{std::move(title), needed, {}};
    for (const TableRow &row : rows)
      column.cells.push_back(cellOf(row));
    all.push_back(std::move(column));
  };
  const auto time = [&](std::string title, int needed, auto nsOf) {
    add(std::move(title), needed, [&](const TableRow &row) {
      return row.durations->empty() ? std::string(noValue)
                                    : formatTime(static_cast<double>(nsOf(*row.durations)));
    });
  };
  const auto extreme = [&](std::string title, int needed, auto nsOf) {
    add(std::move(title), needed, [&](const TableRow &row) {
      return row.hasSpread() ? formatTime(static_cast<double>(nsOf(*row.durations)))
                             : std::string(noValue);
    });
  };
  const auto any = [&](auto is) { return std::any_of(rows.begin(), rows.end(), is); };
  add("Count", 6, [](const TableRow &row) { return std::to_string(row.durations->count()); });
  time("Total", 9, [](const Distribution &all) { return all.sumNs(); });
  time("Mean", 3, [](const Distribution &all) { return all.meanNs(); });
  extreme("Min", 1, [](const Distribution &all) { return all.minNs(); });
  for (const double quantile : look.quantiles)
    add(quantileName(quantile), quantile == 0.5 ? 8 : 4, [&](const TableRow &row) {
      return row.hasQuantiles()
                 ? formatTime(row.durations->quantileNs(quantile), row.durations->exact())
                 : std::string(noValue);
    });
  extreme("Max", 2, [](const Distribution &all) { return all.maxNs(); });
  if (showsBusy(rows)) {
    add("Busy", 7, [](const TableRow &row) { return timeOrNone(row.busy.ns); });
    add("Gap", 7, [](const TableRow &row) { return timeOrNone(row.busy.gapNs); });
  }
  add(std::string(shareTitle(rows)), 7, [](const TableRow &row) {
    return row.durations->empty() ? std::string(noValue) : formatPercent(row.percent());
  });
  if (any([](const TableRow &row) { return row.gigabytesPerSecond >= 0; }))
    add("GB/s", 4, [](const TableRow &row) {
      return row.gigabytesPerSecond < 0 ? std::string(noValue)
                                        : fmt::format("{:.3f}", row.gigabytesPerSecond);
    });
  if (showsPaths(rows)) {
    add("% of path", 5, [](const TableRow &row) {
      return row.onPath ? formatPercent(row.onPath->percentOfPath()) : std::string(noValue);
    });
    add("Slack", 5, [](const TableRow &row) {
      return row.onPath ? row.onPath->slack.text() : std::string(noValue);
    });
  }
  if (any([](const TableRow &row) { return row.isCopy; }))
    add("Overlapped", 4, [](const TableRow &row) { return formatPercent(row.percentOverlapped); });
  if (any([](const TableRow &row) { return row.notMeasured > 0; }))
    add("Not measured", 10, [](const TableRow &row) { return std::to_string(row.notMeasured); });
  return all;
}

bool showsPaths(const std::vector<TableRow> &rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const TableRow &row) { return row.onPath && row.onPath->hasBranches; });
}

std::string quantileName(double quantile) {
  return quantile == 0.5 ? "Median" : fmt::format("P{:.6g}", 100 * quantile);
}

std::string drawing(const Distribution &durations, std::size_t width, bool ascii) {
  static constexpr std::array<const char *, 9> blocks = {" ", "▁", "▂", "▃", "▄",
                                                         "▅", "▆", "▇", "█"};
  static constexpr std::array<const char *, 9> letters = {" ", ".", ":", "-", "=",
                                                          "+", "*", "#", "@"};
  if (durations.empty())
    return {};
  const auto from = static_cast<double>(durations.minNs());
  const std::vector<std::uint64_t> parts =
      durations.parts(width, from, std::max(durations.quantileNs(0.99), from + 1));
  const auto most = static_cast<double>(*std::max_element(parts.begin(), parts.end()));
  std::string text;
  for (const std::uint64_t count : parts) {
    const auto height =
        static_cast<std::size_t>(std::ceil(8 * static_cast<double>(count) / most)); // seen if any
    text += ascii ? letters[height] : blocks[height];
  }
  return text;
}

std::string_view heading(Place place) {
  switch (place) {
  case Place::Graph:
    break;
  case Place::Cold:
    return "in cold replays only";
  case Place::Eager:
    return "outside graphs";
  case Place::Host:
    return "host time only";
  }
  return {};
}

std::string tableText(const std::vector<TableRow> &rows, const TableLook &look) {
  std::vector<ShownColumn> figures = shownColumns(rows, look);
  std::size_t longest =
      std::max(widestOf(namesOf(rows, maxNameWidth, look), 0), codePoints(look.firstHeading));
  for (const TableRow &row : rows)
    longest = std::max(longest, heading(row.place).size());
  std::size_t nameWidth = look.wholeNames ? longest + 4 : std::min(longest + 4, maxNameWidth);
  const bool drawn = look.distribution;
  if (look.width > 0) {
    const auto widthOf = [&] {
      std::size_t width = drawn ? drawingWidth + 2 : 0;
      for (const ShownColumn &column : figures)
        width += widest(column) + 2;
      return width;
    };
    while (figures.size() > 1 && widthOf() + std::min(longest, leastNameWidth) > look.width)
      figures.erase(std::min_element(figures.begin(), figures.end(),
                                     [](const ShownColumn &one, const ShownColumn &other) {
                                       return one.needed < other.needed;
                                     }));
    const std::size_t room = look.width > widthOf() ? look.width - widthOf() : 0;
    nameWidth = std::min(longest, std::max(room, std::min(longest, leastNameWidth)));
  }

  std::vector<Column> columns = {{look.firstHeading, nameWidth, true}};
  for (const ShownColumn &column : figures)
    columns.push_back({column.heading, look.width > 0 ? widest(column) : columnWidth});
  if (drawn)
    columns.push_back({"Distribution", drawingWidth, true});
  Columns table(std::move(columns));
  table.rule();
  table.headings();
  table.rule();
  const std::vector<std::string> names = namesOf(rows, nameWidth, look);
  Place place = Place::Graph;
  const bool byPlace = isByPlace(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (byPlace && rows[i].place != place && rows[i].depth == 0) {
      place = rows[i].place;
      table.line({std::string(heading(place))});
    }
    Columns::Cells cells = {names[i]};
    for (const ShownColumn &column : figures)
      cells.push_back(column.cells[i]);
    if (drawn)
      cells.push_back(!rows[i].hasQuantiles()
                          ? std::string()
                          : drawing(*rows[i].durations, drawingWidth, look.ascii));
    table.line(cells);
  }
  table.rule();
  return std::move(table).text();
}

} // namespace graphprof
