// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/RecordColumns.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using testing::ElementsAre;

namespace {

TEST(RecordColumns, EachOrderHasThemAll) {
  const auto named = [](auto visitEach) {
    std::vector<std::string> names;
    visitEach([&](const auto &column) { names.emplace_back(column.name.view()); });
    std::ranges::sort(names);
    return names;
  };
  const std::vector<std::string> all =
      named([](auto visit) { forEachColumn<ColumnOrder::List>(visit); });
  EXPECT_EQ(all.size(), columns::count);
  EXPECT_EQ(named([](auto visit) { forEachColumn<ColumnOrder::Csv>(visit); }), all);
  EXPECT_EQ(named([](auto visit) { forEachColumn<ColumnOrder::Json>(visit); }), all);
}

TEST(RecordColumns, BelongToOneThing) {
  forEachColumn<ColumnOrder::List>([](const auto &column) {
    using Of = decltype(column);
    const int things = isColumnOf<Of, Batch::Region> + isColumnOf<Of, Replay> +
                       isColumnOf<Of, Batch::Timing> + isColumnOf<Of, Batch::Busy>;
    EXPECT_EQ(things, 1) << column.name.view();
  });
}

TEST(RecordColumns, BusyTimeComesFromTheRecordAndBack) {
  Record record{};
  record.busy_ns = 800;
  record.gap_ns = 950;
  record.busy_replays = 63;
  record.gap_cause = GapCause::Launch;
  const Batch::Busy busy = busyOf(record);
  EXPECT_EQ(busy, (Batch::Busy{800, 950, 63, GapCause::Launch}));
  Record other{};
  setBusy(other, busy);
  EXPECT_EQ(busyOf(other), busy);
  EXPECT_EQ(other.gap_ns, 950);
}

TEST(RecordColumns, WhatIsNotMeasuredHasNoValue) {
  std::vector<std::string> missing;
  forEachColumnOf<Batch::Busy>([&](const auto &column) {
    if (!std::optional(column.value(Batch::Busy{})))
      missing.emplace_back(column.name.view());
  });
  EXPECT_THAT(missing, ElementsAre("busy_ns", "gap_ns", "gap_cause"));
}

} // namespace
