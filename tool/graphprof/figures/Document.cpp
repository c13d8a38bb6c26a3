// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Document.h"

namespace graphprof {

void FigureTable::next() {
  ++rows;
  column_ = 0;
}

void FigureTable::add(std::string_view key, std::string_view heading, Figure figure,
                      FigureColumn::Holds holds) {
  if (column_ == columns.size())
    columns.push_back({std::string(key), std::string(heading), holds, {}});
  columns[column_++].figures.push_back(std::move(figure));
}

void FigureTable::addRow(const std::vector<std::pair<std::string, Figure>> &figures) {
  ++rows;
  for (FigureColumn &column : columns) {
    Figure &figure = column.figures.emplace_back();
    for (const auto &[key, of] : figures)
      if (key == column.key)
        figure = of;
  }
}

} // namespace graphprof
