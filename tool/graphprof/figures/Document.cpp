// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Document.h"

namespace graphprof {

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
