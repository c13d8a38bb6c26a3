// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/Table.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Batching.h"
#include "output/MakeOutput.h"
#include "output/Samples.h"
#include "support/Stderr.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::OfReplays;
using graphprof::test::Sample;
using graphprof::test::Written;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t plenty = 1'000'000;

std::string tableOf(std::initializer_list<Replay> replays, const Losses &losses = {}) {
  OfReplays<Statistics> statistics(plenty);
  for (const Replay &replay : replays)
    statistics.add(replay);
  statistics.finish();
  return formatTable(statistics, losses);
}

TEST(Table, HasLineForEachRegion) {
  // Those inside are indented.
  Sample cold(0), first(1), second(2);
  EXPECT_EQ(tableOf({cold.cold().region("layer 0", 0, 0, 9'000'000),
                     first.region("layer 0", 0, 0, 50'000).region("add", 1, 0, 20'000),
                     second.region("layer 0", 0, 0, 60'000).region("add", 1, 0, 20'000)}),
            R"(graphprof: time of each region
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Region                            Count         Total          Mean           Min        Median           P95           Max   % of replay
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
layer 0                               2     110.000us      55.000us      50.000us      55.000us      59.500us      60.000us        55.00%
  add                                 2      40.000us      20.000us      20.000us      20.000us      20.000us      20.000us        20.00%
(outside all regions)                 2      90.000us      45.000us            --            --            --            --        45.00%
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
3 replays of 1 exec of 1 graph, 100.000us each in the median
1 cold replay left out: some code ran for the first time
)");
}

