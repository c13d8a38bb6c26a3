// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <fmt/format.h>

#include "Render.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

using Holds = FigureColumn::Holds;

std::string tableMarkdown(const FigureTable &table) {
  std::string heads = "|", rule = "|";
  std::vector<std::string> rows(table.rows, "|");
  bool named = false;
  for (const FigureColumn &column : table.columns) {
    if (column.heading.empty())
      continue;
    heads += fmt::format(" {} |", column.heading);
    rule += column.holds == Holds::Numbers ? " ---: |" : " --- |";
    const bool isName = column.holds == Holds::Names && !named;
    named = named || isName;
    for (std::size_t i = 0; i < table.rows; ++i) {
      std::string cell = column.figures[i].forPeople();
      if (isName && i < table.notes.size() && !table.notes[i].empty())
        cell += fmt::format(" ({})", table.notes[i]);
      rows[i] += fmt::format(" {} |", markdownText(cell));
    }
  }
  std::string text = heads + '\n' + rule + '\n';
  for (const std::string &row : rows)
    text += row + '\n';
  return text;
}

void addItems(std::string &text, const std::vector<std::string> &items) {
  for (const std::string &item : items)
    text += fmt::format("- {}\n", markdownText(item));
}

} // namespace

std::string markdownText(std::string_view raw) {
  std::string text;
  for (const char c : printable(raw)) {
    if (c == '|' || c == '`' || c == '*' || c == '_' || c == '<' || c == '[' || c == '\\')
      text += '\\';
    text += c;
  }
  return text;
}

std::string asMarkdown(const Document &document) {
  std::string text;
  for (const Section &section : document.sections) {
    const std::string &title = section.result.empty() ? section.title : section.result;
    if (!title.empty())
      text += fmt::format("**graphprof: {}**\n\n", markdownText(title));
    if (section.table.rows > 0)
      text += tableMarkdown(section.table) + '\n';
    addItems(text, section.notes);
    if (!section.notes.empty())
      text += '\n';
  }
  addItems(text, document.about);
  addItems(text, document.notes);
  return text;
}

} // namespace graphprof
