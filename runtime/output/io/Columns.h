// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Tables of text.

#ifndef GRAPHPROF_OUTPUT_IO_COLUMNS_H
#define GRAPHPROF_OUTPUT_IO_COLUMNS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graphprof {

/// How many blanks stand before a name `depth` levels down: two a level, no more than for 100
/// levels, because regions may recurse deeply.
[[nodiscard]] std::size_t indentOf(int depth);

struct Column {
  std::string heading;
  std::size_t width = 0; ///< in code points
  bool left = false;     ///< its cells are at its left
};

/// Writes line after line, with two blanks between columns. A cell that is wider than its column
/// moves what follows.
class Columns {
public:
  using Cells = std::vector<std::string>;
  /// PyTorch's lines end in blanks.
  enum class LineEnd : unsigned char { AtText, InBlanks };

  explicit Columns(std::vector<Column> columns, LineEnd end = LineEnd::AtText);

  /// Makes each column at least as wide as its heading and its cells of `rows`.
  void fit(const std::vector<Cells> &rows);
  /// Of the first columns, if there are fewer cells.
  void line(const Cells &cells);
  void rule();
  void headings();
  void add(std::string_view text) { text_ += text; }

  [[nodiscard]] std::size_t count() const { return columns_.size(); }
  /// Of a whole line.
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::string text() && { return std::move(text_); }

private:
  void endLine();

  std::vector<Column> columns_;
  const LineEnd end_;
  std::string text_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_COLUMNS_H
