// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceRows.h"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<unsigned> rows(const std::vector<TraceSpan> &spans) { return assignRows(spans); }

TEST(TraceRows, NoSpansNeedNoRows) { EXPECT_THAT(rows({}), IsEmpty()); }

TEST(TraceRows, SuccessiveSpansShareRow) {
  // Spans that follow each other share a row.
  EXPECT_THAT(rows({{0, 10}, {10, 20}, {30, 40}}), ElementsAre(0, 0, 0));
}

TEST(TraceRows, ChildStandsInParentsRow) {
  EXPECT_THAT(rows({{0, 30}, {0, 10, 0}, {10, 30, 0}, {12, 15, 2}}), ElementsAre(0, 0, 0, 0));
}

TEST(TraceRows, OverlappingSpansGetDifferentRows) {
  EXPECT_THAT(rows({{0, 30}, {0, 20, 0}, {10, 30, 0}}), ElementsAre(0, 0, 1));
}

TEST(TraceRows, ConcurrentSpanIsNoPart) {
  // A span during another is not drawn as part of it.
  EXPECT_THAT(rows({{0, 30}, {0, 20, 0}, {5, 10, 0}}), ElementsAre(0, 0, 1));
  EXPECT_THAT(rows({{0, 20}, {0, 20}}), ElementsAre(0, 1));
}

TEST(TraceRows, ChildMayJoinAnotherBranch) {
  // A child may stand in its parent's row beside another branch.

  //   replay 0 | left 1 with child 3 | right 2 with child 4
  EXPECT_THAT(rows({{0, 40}, {0, 30, 0}, {5, 35, 0}, {0, 10, 1}, {6, 9, 2}}),
              ElementsAre(0, 0, 1, 0, 1));
}

TEST(TraceRows, ChildIsNotAboveParent) {
  //   replay 0 | replay 1, which begins during it, with children 2, 3 and 4
  EXPECT_THAT(rows({{0, 10}, {8, 40}, {12, 30, 1}, {14, 20, 1}, {32, 38, 1}}),
              ElementsAre(0, 1, 1, 2, 1));
}

TEST(TraceRows, OutlivingChildGetsOwnRow) {
  // A child that outlives its parent gets a row of its own.
  EXPECT_THAT(rows({{0, 10}, {5, 12, 0}}), ElementsAre(0, 1));
}

TEST(TraceRows, ArrivalOrderDoesNotMatter) {
  EXPECT_THAT(rows({{30, 40}, {10, 20}, {0, 10}}), ElementsAre(0, 0, 0));
}

TEST(TraceRows, FreeRowIsReused) {
  EXPECT_THAT(rows({{0, 20}, {10, 15}, {16, 30}, {40, 50}}), ElementsAre(0, 1, 1, 0));
}

TEST(TraceRows, EmptySpansFindPlace) {
  EXPECT_THAT(rows({{5, 5}, {5, 5, 0}, {5, 5}}), ElementsAre(0, 0, 0));
  EXPECT_THAT(rows({{0, 10}, {10, 10, 0}, {0, 0, 0}}), ElementsAre(0, 0, 0));
}

TEST(TraceRows, SpanNestsInNearest) {
  // A span nests in the nearest one that contains it.
  const auto parents = [](std::vector<TraceSpan> spans) {
    nest(spans);
    std::vector<std::ptrdiff_t> found;
    found.reserve(spans.size());
    for (const TraceSpan &span : spans)
      found.push_back(span.parent);
    return found;
  };
  EXPECT_THAT(parents({{0, 10}, {0, 6}, {2, 4}, {7, 9}}), ElementsAre(-1, 0, 1, 0));
  EXPECT_THAT(parents({{0, 10}, {0, 10}, {10, 12}}), ElementsAre(-1, 0, -1))
      << "what begins where another ends is behind it";
  EXPECT_THAT(parents({{0, 10}, {5, 15}, {6, 8}, {7, 12}}), ElementsAre(-1, -1, 1, 1))
      << "what overlaps contains nothing";
  EXPECT_THAT(parents({}), testing::IsEmpty());
}

TEST(TraceRows, RowsNeverOverlap) {
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed): the same rounds every time
  const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<TraceSpan> spans;
    for (int i = 0; i < 40; ++i) {
      const int begin = upTo(50);
      spans.push_back({begin, begin + upTo(20), upTo(3) ? upTo(i) - 1 : -1});
    }
    const auto row = rows(spans);
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const TraceSpan &a = spans[i], &b = spans[j];
        if (row[i] != row[j])
          continue;
        const bool apart = a.endNs <= b.beginNs || b.endNs <= a.beginNs;
        const bool nested = (a.beginNs <= b.beginNs && b.endNs <= a.endNs) ||
                            (b.beginNs <= a.beginNs && a.endNs <= b.endNs);
        EXPECT_TRUE(apart || nested) << i << " and " << j << " in round " << round;
      }
  }
}

} // namespace
