// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Columns.h"

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

TEST(Columns, CellsAreAligned) {
  // Cells are at their side, and lines end with the text.
  Columns table({{"Name", 6, true}, {"Time", 8}});
  table.headings();
  table.rule();
  table.line({"add", "1.000us"});
  table.line({"relu"});
  EXPECT_EQ(table.width(), 16);
  EXPECT_EQ(std::move(table).text(), "Name        Time\n"
                                     "------  --------\n"
                                     "add      1.000us\n"
                                     "relu\n");
}

TEST(Columns, PyTorchLinesEndInBlanks) {
  Columns table({{"A", 2}, {"B", 2, true}}, Columns::LineEnd::InBlanks);
  table.headings();
  table.rule();
  EXPECT_EQ(std::move(table).text(), " A  B   \n--  --  \n");
}

TEST(Columns, FitsWidestCell) {
  // It fits: as wide as the widest cell, in code points.
  Columns table({{"Name", 0, true}, {"N"}});
  table.fit({{"\u00e9t\u00e9", "100"}, {"abcdef"}});
  table.headings();
  table.line({"\u00e9t\u00e9", "100"});
  EXPECT_EQ(std::move(table).text(), "Name      N\n\u00e9t\u00e9     100\n");
}

} // namespace
