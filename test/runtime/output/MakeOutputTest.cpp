// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Samples.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using testing::HasSubstr;

namespace {

std::string written(const std::string &item, const std::string &path) {
  const auto output = makeOutput(item, 100);
  EXPECT_TRUE(knowsOutput(item)) << item;
  if (!output)
    return "no output";
  Sample sample(1);
  EXPECT_EQ(output->write(sample.region("add", 0, 0, 1'000)), "");
  EXPECT_EQ(output->close({}), "");
  return contents(path);
}

TEST(MakeOutput, AnItemNamesFormatAndPath) {
  const Folder folder;
  const std::string path = folder.file("out.txt"), json = folder.file("out.json");
  EXPECT_THAT(written("table:" + path, path), HasSubstr("% of replay"));
  EXPECT_THAT(written("replays:" + path, path), HasSubstr("--- graph 1"));
  EXPECT_THAT(written(json, json), HasSubstr("traceEvents"));
}

TEST(MakeOutput, OutputsAreNamedAsInTheList) {
  for (const char *item : {"table", "replays", "table:a.txt", "replays:b.json", "trace.json"}) {
    ASSERT_TRUE(makeOutput(item, 1)) << item;
    EXPECT_EQ(makeOutput(item, 1)->name(), item);
  }
}

TEST(MakeOutput, OtherItemsMakeNothing) {
  for (const char *item : {"", "Table", "tables", "table:", "replays:", "trace.js", "csv"}) {
    EXPECT_FALSE(knowsOutput(item)) << item;
    EXPECT_EQ(makeOutput(item, 1), nullptr) << item;
  }
}

} // namespace
