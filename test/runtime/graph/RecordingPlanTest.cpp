// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which launches are recorded, and how much of a graph: by a plan that is told, for each launch,
// what its replay took, as if a GPU had run it.

#include "graph/launch/RecordingPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace graphprof {
namespace {

// A graph that takes `untimedNs`. Recording costs `replayNs`, before the replay begins, and
// `regionsNs` for all regions. To stamp the ends of a part's kernels, too, costs `endsNs` during
// the replay and `behindEndsNs` before the next one begins.
struct Workload {
  std::int64_t untimedNs, replayNs, regionsNs, endsNs = 0, behindEndsNs = 0;

  [[nodiscard]] std::int64_t regionsNsOf(const Take &take) const {
    switch (take.what) {
    case Take::What::Nothing:
    case Take::What::Bare:
      return 0;
    case Take::What::Part:
      return regionsNs / take.parts + (take.ends == OwnEnds::None ? 0 : endsNs);
    case Take::What::Whole:
    case Take::What::Twins:
      return regionsNs;
    }
    return 0;
  }
};

// How long a launch's replay is of its own, by `untimedNs`.
using Length = double (*)(std::uint64_t launch);

struct Launched {
  std::vector<Take> takes;
  std::int64_t costNs = 0, mostNs = 0; // most: of one replay

  [[nodiscard]] std::size_t count(Take::What what) const {
    return static_cast<std::size_t>(std::ranges::count(takes, what, &Take::what));
  }
  [[nodiscard]] std::size_t countEnds() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(takes, [](const Take &take) { return take.ends != OwnEnds::None; }));
  }
  [[nodiscard]] double costOf(const Workload &workload) const {
    return static_cast<double>(costNs) /
           static_cast<double>(static_cast<std::int64_t>(takes.size()) * workload.untimedNs);
  }
};

// A device that runs launches back to back.
struct Device {
  RecordingPlan &plan;
  std::int64_t nowNs = 1'000'000;
  std::uint64_t number = 0;

  Launched launch(const Workload &workload, std::size_t count, Length length = nullptr) {
    Launched launched;
    for (std::size_t i = 0; i < count; ++i, ++number) {
      const Take take = plan.next(number);
      const bool isRecorded = take.what != Take::What::Nothing;
      const std::int64_t beginNs = nowNs + (isRecorded ? workload.replayNs : 0),
                         ownNs = length ? std::llround(static_cast<double>(workload.untimedNs) *
                                                       length(number))
                                        : workload.untimedNs,
                         endNs = beginNs + ownNs + workload.regionsNsOf(take);
      if (isRecorded)
        plan.observe({take, number, 1, number == 0, beginNs, endNs});
      launched.takes.push_back(take);
      const std::int64_t nextNs = endNs + (take.ends == OwnEnds::None ? 0 : workload.behindEndsNs),
                         costNs = nextNs - nowNs - ownNs;
      launched.costNs += costNs;
      launched.mostNs = std::max(launched.mostNs, costNs);
      nowNs = nextNs;
    }
    return launched;
  }
};

constexpr Workload decodeStep = {2'000'000, 1'000, 180'000};

TEST(RecordingPlan, RecordsEverythingWithoutBudget) {
  RecordingBudget budget({});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  EXPECT_EQ(100U, device.launch(decodeStep, 100).count(Take::What::Whole));
  EXPECT_FALSE(plan.samples());
}