TEST(Table, GraphsWithNamesHaveLinesBelow) {
  // Those that took the longest in all first; control characters do nothing.
  Sample cold(0), one(1), two(2), other(3), evil(4), unnamed(5);
  const std::string text = tableOf(
      {cold.cold().serves("decode", {key("batch", 1)}),
       one.exec(2, 2).serves("decode", {key("batch", 8)}),
       two.exec(3, 3).serves("decode", {key("batch", 8)}),
       other.serves("decode", {key("batch", 1)}).region("add", 0, 0, 1'000),
       evil.exec(4, 4).serves("\x1b[31mred").span(Sample::originNs, Sample::originNs + 20'000),
       unnamed.exec(5, 5)});
  EXPECT_THAT(text,
              HasSubstr("1 cold replay left out: some code ran for the first time\n"
                        "  decode batch=8: 2 replays, 100.000us each in the median, 47.62% "
                        "of the time of all\n"
                        "  decode batch=1: 1 replay, 100.000us each in the median, 23.81% of "
                        "the time of all\n"
                        "  ?[31mred: 1 replay, 20.000us each in the median, 4.76% of the time "
                        "of all\n"));
}

TEST(Table, ManyNamesOfGraphsAreShort) {
  std::deque<Sample> samples;
  OfReplays<Statistics> statistics(plenty);
  for (std::uint64_t i = 0; i < 300; ++i)
    statistics.add(samples.emplace_back(i)
                       .exec(i + 1, i + 1)
                       .serves("n" + std::to_string(i))
                       .region("add", 0, 0, 1'000));
  statistics.finish();
  const std::string text = formatTable(statistics, {});
  EXPECT_THAT(text, HasSubstr("  and 81.33% of the time of all in graphs of 244 more names\n"
                              "  44 replays of graphs with more than 256 different names\n"));
  EXPECT_EQ(12, std::ranges::count_if(std::views::split(text, '\n'), [](const auto &line) {
              return std::string_view(line.begin(), line.end()).starts_with("  n");
            }));
}

TEST(Table, EagerAndHostHaveHeadings) {
  // Regions outside graphs and host regions stand under headings of their own.
  Sample graph(0), eager = Sample::outsideGraphs(), host = Sample::outsideGraphs();
  EXPECT_EQ(tableOf({host.region("tokenise", 0, 0, 5'000'000, Clock::Host),
                     eager.region("upload", 0, 0, 3'000, Clock::Event)
                         .region("chunk", 1, 0, 1'000, Clock::Event),
                     graph.region("add", 0, 0, 25'000)}),
            R"(graphprof: time of each region
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Region                            Count         Total          Mean           Min        Median           P95           Max   % of replay
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
add                                   1      25.000us      25.000us      25.000us      25.000us      25.000us      25.000us        25.00%
(outside all regions)                 1      75.000us      75.000us            --            --            --            --        75.00%
outside graphs
  upload                              1       3.000us       3.000us       3.000us       3.000us       3.000us       3.000us            --
    chunk                             1       1.000us       1.000us       1.000us       1.000us       1.000us       1.000us            --
host time only
  tokenise                            1       5.000ms       5.000ms       5.000ms       5.000ms       5.000ms       5.000ms            --
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
1 replay of 1 exec of 1 graph, 100.000us each in the median
3 regions timed outside graphs
)");
}

// A graph of 100 us runs beside half of the first copy, and before the second, which is on its own
// stream.
TEST(Table, CopiesSaySpeedAndOverlap) {
  // How fast they are, and in how much of their time something computed.
  Sample graph(0), first = Sample::outsideGraphs(), second = Sample::outsideGraphs();
  EXPECT_EQ(tableOf({first.stream(8).copy("h2d", 50'000, 100'000, 1'000'000),
                     second.copy("h2d", 90'000, 10'000, 100'000),
                     graph.region("add", 0, 0, 25'000, Clock::Stamp, {key("bytes", 50'000)})}),
            R"(graphprof: time of each region
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Region                            Count         Total          Mean           Min        Median           P95           Max   % of replay          GB/s    Overlapped
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
add                                   1      25.000us      25.000us      25.000us      25.000us      25.000us      25.000us        25.00%         2.000            --
(outside all regions)                 1      75.000us      75.000us            --            --            --            --        75.00%            --            --
outside graphs
  h2d                                 2     110.000us      55.000us      10.000us      55.000us      95.500us     100.000us            --        10.000        45.45%
-------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
1 replay of 1 exec of 1 graph, 100.000us each in the median
2 regions timed outside graphs
)");
}

TEST(Table, UnmeasuredHasColumn) {
  // What was not measured is counted in a column, and has no time.
  Sample sample(1);
  EXPECT_EQ(tableOf({sample.region("add", 0, 0, -1).region("relu", 0, 0, 1'000)}),
            R"(graphprof: time of each region
----------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Region             Count         Total          Mean           Min        Median           P95           Max   % of replay  Not measured
----------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
add                    0            --            --            --            --            --            --            --             1
relu                   1       1.000us       1.000us       1.000us       1.000us       1.000us       1.000us         1.00%             0
----------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
1 replay of 1 exec of 1 graph, 100.000us each in the median
)");
}

TEST(Table, EmptySaysWhatWasSeen) {
  EXPECT_EQ(tableOf({}), "graphprof: nothing was recorded\n");
  const Folder folder;
  Written<Table> table(folder.file("table"), 10);
  table.metadata(nothingKey, "\"no region ran\"");
  EXPECT_EQ(table.close({}), "");
  EXPECT_EQ(contents(folder.file("table")), "graphprof: nothing was recorded: no region ran\n");
}

TEST(Table, SaysBelowWhatWasUntimed) {
  // What was launched and not timed is said below it.
  const Folder folder;
  Written<Table> table(folder.file("table"), 10);
  Sample sample(1);
  EXPECT_EQ(table.write(sample.region("add", 0, 0, 1'000)), "");
  table.metadata(untimedKey, "\"2 execs were replayed of graphs without a region\"");
  EXPECT_EQ(table.close({}), "");
  EXPECT_THAT(contents(folder.file("table")),
              testing::EndsWith("each in the median\n"
                                "2 execs were replayed of graphs without a region\n"));
}

TEST(Table, NodesOfNameHaveRows) {
  // Nodes of one name have a row each.
  Sample sample(1);
  const std::string table = tableOf({sample.region("scale", 0, 0, 1'000)
                                         .kind(Kind::Kernel)
                                         .region("scale", 0, 1'000, 5'000)
                                         .kind(Kind::Kernel)});
  EXPECT_THAT(table, HasSubstr("\nscale                                 1       1.000us"));
  EXPECT_THAT(table, HasSubstr("\nscale #2                              1       5.000us"));
}

TEST(Table, EmptySaysMissingDriver) {
  // The reason for an empty table may be that there is no driver.
  const Folder folder;
  Written<Table> table(folder.file("table"), 10);
  table.metadata(noDriverKey, "\"no CUDA driver on this machine (libcuda.so.1)\"");
  EXPECT_EQ(table.close({}), "");
  EXPECT_EQ(contents(folder.file("table")),
            "graphprof: nothing was recorded: no CUDA driver on this machine (libcuda.so.1)\n");
}

TEST(Table, EmptySaysWhatWasLost) {
  Losses losses{};
  losses.unfinished = 1;
  losses.invalidated = 2;
  EXPECT_THAT(tableOf({}, losses),
              AllOf(HasSubstr("nothing was recorded"), HasSubstr("\n1 replay lost: not finished"),
                    HasSubstr("\n2 captures with regions failed")));
}

TEST(Table, OnlyColdHasHeading) {
  // What ran in cold replays only stands under a heading that says so.
  Sample cold(0);
  EXPECT_EQ(tableOf({cold.cold().region("layer", 0, 0, 50'000).region("add", 1, 0, 1'000)}),
            R"(graphprof: time of each region
---------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
Region                              Count         Total          Mean           Min        Median           P95           Max   % of replay
---------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
in cold replays only
  layer                                 1      50.000us      50.000us      50.000us      50.000us      50.000us      50.000us        50.00%
    add                                 1       1.000us       1.000us       1.000us       1.000us       1.000us       1.000us         1.00%
  (outside all regions)                 1      50.000us      50.000us            --            --            --            --        50.00%
---------------------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------  ------------
1 replay of 1 exec of 1 graph, 100.000us each in the median (cold)
1 cold replay left out, except for what ran in no warm one: some code ran for the first time; launch each graph again
)");
}

TEST(Table, RoundedQuantilesHaveFewerDigits) {
  // A line below says so.
  OfReplays<Statistics> statistics(plenty);
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    Sample sample(i);
    statistics.add(sample.region("add", 0, 0, 33'000 + static_cast<std::int64_t>(i % 2'000)));
  }
  statistics.finish();
  EXPECT_THAT(
      formatTable(statistics, {}),
      AllOf(HasSubstr("      33.000us        33.9us        34.9us      34.999us        33.90%"),
            HasSubstr("\nMedian and P95 of many executions (more than 4096, or beyond the bound of "
                      "kept records) are rounded: off by at most 0.4 %\n")));
}

TEST(Table, EndsWithLossesAndReasons) {
  Sample sample(1);
  Losses losses{};
  losses.overrun = 12;
  EXPECT_THAT(tableOf({sample.region("add", 0, 0, 1)}, losses),
              testing::EndsWith("\n12 replays lost: the ring was overwritten before they were "
                                "read; raise GRAPHPROF_RING_DEPTH\n"));
}

TEST(Table, LongNamesLoseTheirMiddle) {
  Sample sample(1);
  const std::string name(70, 'n');
  EXPECT_THAT(tableOf({sample.region(name, 0, 0, 1'000)}),
              AllOf(HasSubstr("\n" + std::string(26, 'n') + "..." + std::string(26, 'n') +
                              "             1  "),
                    HasSubstr("\n" + std::string(55, '-') + "  ------------")));
}

TEST(Table, NameColumnCountsCharacters) {
  // Not bytes.
  Sample sample(1);
  EXPECT_THAT(tableOf({sample.region("größe ∑", 0, 0, 1'000).region("12345678", 0, 0, 1'000)}),
              AllOf(HasSubstr("\ngröße ∑                               1  "),
                    HasSubstr("\n12345678                              1  ")));
}

TEST(Table, NameStaysOnLine) {
  // Though there is a line break in it.
  Sample sample(1);
  EXPECT_THAT(tableOf({sample.region("a\nb", 0, 0, 1'000)}),
              AllOf(HasSubstr("\na?b "), Not(HasSubstr("a\nb"))));
}

// 30 regions of different names, the last the longest; and two that differ in a number only.
std::string writtenTo(const std::string &item) {
  graphprof::test::captureStderr();
  const std::unique_ptr<BatchWriter> table =
      makeWriter(item, plenty, thisRun(), HostSpansFor::None);
  Batching batching;
  Sample sample(1);
  for (int i = 0; i < 30; ++i)
    sample.region(std::string(60, static_cast<char>('a' + i % 26)) +
                      std::string(static_cast<std::size_t>(i / 26), '.'),
                  0, 100 * i, i + 1);
  sample.region("layer 0", 0, 9'000, 20'000).region("layer 1", 0, 30'000, 20'000);
  EXPECT_EQ(batching.write(sample, *table), "");
  EXPECT_EQ(table->close({}), "");
  return testing::internal::GetCapturedStderr();
}

TEST(Table, OnStreamFitsScreen) {
  // The longest rows with shortened names, and how many more there are.
  const std::string table = writtenTo("table");
  EXPECT_THAT(table, HasSubstr("\nlayer {} ×2 "));
  EXPECT_THAT(table, AllOf(HasSubstr("\n6 rows more "), HasSubstr("  6       0.021us ")));
  EXPECT_LT(table.find("\nlayer {}"), table.find("\ndddd"));
  EXPECT_LT(table.find("\ndddd"), table.find("\ncccc"));
  EXPECT_THAT(table, AllOf(HasSubstr(std::string(26, 'z') + "..." + std::string(26, 'z')),
                           Not(HasSubstr("ffff"))));
}

TEST(Table, AllRowsKeepOrder) {
  // Not the longest first.
  for (const char *const item : {"table:all", "table+all"}) {
    const std::string table = writtenTo(item);
    EXPECT_THAT(table,
                AllOf(HasSubstr("\nlayer 0 "), HasSubstr("\nlayer 1 "), HasSubstr("\naaaa")));
    EXPECT_LT(table.find("\ncccc"), table.find("\ndddd"));
  }
}

TEST(Table, FileHasAllRows) {
  // And whole names.
  const Folder folder;
  EXPECT_EQ(writtenTo("table:" + folder.file("all")), "");
  EXPECT_THAT(contents(folder.file("all")),
              AllOf(HasSubstr("\nlayer 1 "), HasSubstr("\n" + std::string(60, 'a') + ' ')));
}

TEST(Table, RefusesUnknownOption) {
  EXPECT_EQ(whyNoOutput("table+rows"), "rows is not an option of the table, which has only all");
  EXPECT_EQ(whyNoOutput("table:all"), "");
  EXPECT_TRUE(writesToStderr("table:all"));
  EXPECT_EQ(onStandardOutput("table:all"), "table+all:/dev/stdout");
  EXPECT_FALSE(writesToStderr("table:./all"));
}

TEST(Table, FileIsWrittenAtEnd) {
  const Folder folder;
  Written<Table> table("", plenty);
  EXPECT_EQ(makeOutput("table", 1)->name(), "table");
  Written<Table> toFile(folder.file("table.txt"), plenty);
  Sample sample(1);
  EXPECT_EQ(toFile.write(sample.region("add", 0, 0, 1'000)), "");
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(toFile.close({}), "");
  EXPECT_THAT(contents(folder.file("table.txt")), HasSubstr("add"));
}

TEST(Table, WithoutPathIsOnStderr) {
  graphprof::test::captureStderr();
  Written<Table> table("", plenty);
  EXPECT_EQ(table.close({}), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nothing was recorded"));
}

TEST(Table, FailureNamesPathAndReason) {
  Written<Table> table("/dev/full", plenty);
  EXPECT_EQ(table.close({}), "cannot write /dev/full: No space left on device");
}

// A disk that is full, as far as one can be made: in a process of its own, since the limit stays.
TEST(Table, FullDiskLeavesNoStump) {
  const Folder folder;
  const auto writesBeyondTheLimit = [&] {
    const rlimit limit{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Written<Table> table(folder.file("table.txt"), plenty);
    const std::string failed = table.close({});
    std::_Exit(failed == "cannot write " + folder.file("table.txt") + ": File too large" ? 0 : 1);
  };
  EXPECT_EXIT(writesBeyondTheLimit(), testing::ExitedWithCode(0), "");
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Table, CountsRegionsBeyondItsBound) {
  Written<Table> table("", plenty);
  for (std::size_t i = 0; i < Statistics::maxRegions + 2; ++i) {
    Sample sample(1);
    EXPECT_EQ(table.write(sample.region("step " + std::to_string(i), 0, 0, 1)), "");
  }
  EXPECT_EQ(table.dropped(), 2U);
  graphprof::test::captureStderr();
  EXPECT_EQ(table.close({}), "");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("\n2 records not in this table: it tells 10000 rows apart; give regions fewer "
                "names, or add up nodes by name (key_averages)\n"));
}

} // namespace
