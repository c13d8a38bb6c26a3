// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Statistics.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::OfReplays;
using graphprof::test::Sample;
using testing::ElementsAre;

namespace {

constexpr std::size_t plenty = 1'000'000;

// "name xCount", indented by depth, with the place where it is not a graph.
std::vector<std::string> outline(const Statistics &statistics) {
  std::vector<std::string> result;
  for (const RegionStatistics *region : statistics.regions()) {
    std::string line(static_cast<std::size_t>(2 * region->depth), ' ');
    line += region->name + " x" + std::to_string(region->durations.count());
    if (region->place != Place::Graph)
      line += region->place == Place::Cold    ? " cold"
              : region->place == Place::Eager ? " eager"
                                              : " host";
    result.push_back(line);
  }
  return result;
}

const RegionStatistics &find(const Statistics &statistics, const std::string &name) {
  for (const RegionStatistics *region : statistics.regions())
    if (region->name == name)
      return *region;
  throw std::out_of_range(name);
}

TEST(Statistics, SumsUpRegionOverReplays) {
  OfReplays<Statistics> statistics(plenty);
  for (std::uint64_t i = 0; i < 3; ++i) {
    Sample sample(i);
    statistics.add(sample.region("add", 0, 0, 1'000 * static_cast<std::int64_t>(i + 1)));
  }
  const Distribution &add = find(statistics, "add").durations;
  EXPECT_EQ(add.count(), 3U);
  EXPECT_EQ(add.sumNs(), 6'000);
  EXPECT_EQ(add.minNs(), 1'000);
  EXPECT_EQ(add.maxNs(), 3'000);
  EXPECT_EQ(add.quantileNs(0.5), 2'000);
}

TEST(Statistics, ListsRegionsInCaptureOrder) {
  // Those inside stand behind their parent.
  OfReplays<Statistics> statistics(plenty);
  Sample first(0), second(1);
  statistics.add(first.region("b", 0, 0, 5).region("z", 1, 0, 1).region("a", 0, 5, 5));
  statistics.add(second.region("b", 0, 0, 5).region("y", 1, 1, 1).region("a", 0, 5, 5));
  EXPECT_THAT(outline(statistics), ElementsAre("b x2", "  z x1", "  y x1", "a x2"));
}

TEST(Statistics, ParentTellsNamesApart) {
  // The same name in different regions is another region.
  OfReplays<Statistics> statistics(plenty);
  Sample sample;
  statistics.add(sample.region("layer 0", 0, 0, 5)
                     .region("add", 1, 0, 1)
                     .region("layer 1", 0, 5, 5)
                     .region("add", 1, 5, 1)
                     .region("add", 0, 9, 1));
  EXPECT_THAT(outline(statistics),
              ElementsAre("layer 0 x1", "  add x1", "layer 1 x1", "  add x1", "add x1"));
}

TEST(Statistics, FoldsRegionOfSeveralExecs) {
  OfReplays<Statistics> statistics(plenty);
  Sample first(0), second(0);
  statistics.add(first.exec(1, 1).region("add", 0, 0, 1));
  statistics.add(second.exec(2, 2).region("add", 0, 0, 1));
  EXPECT_THAT(outline(statistics), ElementsAre("add x2"));
  EXPECT_EQ(statistics.replays().graphs(), 2U);
  EXPECT_EQ(statistics.replays().execs(), 2U);
  EXPECT_EQ(statistics.replays().count(), 2U);
}

TEST(Statistics, CountsRepeatsInOneReplay) {
  // Each execution of a region that repeats in one replay counts.
  OfReplays<Statistics> statistics(plenty);
  Sample sample;
  statistics.add(sample.region("add", 0, 0, 10'000).region("add", 0, 50'000, 20'000));
  EXPECT_EQ(find(statistics, "add").durations.count(), 2U);
  EXPECT_DOUBLE_EQ(find(statistics, "add").percentOfReplay(), 30) << "30 of 100 us";
}

TEST(Statistics, ColdReplaysAreOnlyCounted) {
  // They are kept out of the times.
  OfReplays<Statistics> statistics(plenty);
  Sample cold(0), warm(1);
  statistics.add(cold.cold().region("add", 0, 0, 900'000).region("once", 0, 0, 1));
  statistics.add(warm.region("add", 0, 0, 1'000));
  EXPECT_THAT(outline(statistics), ElementsAre("add x1", "once x1 cold"));
  EXPECT_EQ(find(statistics, "add").durations.maxNs(), 1'000);
  EXPECT_EQ(statistics.replays().count(), 2U);
  EXPECT_EQ(statistics.replays().cold(), 1U);
  EXPECT_EQ(statistics.replays().lengths().shown().count(), 1U);
}

// What is around them is not longer than its iterations, neither in times nor in shares.
TEST(Statistics, AllIterationsAreCold) {
  // A cold replay is cold in all its iterations.
  OfReplays<Statistics> statistics(plenty);
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    Sample sample(replay);
    sample.region("solve", 0, 0, 90'000);
    for (std::int64_t i = 0; i < 8; ++i)
      sample.region("smooth", 1, 10'000 * i, 10'000).iteration(i);
    statistics.add(replay == 0 ? sample.cold() : sample);
  }
  EXPECT_THAT(outline(statistics), ElementsAre("solve x2", "  smooth x16"));
  EXPECT_EQ(find(statistics, "solve").durations.sumNs(), 180'000);
  EXPECT_EQ(find(statistics, "smooth").durations.sumNs(), 160'000);
  EXPECT_DOUBLE_EQ(find(statistics, "solve").percentOfReplay(), 90);
  EXPECT_DOUBLE_EQ(find(statistics, "smooth").percentOfReplay(), 80);
}

TEST(Statistics, OnlyColdStandsApart) {
  // What ran in cold replays only stands apart, inside what is around it.
  OfReplays<Statistics> statistics(plenty);
  Sample prefill(0), cold(0), warm(1);
  statistics.add(
      prefill.exec(1, 1).cold().region("model", 0, 0, 80'000).region("prompt", 1, 0, 40'000));
  statistics.add(
      cold.exec(2, 2).cold().region("model", 0, 0, 60'000).region("token", 1, 0, 50'000));
  statistics.add(warm.exec(2, 2).region("model", 0, 0, 10'000).region("token", 1, 0, 9'000));
  EXPECT_THAT(outline(statistics),
              ElementsAre("model x1", "  token x1", "model x2 cold", "  prompt x1 cold"));
  const RegionStatistics &prompt = find(statistics, "prompt");
  EXPECT_EQ(prompt.durations.sumNs(), 40'000);
  EXPECT_DOUBLE_EQ(prompt.percentOfReplay(), 20) << "of two cold replays";
}

TEST(Statistics, CountsUnmeasuredApart) {
  OfReplays<Statistics> statistics(plenty);
  Sample sample;
  statistics.add(sample.region("add", 0, 0, -1).region("add", 0, 0, 5));
  EXPECT_EQ(find(statistics, "add").durations.count(), 1U);
  EXPECT_EQ(find(statistics, "add").durations.minNs(), 5);
  EXPECT_EQ(find(statistics, "add").notMeasured, 1U);
}

TEST(Statistics, ShareIsOfMeasuredReplays) {
  // Of those in which the region was measured.
  OfReplays<Statistics> statistics(plenty);
  Sample first(0), second(1);
  statistics.add(first.region("always", 0, 0, 50'000).region("seldom", 0, 50'000, 25'000));
  statistics.add(second.region("always", 0, 0, 50'000).region("seldom", 0, 0, -1));
  EXPECT_DOUBLE_EQ(find(statistics, "always").percentOfReplay(), 50);
  EXPECT_DOUBLE_EQ(find(statistics, "seldom").percentOfReplay(), 25);
}

TEST(Statistics, BranchSharesOuterReplays) {
  // A branch's share is of the replays of what is around it, taken or not.
  OfReplays<Statistics> statistics(plenty);
  Sample skipped(0), taken(1);
  statistics.add(skipped.region("solve", 0, 0, 10'000));
  statistics.add(taken.region("solve", 0, 0, 90'000).region("branch", 1, 0, 80'000).iteration(0));
  EXPECT_DOUBLE_EQ(find(statistics, "solve").percentOfReplay(), 50);
  EXPECT_DOUBLE_EQ(find(statistics, "branch").percentOfReplay(), 40);
}

TEST(Statistics, OverlapHasShareOnce) {
  // What runs side by side under one name has its share once.
  OfReplays<Statistics> statistics(plenty);
  Sample sample;
  statistics.add(sample.region("both", 0, 0, 80'000).region("both", 0, 20'000, 80'000));
  EXPECT_DOUBLE_EQ(find(statistics, "both").percentOfReplay(), 100);
}

TEST(Statistics, UnknownSpanGivesNoShare) {
  // Nor is there a share without a replay.
  OfReplays<Statistics> statistics(plenty);
  Sample unreached(0), eager = Sample::outsideGraphs();
  statistics.add(unreached.region("add", 0, 0, 5).span(INT64_MIN, 5));
  statistics.add(eager.region("upload", 0, 0, 5, Clock::Event));
  EXPECT_LT(find(statistics, "add").percentOfReplay(), 0);
  EXPECT_LT(find(statistics, "upload").percentOfReplay(), 0);
  EXPECT_EQ(statistics.outsideGraphs(), 1U);
}

TEST(Statistics, OrdersGraphEagerHost) {
  // Regions of graphs, those outside and those of the host are kept apart, in this order.
  OfReplays<Statistics> statistics(plenty);
  Sample host = Sample::outsideGraphs(), eager = Sample::outsideGraphs(), graph(0);
  statistics.add(host.region("add", 0, 0, 1, Clock::Host));
  statistics.add(eager.region("add", 0, 0, 1, Clock::Event));
  statistics.add(graph.region("add", 0, 0, 1));
  EXPECT_THAT(outline(statistics), ElementsAre("add x1", "add x1 eager", "add x1 host"));
}

TEST(Statistics, DeviceRegionLeavesHostRegion) {
  // A device region inside a host region stands with the device regions.
  OfReplays<Statistics> statistics(plenty);
  Sample group = Sample::outsideGraphs();
  statistics.add(group.region("step", 0, 0, 9, Clock::Host)
                     .region("copy", 1, 0, 5, Clock::Event)
                     .region("wait", 2, 0, 1, Clock::Host)
                     .region("part", 2, 1, 1, Clock::Event));
  EXPECT_THAT(outline(statistics),
              ElementsAre("copy x1 eager", "  part x1 eager", "step x1 host", "  wait x1 host"));
}

TEST(Statistics, DepthWithoutParentsIsOutermost) {
  OfReplays<Statistics> statistics(plenty);
  Sample sample;
  statistics.add(sample.region("inner", 3, 0, 1).region("odd", -2, 0, 1));
  EXPECT_THAT(outline(statistics), ElementsAre("inner x1", "odd x1"));
}

TEST(Statistics, SamplesBeyondBoundMakeHistograms) {
  // Quantiles are those of histograms then.
  OfReplays<Statistics> statistics(10);
  for (std::uint64_t i = 0; i < 100; ++i) {
    Sample sample(i);
    statistics.add(sample.region("a", 0, 0, 5'000).region("b", 0, 0, 7'000));
  }
  std::size_t kept = 0;
  for (const RegionStatistics *region : statistics.regions()) {
    kept += region->durations.kept();
    EXPECT_EQ(region->durations.count(), 100U);
  }
  EXPECT_LE(kept, 10U);
  EXPECT_EQ(find(statistics, "a").durations.quantileNs(0.5), 5'000);
}

TEST(Statistics, RegionsBeyondBoundAreCounted) {
  // Their records are, with those inside.
  OfReplays<Statistics> statistics(plenty);
  for (std::size_t i = 0; i < Statistics::maxRegions - 1; ++i) {
    Sample sample;
    statistics.add(sample.region("region " + std::to_string(i), 0, 0, 1));
  }
  Sample last, beyond;
  statistics.add(last.region("inner", 0, 0, 1));
  EXPECT_EQ(statistics.leftOut(), 0U);
  statistics.add(
      beyond.region("region 0", 0, 0, 1).region("new", 0, 0, 1).region("inner", 1, 0, 1));
  EXPECT_EQ(statistics.leftOut(), 2U);
  EXPECT_EQ(find(statistics, "region 0").durations.count(), 2U);
  EXPECT_EQ(find(statistics, "inner").durations.count(), 1U) << "not the one inside another region";
}

// Whatever computes beside a copy arrives later than it, but not much later.
TEST(Statistics, FindsOverlapOfManyCopies) {
  OfReplays<Statistics> statistics(plenty);
  constexpr std::int64_t copies = 5'000, apartNs = 1'000'000; // a replay comes each millisecond
  for (std::int64_t i = 0; i < copies; ++i) {
    Sample copy = Sample::outsideGraphs(i * apartNs), graph(static_cast<std::uint64_t>(i));
    statistics.add(copy.stream(8).copy("h2d", 75'000, 100'000, 1'000));
    statistics.add(graph.region("add", 0, 0, 25'000));
  }
  statistics.finish();
  const RegionStatistics &copy = find(statistics, "h2d");
  EXPECT_TRUE(copy.isCopy);
  EXPECT_DOUBLE_EQ(copy.percentOverlapped(), 25);
  EXPECT_DOUBLE_EQ(copy.gigabytesPerSecond(), 0.01);
  EXPECT_LT(find(statistics, "add").percentOverlapped(), 0);
}

} // namespace