TEST(RecordingPlan, SplitsByReplaysCost) {
  // It splits so that no replay costs more.
  RecordingBudget budget({.fraction = 0.01});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  const Launched first = device.launch(decodeStep, 420); // measured with whole replays
  EXPECT_GE(first.count(Take::What::Whole), 5U);
  EXPECT_GE(first.count(Take::What::Bare), 5U);
  const Launched then = device.launch(decodeStep, 1'000);
  EXPECT_EQ(0U, then.count(Take::What::Whole));
  EXPECT_LE(then.mostNs, 20'000);
  EXPECT_GT(then.count(Take::What::Part), 800U) << "every launch is recorded, in parts";
}

TEST(RecordingPlan, RecordsAllPartsEquallyOften) {
  RecordingBudget budget({.parts = 7});
  RecordingPlan plan(budget, 3);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  std::map<std::uint32_t, int> seen;
  std::vector<std::uint32_t> turns;
  for (const Take &take : device.launch(decodeStep, 700).takes) {
    ASSERT_EQ(Take::What::Part, take.what);
    ASSERT_EQ(7U, take.parts);
    ++seen[take.part];
    turns.push_back(take.part);
  }
  ASSERT_EQ(7U, seen.size());
  for (const auto &[part, count] : seen)
    EXPECT_EQ(100, count) << part;
  EXPECT_NE(std::vector(turns.begin(), turns.begin() + 7),
            std::vector(turns.begin() + 7, turns.begin() + 14))
      << "the turns are not always the same";
}

// Some turns stamp ends. The others are as they would be without.
TEST(RecordingPlan, StampsEndsInTurnsOfTheirOwn) {
  RecordingBudget budget({.parts = 3});
  RecordingPlan plan(budget, 3);
  plan.begin({1'000, 180'000}, true, true);
  Device device{plan};
  std::map<std::uint32_t, int> ordinary;
  std::map<std::pair<std::uint32_t, OwnEnds>, int> ends;
  for (const Take &take : device.launch(decodeStep, 72 + 8 * 48).takes)
    if (take.ends == OwnEnds::None)
      ++ordinary[take.part];
    else
      ++ends[{take.part, take.ends}];
  ASSERT_EQ(6U, ends.size()) << "two halves of each part";
  for (const auto &[half, count] : ends)
    EXPECT_EQ(6 + 8, count) << half.first;
  for (const auto &[part, count] : ordinary)
    EXPECT_EQ((36 + 7 * 48) / 3, count) << part;
}

// They count as others do: on average, replays cost no more than the budget.
TEST(RecordingPlan, BudgetCountsReplaysThatStampEnds) {
  for (const Workload &workload : {Workload{2'000'000, 1'000, 180'000, 60'000},
                                   Workload{2'000'000, 1'000, 180'000, 0, 60'000}}) {
    SCOPED_TRACE(workload.endsNs > 0 ? "the replay is longer" : "the next one begins later");
    RecordingBudget budget({.fraction = 0.01});
    RecordingPlan plan(budget, 1);
    plan.begin({1'000, 180'000}, true, true);
    Device device{plan};
    device.launch(workload, 2'000);
    const Launched then = device.launch(workload, 50'000);
    EXPECT_LE(then.costOf(workload), 0.01);
    EXPECT_GT(then.countEnds(), 500U) << "what is allowed is made use of";
    EXPECT_EQ(0U, then.count(Take::What::Whole));
    EXPECT_GT(then.count(Take::What::Part), 40'000U) << "every launch, but for what is compared";
    EXPECT_LE(budget.choices().spent, 0.01);
    EXPECT_GE(budget.choices().spent, then.costOf(workload) - 0.0005);
  }
}

TEST(RecordingPlan, StampsEndsAsEverIfThatCostsLittle) {
  RecordingBudget budget({.fraction = 0.01});
  constexpr Workload workload = {2'000'000, 1'000, 180'000, 2'000};
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true, true);
  Device device{plan};
  device.launch(workload, 2'000);
  const Launched then = device.launch(workload, 8'000);
  EXPECT_NEAR(static_cast<double>(then.count(Take::What::Part)) / 8,
              static_cast<double>(then.countEnds()), 100)
      << "but not where launches are compared";
}

// Until it is known what they cost, there are few; and all of one half, the first of which is cold.
TEST(RecordingPlan, StampsFewEndsBeforeCostIsKnown) {
  RecordingBudget budget({.fraction = 0.01});
  constexpr Workload workload = {2'000'000, 1'000, 180'000, 1'000'000};
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true, true);
  Device device{plan};
  const Launched first = device.launch(workload, 700);
  EXPECT_GE(first.countEnds(), 6U);
  EXPECT_LE(first.countEnds(), 8U);
  const Launched then = device.launch(workload, 100'000);
  EXPECT_LE(then.costOf(workload), 0.01) << "dear ones come seldom";
  EXPECT_GT(then.countEnds(), 0U);
}

// A half without kernels whose ends can be stamped is recorded as an ordinary part, and tells
// nothing.
TEST(RecordingPlan, AnotherHalfTellsWhatEndsCost) {
  RecordingBudget budget({.fraction = 0.01});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true, true);
  std::set<std::pair<std::uint32_t, OwnEnds>> halves;
  std::int64_t nowNs = 1'000'000;
  for (std::uint64_t number = 0; number < 5'000; ++number) {
    Take take = plan.next(number);
    if (take.ends != OwnEnds::None)
      halves.emplace(take.part, take.ends);
    if (take.part == 0)
      take.ends = OwnEnds::None;
    const std::int64_t beginNs = nowNs + 1'000;
    nowNs = beginNs + 2'000'000 + decodeStep.regionsNsOf(take);
    if (take.what != Take::What::Nothing)
      plan.observe({take, number, 1, number == 0, beginNs, nowNs});
  }
  EXPECT_GT(halves.size(), 8U) << "once it is known, all come";
}

// Where parts cost more than the budget, fewer launches are recorded; and still fewer for the sake
// of those that stamp ends.
TEST(RecordingPlan, SampledPartsCountEnds) {
  constexpr Workload workload = {2'000'000, 1'000, 180'000, 300'000};
  RecordingBudget budget({.fraction = 0.01, .parts = 4});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true, true);
  Device device{plan};
  device.launch(workload, 5'000);
  const Launched then = device.launch(workload, 100'000);
  EXPECT_LE(then.costOf(workload), 0.0105);
  EXPECT_GT(then.countEnds(), 100U);
  EXPECT_GT(then.count(Take::What::Part), 1'000U);
}

// Begin and end alone cost more than is allowed, so fewer replays are recorded.
TEST(RecordingPlan, SamplesIfNoPartIsCheap) {
  RecordingBudget budget({.fraction = 0.01});
  constexpr Workload shortGraph = {10'000, 1'000, 500};
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 500}, true);
  Device device{plan};
  device.launch(shortGraph, 1'000);
  const Launched then = device.launch(shortGraph, 100'000);
  const double cost = then.costOf(shortGraph);
  EXPECT_LE(cost, 0.011);
  EXPECT_GE(cost, 0.004) << "what is allowed is made use of";
}

// What no replay's own times show: the program's next replay begins later.
TEST(RecordingPlan, SeesCostBeforeReplay) {
  RecordingBudget budget({.fraction = 0.01});
  constexpr Workload lanes = {60'000, 5'000, 1'000};
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 1'000}, true);
  Device device{plan};
  device.launch(lanes, 1'000);
  const Launched then = device.launch(lanes, 100'000);
  EXPECT_LE(then.costOf(lanes), 0.012);
  EXPECT_GE(then.costOf(lanes), 0.005);
  EXPECT_EQ(0U, then.count(Take::What::Part)) << "a part costs nearly as much as the whole";
}

TEST(RecordingPlan, SamplesOneLaunchInSoMany) {
  RecordingBudget budget({.every = 100});
  RecordingPlan plan(budget, 9);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  const Launched launched = device.launch(decodeStep, 100'000);
  EXPECT_NEAR(1'000, static_cast<double>(launched.count(Take::What::Whole)), 100);
  EXPECT_EQ(Take::What::Whole, launched.takes.front().what) << "a rare exec has a sample";
}

// The ranks of a job wait for each other: one that records makes all wait.
TEST(RecordingPlan, RanksTakeSameTurns) {
  RecordingBudget budget({.fraction = 0.001});
  std::vector<std::set<std::size_t>> recorded;
  for (const std::int64_t regionsNs : {150'000, 180'000, 400'000}) {
    const Workload workload = {2'000'000, 1'000, regionsNs};
    RecordingPlan plan(budget, 5);
    plan.begin({1'000, regionsNs}, false);
    Device device{plan};
    const std::vector<Take> takes = device.launch(workload, 200'000).takes;
    recorded.emplace_back();
    for (std::size_t i = 1'000; i < takes.size(); ++i)
      if (takes[i].what == Take::What::Whole)
        recorded.back().insert(i);
  }
  EXPECT_EQ(recorded[0], recorded[1]) << "the same number of launches a turn";
  EXPECT_GT(recorded[1].size(), recorded[2].size());
  std::size_t shared = 0;
  for (const std::size_t launch : recorded[2])
    shared += recorded[1].count(launch);
  EXPECT_GT(shared, recorded[2].size() * 8 / 10) << "but for what is compared again";
}

// Programs have patterns of their own.
template <std::uint64_t period> double everySlow(std::uint64_t launch) {
  return launch % period == 0 ? 2 : 1;
}
double atRandom(std::uint64_t launch) {
  const std::uint64_t bits = (launch + 1) * 0x9E3779B97F4A7C15U;
  return (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9U >> 63 == 0 ? 1 : 2;
}
double ofAnyLength(std::uint64_t launch) {
  const std::uint64_t bits = (launch + 1) * 0x9E3779B97F4A7C15U;
  return 0.5 + std::ldexp(static_cast<double>((bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9U), -64);
}
struct Pattern {
  const char *name;
  Length length;
};
constexpr Pattern patterns[] = {
    {"every second slow", everySlow<2>}, {"every third slow", everySlow<3>},
    {"every fourth slow", everySlow<4>}, {"every eighth slow", everySlow<8>},
    {"slow at random", atRandom},        {"of any length", ofAnyLength}};

struct Terms {
  const char *name;
  BudgetTerms terms;
  Workload workload;
};
constexpr Workload layers = {164'000, 1'000, 3'000, 2'000};
constexpr Terms ways[] = {{"in four parts", {.parts = 4}, layers},
                          {"one in ten", {.every = 10}, layers},
                          {"one in eight, in three parts", {.every = 8, .parts = 3}, layers},
                          {"budget of parts", {.fraction = 0.01}, layers},
                          {"budget of samples", {.fraction = 0.001}, layers}};

// By part, the launches that have records.
std::map<std::uint32_t, std::vector<std::size_t>> samplesOf(const std::vector<Take> &takes) {
  std::map<std::uint32_t, std::vector<std::size_t>> samples;
  for (std::size_t i = 0; i < takes.size(); ++i)
    if (takes[i].isSample && takes[i].ends == OwnEnds::None &&
        (takes[i].what == Take::What::Part || takes[i].what == Take::What::Whole))
      samples[takes[i].what == Take::What::Whole ? 100 : takes[i].part].push_back(i);
  return samples;
}

// What is recorded is a fair sample of what ran, whatever the program's pattern is: of 20 means,
// one may be off by more than two standard errors.
TEST(RecordingPlan, SamplesAreFairWhateverThePattern) {
  for (const auto &[way, terms, workload] : ways)
    for (const auto &[name, length] : patterns) {
      SCOPED_TRACE(std::string(way) + ", " + name);
      constexpr std::size_t launches = 8'000;
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < launches; ++i) {
        mean += length(i) / launches;
        square += length(i) * length(i) / launches;
      }
      const double deviation = std::sqrt(square - mean * mean);
      int means = 0, off = 0;
      double worst = 0, sum = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        RecordingBudget budget(terms);
        RecordingPlan plan(budget, seed);
        plan.begin({1'000, 3'000}, true, true);
        Device device{plan};
        for (const auto &[part, samples] :
             samplesOf(device.launch(workload, launches, length).takes)) {
          if (samples.size() < 10)
            continue;
          double own = 0;
          for (const std::size_t launch : samples)
            own += length(launch) / static_cast<double>(samples.size());
          const double errors =
              (own - mean) / deviation * std::sqrt(static_cast<double>(samples.size()));
          ++means;
          off += std::abs(errors) > 2 ? 1 : 0;
          worst = std::max(worst, std::abs(errors));
          sum += errors;
        }
      }
      EXPECT_GE(means, 4);
      EXPECT_LE(off, 2 + means / 10) << "of " << means;
      EXPECT_LT(worst, 4.5);
      EXPECT_LT(std::abs(sum) / std::sqrt(means), 3.5) << "none is off in one direction for ever";
    }
}

// A pattern is no price: about as many launches are recorded as without.
TEST(RecordingPlan, PatternsAreNoPrice) {
  const auto recorded = [](const Terms &way, std::uint64_t seed, Length length) {
    RecordingBudget budget(way.terms);
    RecordingPlan plan(budget, seed);
    plan.begin({1'000, 3'000}, true, true);
    Device device{plan};
    std::size_t count = 0;
    for (const auto &[part, samples] : samplesOf(device.launch(way.workload, 4'000, length).takes))
      count += samples.size();
    return static_cast<double>(count);
  };
  for (const Terms &way : ways)
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const double without = recorded(way, seed, nullptr);
      EXPECT_GT(without, 100) << way.name;
      for (const auto &[name, length] : patterns) {
        SCOPED_TRACE(std::string(way.name) + ", " + name);
        const double with = recorded(way, seed, length);
        EXPECT_GT(with, 0.8 * without);
        EXPECT_LT(with, 2.2 * without) << "longer replays may cost more";
      }
    }
}

// Where a price shows among replays of two lengths, it is seen.
TEST(RecordingPlan, SeesPriceBehindPattern) {
  constexpr Workload dear = {2'000'000, 1'000, 180'000};
  for (const auto &[name, length] : patterns) {
    if (length == Length(ofAnyLength))
      continue; // 9 % do not show in 50 lengths between 0.5 and 1.5
    SCOPED_TRACE(name);
    RecordingBudget budget({.fraction = 0.001});
    RecordingPlan plan(budget, 1);
    plan.begin({1'000, 1'000}, true); // it assumes that recording costs little
    Device device{plan};
    device.launch(dear, 2'000, length);
    const Launched then = device.launch(dear, 50'000, length);
    EXPECT_LE(then.costOf(dear), 0.0015);
    EXPECT_GE(then.costOf(dear), 0.0004);
  }
}

// Every tenth launch is of another kind: neither always nor never recorded.
TEST(RecordingPlan, MeetsNoPeriod) {
  RecordingBudget budget({.every = 10});
  RecordingPlan plan(budget, 9);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  const std::vector<Take> takes = device.launch(decodeStep, 100'000).takes;
  std::map<std::size_t, int> byPhase;
  for (std::size_t i = 0; i < takes.size(); ++i)
    if (takes[i].what == Take::What::Whole)
      ++byPhase[i % 10];
  ASSERT_EQ(10U, byPhase.size());
  for (const auto &[phase, count] : byPhase)
    EXPECT_NEAR(1'000, count, 250) << phase;
}

TEST(RecordingPlan, SamplesUnsplittableWhole) {
  RecordingBudget budget({.fraction = 0.01});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, false);
  Device device{plan};
  device.launch(decodeStep, 1'000);
  const Launched then = device.launch(decodeStep, 50'000);
  EXPECT_EQ(0U, then.count(Take::What::Part) + then.count(Take::What::Bare));
  const double cost = then.costOf(decodeStep);
  EXPECT_LE(cost, 0.012);
  EXPECT_GE(cost, 0.004);
}

TEST(RecordingPlan, FollowsWhatRecordingCosts) {
  RecordingBudget budget({.fraction = 0.001});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  device.launch(decodeStep, 2'000);
  constexpr Workload dearer = {2'000'000, 1'000, 720'000};
  device.launch(dearer, 100'000); // it notices
  const Launched then = device.launch(dearer, 100'000);
  const double cost = then.costOf(dearer);
  EXPECT_LE(cost, 0.0012);
}

TEST(RecordingPlan, FollowsNewTerms) {
  RecordingBudget budget({});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true);
  Device device{plan};
  EXPECT_EQ(10U, device.launch(decodeStep, 10).count(Take::What::Whole));
  budget.set({.every = 1'000'000});
  EXPECT_EQ(1U, device.launch(decodeStep, 100).count(Take::What::Whole));
  budget.exempt(true);
  EXPECT_EQ(100U, device.launch(decodeStep, 100).count(Take::What::Whole));
  budget.exempt(false);
  EXPECT_EQ(1U, device.launch(decodeStep, 100).count(Take::What::Whole));
}

TEST(RecordingPlan, PostponesToTheNextLaunch) {
  RecordingBudget budget({.every = 1'000'000});
  RecordingPlan plan(budget, 1);
  plan.begin({1'000, 180'000}, true);
  ASSERT_EQ(Take::What::Whole, plan.next(0).what);
  plan.postpone();
  EXPECT_TRUE(plan.takesNext());
  EXPECT_EQ(Take::What::Whole, plan.next(1).what);
}

} // namespace
} // namespace graphprof
