// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/TableRows.h"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::OfReplays;
using graphprof::test::Sample;

namespace {

constexpr std::size_t plenty = 1'000'000;
constexpr RowChoice short_ = {.fold = true, .longestFirst = true};

// Each row of regions as "DEPTH NAME xREGIONS TOTAL", with the share if it is asked for.
std::vector<std::string> rowsOf(const Statistics &statistics, const RowChoice &choice,
                                bool shares = false) {
  std::vector<std::string> rows;
  for (const TableRow &row : tableRows(statistics, choice)) {
    if (row.isOutside)
      continue;
    rows.push_back(fmt::format("{} {} x{} {}", row.depth, row.isRest ? "rest" : row.name,
                               row.regions, row.durations->sumNs()));
    if (shares)
      rows.back() += fmt::format(" {:.0f}%", row.percentOfReplay);
  }
  return rows;
}
using Rows = std::vector<std::string>;

TEST(TableRows, NumbersInNamesFold) {
  // Regions of one site that differ in numbers only share a row, and so do those inside.
  OfReplays<Statistics> statistics(plenty);
  Sample sample(1);
  statistics.add(sample.region("layer 0", 0, 0, 20'000)
                     .region("gemm", 1, 0, 5'000)
                     .region("layer 1", 0, 20'000, 30'000)
                     .region("gemm", 1, 20'000, 6'000)
                     .region("head", 0, 60'000, 10'000));
  EXPECT_EQ(rowsOf(statistics, short_, true),
            (Rows{"0 layer {} x2 50000 50%", "1 gemm x2 11000 11%", "0 head x1 10000 10%"}));
  EXPECT_EQ(rowsOf(statistics, {.fold = false, .longestFirst = false}),
            (Rows{"0 layer 0 x1 20000", "1 gemm x1 5000", "0 layer 1 x1 30000", "1 gemm x1 6000",
                  "0 head x1 10000"}));
}

TEST(TableRows, OutsideIsLastOfItsPlace) {
  // What no region holds is a row behind those of replays, however many regions are side by side.
  OfReplays<Statistics> statistics(plenty);
  for (int i = 0; i < 2; ++i) {
    Sample sample(1);
    statistics.add(sample.region("one", 0, 0, 20'000)
                       .region("inner", 1, 0, 5'000)
                       .region("beside", 0, 10'000, 20'000)
                       .region("last", 0, 60'000, 10'000));
  }
  const std::vector<TableRow> rows = tableRows(statistics, short_);
  ASSERT_EQ(rows.size(), 5U);
  const TableRow &outside = rows.back();
  EXPECT_TRUE(outside.isOutside);
  EXPECT_EQ(outside.place, Place::Graph);
  EXPECT_DOUBLE_EQ(outside.percentOfReplay, 60); // of 100 us
  EXPECT_EQ(outside.durations->count(), 2U);
  EXPECT_EQ(outside.durations->sumNs(), 120'000);
  EXPECT_EQ(outside.durations->meanNs(), 60'000);
}

TEST(TableRows, OverlapCountsOnceInShare) {
  // Regions of one row that run side by side count once in its share.
  OfReplays<Statistics> statistics(plenty);
  Sample sample(1);
  statistics.add(sample.region("stream 0", 0, 0, 40'000).region("stream 1", 0, 10'000, 40'000));
  EXPECT_EQ(rowsOf(statistics, short_, true), (Rows{"0 stream {} x2 80000 50%"}));
}

TEST(TableRows, KernelNumbersDoNotFold) {
  // Nodes of one name share a row, but kernels that differ in numbers do not.
  OfReplays<Statistics> statistics(plenty);
  Sample sample(1);
  statistics.add(sample.region("gemm<64>", 0, 0, 1'000)
                     .kind(Kind::Kernel)
                     .region("gemm<64>", 0, 1'000, 2'000)
                     .kind(Kind::Kernel)
                     .region("gemm<128>", 0, 3'000, 5'000)
                     .kind(Kind::Kernel));
  EXPECT_EQ(rowsOf(statistics, short_), (Rows{"0 gemm<128> x1 5000", "0 gemm<64> x2 3000"}));
}

TEST(TableRows, LongestAndRestAreShown) {
  // The longest with those around them, and the rest, added up once.
  OfReplays<Statistics> statistics(plenty);
  Sample sample(1);
  statistics.add(sample.region("a", 0, 0, 10'000)
                     .region("inside a", 1, 0, 9'000)
                     .region("b", 0, 10'000, 40'000)
                     .region("inside b", 1, 10'000, 30'000)
                     .region("c", 0, 50'000, 5'000));
  EXPECT_EQ(rowsOf(statistics, {.fold = true, .longestFirst = true, .most = 3}),
            (Rows{"0 b x1 40000", "1 inside b x1 30000", "0 a x1 10000", "0 rest x2 14000"}));
}

TEST(TableRows, WarmAndColdStayApart) {
  OfReplays<Statistics> statistics(plenty);
  Sample warm(1), cold(0);
  statistics.add(cold.cold().region("layer 0", 0, 0, 9'000).region("layer 1", 0, 9'000, 9'000));
  statistics.add(warm.region("layer 0", 0, 0, 1'000));
  EXPECT_EQ(rowsOf(statistics, short_), (Rows{"0 layer 0 x1 1000", "0 layer 1 x1 9000"}));
}

TEST(TableRows, FiguresOfRunsAddUp) {
  Statistics statistics(plenty);
  for (int run = 0; run < 2; ++run) {
    statistics.beginRun();
    Batcher batcher;
    Batch batch;
    Sample other(1), sample(1);
    if (run == 1) // regions have other numbers in another run
      batcher.add(other.region("other", 0, 0, 3'000), batch);
    batcher.add(sample.region("add", 0, 0, 1'000), batch);
    statistics.add(batch);
  }
  statistics.finish();
  EXPECT_EQ(rowsOf(statistics, short_), (Rows{"0 other x1 3000", "0 add x1 2000"}));
  EXPECT_EQ(statistics.replays().graphs(), 2U);
}

TEST(Distribution, AddsExactlyOrInHistogram) {
  // Exactly where there are few samples, and else in a histogram.
  Distribution few, other, many;
  for (std::int64_t i = 1; i <= 3; ++i)
    few.add(i * 1'000);
  other.add(10'000);
  few.add(other);
  EXPECT_TRUE(few.exact());
  EXPECT_EQ(few.count(), 4U);
  EXPECT_EQ(few.sumNs(), 16'000);
  EXPECT_EQ(few.maxNs(), 10'000);
  EXPECT_EQ(few.quantileNs(0.5), 2'500);
  for (std::int64_t i = 0; i < 5'000; ++i)
    many.add(50'000 + i % 100);
  many.add(few);
  EXPECT_FALSE(many.exact());
  EXPECT_EQ(many.count(), 5'004U);
  EXPECT_EQ(many.minNs(), 1'000);
  EXPECT_NEAR(many.quantileNs(0.5), 50'050, 50'050 / 256.0);
  const std::vector<std::uint64_t> parts = many.parts(2, 0, 40'000);
  EXPECT_EQ(parts[0] + parts[1], many.count());
  EXPECT_EQ(parts[0], 4U);
}

} // namespace
