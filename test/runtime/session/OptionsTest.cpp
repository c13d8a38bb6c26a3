// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The page of `graphprof run` lists the options of options.def, with its words. docs/options.md
// needs no such test: tool/pages/options_page.py writes it.

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::ElementsAreArray;

namespace {

using Rows = std::vector<std::string>;

// The rows of the table below the line `head` of a page in docs.
Rows rowsBelow(const std::string &page, std::string_view head) {
  std::ifstream file(std::string(GRAPHPROF_TEST_DOCS "/") + page);
  std::string line;
  while (std::getline(file, line) && line != head)
    ;
  std::getline(file, line); // the rule
  Rows rows;
  while (std::getline(file, line) && !line.empty())
    rows.push_back(line);
  return rows;
}

// "-o,--output" with the value OUTPUTS is "`-o`, `--output OUTPUTS`".
std::string optionRow(std::string_view variable, std::string_view names, std::string_view value,
                      std::string_view help) {
  std::ostringstream row;
  row << "| ";
  std::istringstream all{std::string(names)};
  for (std::string name; std::getline(all, name, ',');) {
    row << (row.tellp() > 2 ? ", `" : "`") << name.substr(name.front() == '!' ? 1 : 0);
    row << (all.eof() && !value.empty() ? " " : "") << (all.eof() ? value : "") << '`';
  }
  row << " | `" << variable << "` | " << help << " |";
  return row.str();
}

} // namespace

TEST(Options, RunsPageListsEachOption) {
  const Rows expected = {
#define GRAPHPROF_OPTION(...)
#define GRAPHPROF_OPTION_OF_RUN(NAME, type, field, initial, read, values, usual, names, value,     \
                                help, underRun)                                                    \
  optionRow("GRAPHPROF_" #NAME, names, value, help),
#include "services/options.def"
  };
  EXPECT_THAT(rowsBelow("run.md", "| option | variable | what |"), ElementsAreArray(expected));
}
