// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a command shows. It says which figures there are and what they are called; how they are
// printed, Render.h knows.

#ifndef GRAPHPROF_TOOL_FIGURES_DOCUMENT_H
#define GRAPHPROF_TOOL_FIGURES_DOCUMENT_H

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Figure.h"

namespace graphprof {

struct FigureColumn {
  enum class Holds : unsigned char {
    Numbers,
    Texts, ///< at their left
    Names, ///< likewise; shortened where a line is too long
  };
  std::string key; ///< in JSON and CSV; empty: not in these. "mean/low": `low` of an object `mean`
  std::string heading; ///< in text and Markdown; empty: not in these
  Holds holds;
  std::vector<Figure> figures; ///< one for each row
};

struct FigureTable {
  std::size_t rows = 0;
  std::vector<FigureColumn> columns;
  /// What is said of a row, by rows; empty, or fewer than rows: nothing. A row without a name goes
  /// on with the one above it, and has none.
  std::vector<std::string> notes;

  /// Begins a row. What is added then are its figures, column by column; the first row says which
  /// columns there are.
  void next();
  void add(std::string_view key, std::string_view heading, Figure figure,
           FigureColumn::Holds holds = FigureColumn::Holds::Numbers);
  /// For programs only.
  void add(std::string_view key, Figure figure) { add(key, "", std::move(figure)); }
  /// A whole row, with figures in those columns that have these keys.
  void addRow(const std::vector<std::pair<std::string, Figure>> &figures);

private:
  std::size_t column_ = 0; // of the next figure
};

/// A table with what is said of it, for people.
struct Section {
  std::string title; ///< may be empty
  FigureTable table; ///< without rows: none
  std::vector<std::string> notes;
  std::string result; ///< what it comes to: the title in Markdown, which is read from above

  Section() = default;
  Section(std::string title, FigureTable table, std::vector<std::string> notes = {})
      : title(std::move(title)), table(std::move(table)), notes(std::move(notes)) {}
};

struct Document {
  std::vector<std::string> about; ///< what it is made of: runs, clocks
  std::vector<Section> sections;
  std::vector<std::string> notes; ///< what holds for all of it
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_FIGURES_DOCUMENT_H
