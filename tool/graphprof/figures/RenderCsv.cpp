// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "Render.h"
#include "output/formats/csv/Csv.h"

namespace graphprof {

namespace {

std::string field(const Figure &figure) {
  return std::visit(
      [&]<class Value>(const Value &of) {
        if constexpr (std::is_same_v<Value, std::monostate>)
          return std::string();
        else if constexpr (std::is_same_v<Value, std::string>)
          return csvField(of);
        else if constexpr (std::is_same_v<Value, double>)
          return figure.unit == Figure::Unit::Ns ? fmt::format("{:.1f}", of)
                                                 : fmt::format("{:.6g}", of);
        else
          return fmt::format("{}", of);
      },
      figure.value);
}

} // namespace

std::string asCsv(const FigureTable &table) {
  std::string heads;
  std::vector<std::string> lines(table.rows);
  std::string_view comma;
  for (const FigureColumn &column : table.columns) {
    if (column.key.empty())
      continue;
    std::string head = column.key;
    std::ranges::replace(head, '/', '_');
    heads.append(comma).append(head);
    for (std::size_t i = 0; i < table.rows; ++i)
      lines[i].append(comma).append(field(column.figures[i]));
    comma = ",";
  }
  std::string text = heads + '\n';
  for (const std::string &line : lines)
    text += line + '\n';
  return text;
}

} // namespace graphprof
