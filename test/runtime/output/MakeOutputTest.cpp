// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/data/Run.h"
#include "output/formats/sqlite/Sqlite.h"
#include "output/io/Gzip.h"
#include "support/Child.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Feed;
using graphprof::test::Folder;
using graphprof::test::runChild;
using graphprof::test::Sample;
using testing::HasSubstr;

namespace {

std::string written(const std::string &item, const std::string &path) {
  const auto output = makeOutput(item, 100);
  EXPECT_EQ(whyNoOutput(item), "") << item;
  if (!output)
    return "no output";
  Sample sample(1);
  EXPECT_EQ(Feed(*output).write(sample.region("add", 0, 0, 1'000)), "");
  EXPECT_EQ(output->close({}), "");
  return contents(path);
}

TEST(MakeOutput, ItemNamesFormatAndPath) {
  const Folder folder;
  const std::string path = folder.file("out.txt"), json = folder.file("out.json");
  EXPECT_THAT(written("table:" + path, path), HasSubstr("% of replay"));
  EXPECT_THAT(written("replays:" + path, path), HasSubstr("--- graph 1"));
  EXPECT_THAT(written(json, json), HasSubstr("traceEvents"));
  const std::string csv = folder.file("out.csv"), lines = folder.file("out.jsonl"),
                    binary = folder.file("out.gprof");
  EXPECT_THAT(written(csv, csv), HasSubstr("\nadd,add,"));
  EXPECT_THAT(written(lines, lines), HasSubstr(R"({"type":"record","name":"add",)"));
  EXPECT_THAT(written(binary, binary), testing::StartsWith("\x89GPF"));
}

TEST(MakeOutput, GraphPicturesHaveTheirForms) {
  const Folder folder;
  const std::string dot = folder.file("g.dot"), json = folder.file("g.json");
  EXPECT_THAT(written(dot, dot), HasSubstr("digraph"));
  EXPECT_THAT(written("graph:" + dot, dot), HasSubstr("digraph"));
  EXPECT_THAT(written("graph:" + json, json), HasSubstr("graphprof-graphs-1"));
  EXPECT_EQ(whyNoOutput("graph:g.png"), "must end in .dot or .json");
  EXPECT_THAT(whyNoOutput("g.svg"), HasSubstr("graphprof convert PATH.dot PATH.svg"));
  EXPECT_EQ(makeOutput("g.svg", 1), nullptr);
  EXPECT_TRUE(drawsGraphs("g.dot"));
  EXPECT_TRUE(drawsGraphs("graph:g.json"));
  EXPECT_FALSE(drawsGraphs("g.json"));
}

TEST(MakeOutput, DatabaseHasSeveralEndings) {
  if (!sqliteBuiltIn()) {
    EXPECT_EQ(whyNoOutput("run.db"), "graphprof is built without SQLite");
    return;
  }
  const Folder folder;
  for (const char *name : {"run.db", "run.sqlite", "run.sqlite3"})
    EXPECT_THAT(written(folder.file(name), folder.file(name)),
                testing::StartsWith("SQLite format 3"));
}

TEST(MakeOutput, OutputsAreNamedAsListed) {
  for (const char *item : {"table", "replays", "table:a.txt", "replays:b.json", "trace.json",
                           "run.csv", "run.jsonl", "run.gprof", "g.dot", "graph:g.json"}) {
    ASSERT_TRUE(makeOutput(item, 1)) << item;
    EXPECT_EQ(makeOutput(item, 1)->name(), item);
  }
}

TEST(MakeOutput, AveragesTakeOptionsBeforePath) {
  const Folder folder;
  const std::string path = folder.file("out+x:y.txt");
  EXPECT_THAT(written("key_averages:" + path, path), testing::Not(HasSubstr("P99")));
  EXPECT_THAT(written("key_averages+statistics:" + path, path), HasSubstr("P99"));
  EXPECT_THAT(written("key_averages+row_limit=0+statistics:" + path, path),
              testing::AllOf(HasSubstr("P99"), testing::Not(HasSubstr("add"))));
  const auto ordered = [&](const std::string &options) {
    const auto output = makeOutput("key_averages" + options + ":" + path, 100);
    Sample sample(1);
    EXPECT_EQ(Feed(*output).write(sample.region("often", 0, 0, 1'000)
                                      .region("often", 0, 1'000, 1'000)
                                      .region("long", 0, 2'000, 9'000)),
              "");
    EXPECT_EQ(output->close({}), "");
    const std::string table = contents(path);
    return table.find("often") < table.find("long");
  };
  EXPECT_FALSE(ordered("")) << "by the time on the device";
  EXPECT_TRUE(ordered("+sort_by=count"));
  EXPECT_FALSE(ordered("+sort_by=cuda_time+row_limit=-1"));
  EXPECT_THAT(written("key_averages+time_unit=s:" + path, path), HasSubstr("0.000s"));
  EXPECT_THAT(written("key_averages+top_level_events_only:" + path, path),
              HasSubstr("top-level ops"));
  EXPECT_EQ(makeOutput("key_averages+statistics", 1)->name(), "key_averages+statistics");
  EXPECT_EQ(makeOutput("key_averages+statistics:a", 1)->name(), "key_averages+statistics:a");
  EXPECT_TRUE(writesToStderr("key_averages+statistics"));
  EXPECT_FALSE(writesToStderr("key_averages+statistics:a"));
  EXPECT_TRUE(isWrittenWhole("key_averages+statistics"));
}

TEST(MakeOutput, WrongOptionIsNamed) {
  for (const auto &[item, why] : std::map<std::string, std::string>{
           {"key_averages+statistic", "statistic is not one of statistics, sort_by=COLUMN, "
                                      "row_limit=N"},
           {"key_averages+:a", " is not one of statistics, sort_by=COLUMN, row_limit=N"},
           {"key_averages+statistics+sort_by=beauty:a",
            "beauty is not one of cpu_time, device_time, "},
           {"key_averages+time_unit=min", "time_unit=min: must be s, ms or us"},
           {"key_averages+row_limit=ten", "row_limit=ten: must be a whole number"},
           {"key_averages+row_limit=99999999999", "row_limit=99999999999: must be a whole number"},
           {"key_averages+statistics:", "must be a list of table, key_averages, "},
           {"key_averagesx", "must be a list of table, key_averages, "}}) {
    EXPECT_THAT(whyNoOutput(item), testing::StartsWith(why)) << item;
    EXPECT_EQ(makeOutput(item, 1), nullptr) << item;
  }
}

TEST(MakeOutput, HostSpansGoWhereWanted) {
  // Host spans are for those that are asked to show them.
  const auto wanting = [](HostSpansFor hostSpans) {
    std::string items;
    for (const char *item : {"table", "key_averages", "replays", "t.json", "r.csv", "r.db",
                             "r.jsonl", "r.gprof", "g.dot"})
      if (const auto output = makeOutput(item, 1, thisRun(), hostSpans);
          output && output->wants().hostSpans)
        items.append(item).append(" ");
    return items;
  };
  EXPECT_EQ(wanting(HostSpansFor::Whole), "key_averages t.json ");
  EXPECT_EQ(wanting(HostSpansFor::All), sqliteBuiltIn()
                                            ? "key_averages t.json r.db r.jsonl r.gprof "
                                            : "key_averages t.json r.jsonl r.gprof ");
  EXPECT_EQ(wanting(HostSpansFor::None), "t.json ") << "which shows those that come";
}

// Without host spans, key averages take what the host's clock measured from records. Of a file
// that has no host spans.
TEST(MakeOutput, RecordsReplaceHostSpans) {
  const Folder folder;
  const auto table = [&](HostSpansFor hostSpans) {
    const std::string path = folder.file("a.txt");
    const auto output = makeOutput("key_averages:" + path, 100, thisRun(), hostSpans);
    Sample sample = Sample::outsideGraphs();
    EXPECT_EQ(Feed(*output).write(sample.region("tokenise", 0, 0, 7'000, Clock::Host)), "");
    EXPECT_EQ(output->close({}), "");
    return contents(path);
  };
  EXPECT_THAT(table(HostSpansFor::Whole), testing::Not(HasSubstr("tokenise")));
  EXPECT_THAT(table(HostSpansFor::None), HasSubstr("tokenise"));
}

TEST(MakeOutput, PathsTakePlaceholders) {
  const Folder folder;
  const std::string name = "out." + std::to_string(thisRun().pid) + ".txt";
  EXPECT_THAT(written("table:" + folder.file("out.{pid}.txt"), folder.file(name)),
              HasSubstr("% of replay"));
  EXPECT_EQ(whyNoOutput("table:a.{cpu}"),
            "{cpu} is not one of {host}, {pid}, {rank}, {time}, {env:NAME}");
}

TEST(MakeOutput, CompressedTraceIsGzip) {
  // A compressed trace is a trace behind its compression.
  if (!Gzip::builtIn()) {
    EXPECT_EQ(whyNoOutput("a.json.gz"), "graphprof is built without zlib");
    return;
  }
  const Folder folder;
  const std::string path = folder.file("out.json.gz");
  EXPECT_THAT(written(path, path), testing::StartsWith("\x1f\x8b"));
  EXPECT_THAT(runChild("gzip -dc " + path).output, HasSubstr("traceEvents"));
}

TEST(MakeOutput, MessagesNameFormats) {
  // Messages name what each format is asked for by.
  EXPECT_EQ(outputItems(),
            "table, key_averages, replays, table:PATH, key_averages:PATH, replays:PATH, "
            "PATH.json[.gz], PATH.db, PATH.csv, PATH.jsonl, PATH.gprof, PATH.dot, "
            "graph:PATH.json, steps:PATH");
  EXPECT_THAT(whyNoOutput("setps:a"), testing::EndsWith(" (did you mean steps?)"));
}

// Else they would take room in its queue.
TEST(MakeOutput, AllocationsGoWhereShown) {
  const Folder folder;
  const auto wants = [&](const char *name) {
    return makeOutput(folder.file(name), 0)->wants().memory;
  };
  EXPECT_FALSE(wants("a.csv"));
  EXPECT_TRUE(wants("a.jsonl"));
}

TEST(MakeOutput, UnknownItemMakesNothing) {
  for (const char *item :
       {"", "Table", "tables", "table:", "replays:", "trace.js", "csv", "run.sql", "graph:"}) {
    EXPECT_THAT(whyNoOutput(item), HasSubstr("must be a list of table, ")) << item;
    EXPECT_EQ(makeOutput(item, 1), nullptr) << item;
  }
}

} // namespace
