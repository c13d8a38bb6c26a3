// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "Render.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

using Holds = FigureColumn::Holds;

// Of several columns of names the first gets two thirds of the room.
std::vector<std::size_t> widthsOfNames(std::size_t columns, std::size_t room) {
  constexpr std::size_t least = 24, leastOfSecond = 12;
  if (columns == 1)
    return {std::max(least, room)};
  return {std::max(least, room / 3 * 2), std::max(leastOfSecond, room / 3)};
}

void shorten(std::vector<Columns::Cells> &rows, std::size_t column, std::size_t width) {
  std::vector<std::string> names;
  for (const Columns::Cells &cells : rows)
    if (!cells[column].empty())
      names.push_back(cells[column]);
  names = shortNames(names, std::vector<std::size_t>(names.size(), width));
  auto name = names.begin();
  for (Columns::Cells &cells : rows)
    if (!cells[column].empty())
      cells[column] = *name++;
}

// Fits names into what the other columns leave of a line.
void fitNames(std::vector<Columns::Cells> &rows, std::vector<Column> heads,
              const std::vector<std::size_t> &names, std::size_t width) {
  std::vector<Columns::Cells> others = rows;
  for (const std::size_t column : names) {
    heads[column].heading.clear();
    for (Columns::Cells &cells : others)
      cells[column].clear();
  }
  Columns table(std::move(heads));
  table.fit(others);
  const std::vector<std::size_t> widths =
      widthsOfNames(names.size(), width - std::min(width, table.width()));
  for (std::size_t i = 0; i < names.size(); ++i)
    shorten(rows, names[i], widths[i]);
}

std::string tableText(const FigureTable &table, std::size_t width) {
  std::vector<Column> heads;
  std::vector<std::size_t> names;
  std::vector<Columns::Cells> rows(table.rows);
  for (const FigureColumn &column : table.columns) {
    if (column.heading.empty())
      continue;
    if (column.holds == Holds::Names)
      names.push_back(heads.size());
    heads.push_back({column.heading, 0, column.holds != Holds::Numbers});
    for (std::size_t i = 0; i < table.rows; ++i)
      rows[i].push_back(column.figures[i].forPeople());
  }
  if (width > 0 && !names.empty())
    fitNames(rows, heads, names, width);
  Columns lines(std::move(heads));
  lines.fit(rows);
  lines.rule();
  lines.headings();
  lines.rule();
  std::string note; // below the rows that it is said of
  const auto addNote = [&] {
    if (!note.empty())
      lines.add(fmt::format("    {}\n", printable(std::exchange(note, {}))));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (names.empty() || !rows[i][names.front()].empty())
      addNote();
    if (i < table.notes.size() && !table.notes[i].empty())
      note = table.notes[i];
    lines.line(rows[i]);
  }
  addNote();
  lines.rule();
  return std::move(lines).text();
}

void addLines(std::string &text, const std::vector<std::string> &lines) {
  for (const std::string &line : lines)
    text += printable(line) + '\n';
}

} // namespace

std::string asText(const Document &document, std::size_t width) {
  std::string text;
  addLines(text, document.about);
  for (const Section &section : document.sections) {
    if (!section.title.empty())
      text += printable(section.title) + '\n';
    if (section.table.rows > 0)
      text += tableText(section.table, width);
    addLines(text, section.notes);
    if (!section.result.empty())
      text += section.result + '\n';
  }
  addLines(text, document.notes);
  return text;
}

} // namespace graphprof
