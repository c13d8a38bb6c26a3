// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What warps of a timed twin wrote becomes times, and spans if an output wants them.

#include "graph/launch/KernelRuns.h"

#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphprof/device/recording.h"

namespace graphprof {

// For messages.
static void PrintTo(const KernelRun::Span &span, std::ostream *out) {
  *out << "row " << span.row << ", warp " << span.warp << ", from " << span.beginNs << " for "
       << span.durationNs;
}

namespace {

using device::scopeEnd;
using testing::ElementsAre;
using testing::SizeIs;

// Of a device whose timer is the host's.
struct Unmapped final : ReplayBuffer {
  bool bind(const ClockNodes &) override { return false; }
  bool bindStamps(std::span<const driver::Node>, std::size_t, std::span<const StampEdge>) override {
    return false;
  }
  bool bindCount(driver::Node, std::size_t, const ReplayBuffer &) override { return false; }
  void attach(const ClockNodes &) override {}
  bool arm(driver::Exec, bool) noexcept override { return false; }
  std::uint64_t launched() noexcept override { return 0; }
  void skip(std::uint64_t) noexcept override {}
  [[nodiscard]] std::uint64_t nextSequence() const override { return 0; }
  bool order(driver::Stream) override { return false; }
  State read(std::uint64_t, std::span<std::int64_t>, std::span<Iterations>) override {
    return State::Lost;
  }
  [[nodiscard]] std::uint64_t depth() const override { return 0; }
  bool finished() override { return true; }
  void retire() override {}
};

// A warp that runs from 1000 ns on for 500 ns, with two cycles a nanosecond. `entries`: at which
// cycle of it, and what.
WarpReading warpWith(std::vector<WarpReading::Entry> entries, unsigned beginClock = 7'000) {
  WarpReading reading;
  reading.beginNs = 1'000;
  reading.endNs = 1'500;
  reading.beginClock = beginClock;
  reading.cycles = 1'000;
  for (WarpReading::Entry &entry : entries)
    entry.time += beginClock;
  reading.entries = std::move(entries);
  return reading;
}

KernelRun runOf(const std::vector<WarpReading> &readings, bool withSpans = true,
                std::size_t lost = 0) {
  InsideOfKernel inside;
  inside.scopes = {{"load", "a.cu", 1}, {"product", "a.cu", 2}};
  KernelRun run;
  run.kernel = std::make_shared<const InsideOfKernel>(std::move(inside));
  Unmapped buffer;
  EXPECT_EQ(lost, addWarps(run, readings, buffer, withSpans));
  EXPECT_EQ(withSpans, run.spans != nullptr);
  return run;
}

auto isSpan(std::uint32_t row, std::uint32_t warp, std::uint32_t beginNs,
            std::uint32_t durationNs) {
  using testing::AllOf;
  using testing::Field;
  return AllOf(Field(&KernelRun::Span::row, row), Field(&KernelRun::Span::warp, warp),
               Field(&KernelRun::Span::beginNs, beginNs),
               Field(&KernelRun::Span::durationNs, durationNs));
}

TEST(KernelRuns, SpansAreThereIfWanted) {
  const std::vector<WarpReading> readings = {
      warpWith({{20, 0}, {120, scopeEnd}, {200, 1}, {300, 0}, {400, scopeEnd}, {900, scopeEnd}})};
  const KernelRun run = runOf(readings);
  ASSERT_THAT(run.rows, SizeIs(3));
  EXPECT_EQ(1U, run.rows[2].parent) << "a region inside another is a row of its own";
  EXPECT_THAT(*run.spans,
              ElementsAre(isSpan(0, 0, 10, 50), isSpan(1, 0, 100, 350), isSpan(2, 0, 150, 50)));
  EXPECT_THAT(runOf(readings, false).times, SizeIs(3));
}

// The lower half of the clock may come around while the warp runs.
TEST(KernelRuns, ClockComesAround) {
  const KernelRun run = runOf({warpWith({{20, 0}, {120, scopeEnd}}, 0xFFFF'FFF0U)});
  EXPECT_THAT(*run.spans, ElementsAre(isSpan(0, 0, 10, 50)));
  EXPECT_EQ(50, run.times.at(0).ns);
}

TEST(KernelRuns, FirstSpansAreKept) {
  std::vector<WarpReading::Entry> entries = {{0, 0}};
  for (unsigned i = 0; i < KernelRun::mostSpansOfWarp + 5; ++i) {
    entries.push_back({i, 1});
    entries.push_back({i, scopeEnd});
  }
  entries.push_back({1'000, scopeEnd});
  const KernelRun run = runOf({warpWith(entries), warpWith({{1, 1}, {3, scopeEnd}})});
  ASSERT_THAT(*run.spans, SizeIs(KernelRun::mostSpansOfWarp + 1));
  EXPECT_THAT(run.spans->front(), isSpan(0, 0, 0, 500)) << "it ends behind those that are not kept";
  EXPECT_THAT(run.spans->back(), isSpan(2, 1, 1, 1));
  EXPECT_EQ(KernelRun::mostSpansOfWarp + 5, run.times.at(1).iterations) << "all are added up";
}

// A warp that is left out has no spans either.
TEST(KernelRuns, LostWarpsHaveNone) {
  WarpReading full = warpWith({{0, 0}, {2, 1}});
  full.beyond = 4;
  const KernelRun run = runOf({full, warpWith({{2, 1}, {4, scopeEnd}}), warpWith({{2, 1}})}, true,
                              2 /* of the first */ + 1);
  EXPECT_THAT(run.warps, SizeIs(1));
  EXPECT_THAT(*run.spans, ElementsAre(isSpan(0, 0, 1, 1)));
}

// The timer may go on in steps that are longer than what warps of a block wait for each other. They
// share a clock.
TEST(KernelRuns, WarpsOfBlockArePlacedByTheirClock) {
  WarpReading first = warpWith({}, 7'000), second = warpWith({}, 7'040),
              third = warpWith({}, 6'990), other = warpWith({}, 7'040);
  third.beginNs = 968; // a step before
  third.endNs = 1'468;
  other.block = 1;
  for (WarpReading *each : {&first, &second, &third, &other})
    each->entries.clear();
  const KernelRun run = runOf({first, second, third, other});
  ASSERT_THAT(run.warps, SizeIs(4));
  EXPECT_EQ(1'000, run.warps[0].beginNs) << "the timer's last step was not after it";
  EXPECT_EQ(1'020, run.warps[1].beginNs);
  EXPECT_EQ(995, run.warps[2].beginNs);
  EXPECT_EQ(1'000, run.warps[3].beginNs) << "another block's";
}

} // namespace
} // namespace graphprof
