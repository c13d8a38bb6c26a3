// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Columns.h"

#include <algorithm>
#include <utility>

#include "output/io/Text.h"

namespace graphprof {

namespace {
constexpr std::string_view between = "  ";
} // namespace

std::size_t indentOf(int depth) {
  constexpr int deepest = 100;
  return 2 * static_cast<std::size_t>(std::clamp(depth, 0, deepest));
}

Columns::Columns(std::vector<Column> columns, LineEnd end)
    : columns_(std::move(columns)), end_(end) {}

void Columns::fit(const std::vector<Cells> &rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, codePoints(columns_[i].heading));
    for (const Cells &cells : rows)
      if (i < cells.size())
        columns_[i].width = std::max(columns_[i].width, codePoints(cells[i]));
  }
}

void Columns::line(const Cells &cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t taken = codePoints(cells[i]);
    const std::string blanks(columns_[i].width > taken ? columns_[i].width - taken : 0, ' ');
    if (columns_[i].left)
      text_.append(cells[i]).append(blanks);
    else
      text_.append(blanks).append(cells[i]);
    text_ += between;
  }
  endLine();
}

void Columns::rule() {
  for (const Column &column : columns_)
    text_.append(column.width, '-').append(between);
  endLine();
}

void Columns::headings() {
  Cells cells;
  cells.reserve(columns_.size());
  for (const Column &column : columns_)
    cells.push_back(column.heading);
  line(cells);
}

std::size_t Columns::width() const {
  std::size_t width = 0;
  for (const Column &column : columns_)
    width += column.width + between.size();
  return width - between.size();
}

void Columns::endLine() {
  if (end_ == LineEnd::AtText)
    text_.erase(text_.find_last_not_of(' ') + 1);
  text_ += '\n';
}

} // namespace graphprof
