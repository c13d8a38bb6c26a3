// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Edits from string to string, and the lines in front of a copy.

#include "plan/Edits.h"

#include <gtest/gtest.h>

namespace graphprof::instrument {
namespace {

TEST(Edits, TextOrderApplies) {
  // Edits are applied in the order of the text.
  auto Result = applyEdits("one two", {{{4, 7}, "2"}, {{0, 3}, "1"}, {{3, 3}, ","}});
  ASSERT_TRUE(bool(Result));
  EXPECT_EQ(*Result, "1, 2");
}

TEST(Edits, OverlapIsRefused) {
  // Edits that overlap or change the number of lines are refused.
  auto Overlapping = applyEdits("one two", {{{0, 5}, ""}, {{4, 7}, ""}});
  EXPECT_FALSE(bool(Overlapping));
  llvm::consumeError(Overlapping.takeError());
  auto MoreLines = applyEdits("one", {{{0, 1}, "\n"}});
  EXPECT_FALSE(bool(MoreLines));
  llvm::consumeError(MoreLines.takeError());
}

TEST(Preamble, KeepsMarkAndLineEnds) {
  // The preamble comes behind a byte order mark, and ends lines as the file does.
  EXPECT_EQ(addPreamble("\xEF\xBB\xBFint a;\r\n", "a \"b\".cu", {RuntimeHeader::Cuda}, {}),
            "\xEF\xBB\xBF#include <graphprof/cuda.h>\r\n#line 1 \"a \\\"b\\\".cu\"\r\nint a;\r\n");
}

TEST(Preamble, EarlierPreambleIsCompleted) {
  // The preamble is completed where an earlier run left one.
  const std::string Once =
      addPreamble("int a;\n", "a.cu", {RuntimeHeader::Cuda}, {"#define _GNU_SOURCE"});
  EXPECT_EQ(Once, "#define _GNU_SOURCE\n#include <graphprof/cuda.h>\n#line 1 \"a.cu\"\nint a;\n");
  EXPECT_EQ(addPreamble(Once, "copy/a.cu", {RuntimeHeader::Cuda}, {"#define _GNU_SOURCE"}), Once);
  EXPECT_EQ(addPreamble(Once, "copy/a.cu", {RuntimeHeader::Cuda, RuntimeHeader::CudaDriver}, {}),
            "#define _GNU_SOURCE\n#include <graphprof/cuda.h>\n#include <graphprof/cuda_driver.h>\n"
            "#line 1 \"a.cu\"\nint a;\n");
}

TEST(Preamble, HeaderGetsOnlyLine) {
  const std::string Once = addLine("#pragma once\n", "a.h");
  EXPECT_EQ(Once, "#line 1 \"a.h\"\n#pragma once\n");
  EXPECT_EQ(addLine(Once, "copy/a.h"), Once);
}

} // namespace
} // namespace graphprof::instrument
