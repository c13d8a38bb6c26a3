// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/CriticalPath.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t none = GraphNodes::none;
constexpr std::int64_t originNs = 1'000'000;

// A graph that is put together node by node, with a schedule for it.
class Plan {
public:
  // A kernel of a few blocks. Returns its number.
  std::uint32_t add(std::vector<std::uint32_t> after, std::int64_t durationNs,
                    std::int64_t gapNs = 0) {
    GraphNodes::Node node;
    node.type = "kernel";
    node.after = std::move(after);
    node.blocks = 1;
    node.threads = 32;
    node.resident = 1'000'000;
    node.timed = static_cast<std::uint32_t>(graph->nodes.size());
    graph->nodes.push_back(node);
    durations.push_back(durationNs);
    gaps.push_back(gapNs);
    return node.timed;
  }
  std::uint32_t addEmpty(std::vector<std::uint32_t> after) {
    const std::uint32_t number = add(std::move(after), 0);
    graph->nodes[number].type = "empty";
    graph->nodes[number].timed = none;
    return number;
  }
  GraphNodes::Node &operator[](std::uint32_t node) { return graph->nodes[node]; }

  // When each runs if nothing shares anything: each `gap` after what it waits for. Where an edge is
  // early, it begins a third into what it waits for, and ends at least `tail` behind it.
  [[nodiscard]] std::vector<NodeTimes> times() const {
    constexpr std::int64_t tailNs = 50;
    std::vector<NodeTimes> times(graph->nodes.size());
    for (std::uint32_t i = 0; i < times.size(); ++i) { // edges go to later nodes
      const GraphNodes::Node &node = graph->nodes[i];
      std::int64_t beginNs = originNs, leastEndNs = originNs;
      for (const std::uint32_t before : node.after)
        if (std::ranges::find(node.early, before) == node.early.end()) {
          beginNs = std::max(beginNs, times[before].endNs + gaps[i]);
        } else {
          beginNs = std::max(beginNs, times[before].beginNs + durations[before] / 3);
          leastEndNs = std::max(leastEndNs, times[before].endNs + tailNs);
        }
      times[i] = {beginNs, std::max(beginNs + durations[i], leastEndNs)};
    }
    return times;
  }
  [[nodiscard]] std::int64_t lengthNs() const {
    std::int64_t last = originNs;
    for (const NodeTimes &each : times())
      last = std::max(last, each.endNs);
    return last - originNs;
  }
  [[nodiscard]] CriticalReplay replay() const {
    return CriticalPath(graph).of(times(), originNs, originNs + lengthNs());
  }

  std::shared_ptr<GraphNodes> graph = [] {
    auto made = std::make_shared<GraphNodes>();
    made->multiprocessors = 100;
    return made;
  }();
  std::vector<std::int64_t> durations, gaps;
};

std::vector<std::int64_t> slacks(const CriticalReplay &replay) {
  std::vector<std::int64_t> result;
  for (const CriticalReplay::Node &node : replay.nodes)
    result.push_back(node.why == NoSlack::HasOne ? node.slackNs : -1);
  return result;
}

std::int64_t predictedNs(const Plan &plan, const CriticalReplay &replay,
                         std::span<const double> factors) {
  const auto found = CriticalPath(plan.graph).predicted(replay, factors);
  return found ? found->ns : -1;
}

TEST(CriticalPath, GoesThroughTheLongestWay) {
  Plan plan;
  const auto first = plan.add({}, 100);
  const auto slow = plan.add({first}, 500, 10), fast = plan.add({first}, 200, 10);
  const auto last = plan.add({slow, fast}, 50, 20);
  const CriticalReplay replay = plan.replay();
  EXPECT_THAT(replay.path, ElementsAre(first, slow, last));
  EXPECT_TRUE(replay.isWhole);
  EXPECT_EQ(replay.lengthNs, 680);
  EXPECT_THAT(slacks(replay), ElementsAre(0, 0, 300, 0));
  EXPECT_EQ(replay.nodes[last].waitedFor, slow);
  EXPECT_EQ(replay.nodes[last].gapNs, 20);
  EXPECT_EQ(replay.runningNs, 650);
  EXPECT_EQ(replay.besideNs, 200);
}

TEST(CriticalPath, EqualWaysHaveNoSlack) {
  // One of them is taken.
  Plan plan;
  const auto one = plan.add({}, 100), other = plan.add({}, 100);
  const auto last = plan.add({one, other}, 50);
  const CriticalReplay replay = plan.replay();
  EXPECT_THAT(replay.path, ElementsAre(one, last));
  EXPECT_THAT(slacks(replay), ElementsAre(0, 0, 0));
}

TEST(CriticalPath, ReplayEndsWithLatestNode) {
  // Several nodes may be the last, and the replay ends with the latest.
  Plan plan;
  const auto first = plan.add({}, 100);
  plan.add({first}, 30);
  plan.add({first}, 80);
  EXPECT_THAT(slacks(plan.replay()), ElementsAre(0, 50, 0));
}

TEST(CriticalPath, EmptyNodesHandOnSlack) {
  // So does all that takes no time.
  Plan plan;
  const auto one = plan.add({}, 100), other = plan.add({}, 40);
  const auto join = plan.addEmpty({one, other});
  const auto last = plan.add({join}, 50, 5);
  const CriticalReplay replay = plan.replay();
  EXPECT_THAT(slacks(replay), ElementsAre(0, 60, -1, 0));
  EXPECT_THAT(replay.path, ElementsAre(one, last));
  EXPECT_EQ(replay.nodes[last].waitedFor, one);
}

TEST(CriticalPath, OfOneNodeOrNone) {
  Plan plan;
  EXPECT_THAT(plan.replay().path, IsEmpty());
  plan.add({}, 100);
  EXPECT_THAT(slacks(plan.replay()), ElementsAre(0));
  EXPECT_THAT(plan.replay().path, ElementsAre(0U));
}

TEST(CriticalPath, CycleIsNoOrder) {
  Plan plan;
  plan.add({}, 100);
  plan.add({0}, 100);
  plan[0].after = {1};
  EXPECT_FALSE(CriticalPath(plan.graph).isOrdered());
}

TEST(CriticalPath, MissingTimeLeavesSlackUnknown) {
  // Without a node's time, nothing that leads to it or runs beside it has a slack.
  Plan plan;
  const auto first = plan.add({}, 10);
  const auto unknown = plan.add({first}, 100), beside = plan.add({first}, 20);
  const auto last = plan.add({unknown, beside}, 50);
  std::vector<NodeTimes> times = plan.times();
  times[unknown] = {};
  const CriticalReplay replay = CriticalPath(plan.graph).of(times, originNs, originNs);
  EXPECT_THAT(slacks(replay), ElementsAre(-1, -1, -1, 0));
  EXPECT_FALSE(replay.isWhole);
  EXPECT_THAT(replay.path, ElementsAre(last));
}

TEST(CriticalPath, ConditionalNodeHasNoTime) {
  Plan plan;
  const auto first = plan.add({}, 10);
  const auto loop = plan.add({first}, 100);
  plan[loop].type = "conditional";
  plan[loop].timed = none;
  const auto inside = plan.add({}, 40);
  plan[inside].inside = loop;
  const auto last = plan.add({loop}, 50);
  const CriticalPath path(plan.graph);
  EXPECT_FALSE(path.isWork(inside));
  const CriticalReplay replay = path.of(plan.times(), originNs, originNs);
  EXPECT_EQ(replay.nodes[last].why, NoSlack::HasOne);
  EXPECT_EQ(replay.nodes[first].why, NoSlack::NotMeasured);
}

TEST(CriticalPath, CompetingBranchesHaveNoSlack) {
  // Where branches compete for room, only their section of the graph has no slack.
  Plan plan;
  const auto first = plan.add({}, 10);
  const auto one = plan.add({first}, 100), other = plan.add({first}, 60);
  const auto join = plan.add({one, other}, 10);
  const auto fast = plan.add({join}, 20), slow = plan.add({join}, 50);
  plan.add({fast, slow}, 10);
  for (const auto node : {one, other}) {
    plan[node].blocks = 90;
    plan[node].resident = 200;
  }
  EXPECT_THAT(slacks(plan.replay()), ElementsAre(0, -1, -1, 0, 30, 0, 0));
  EXPECT_EQ(plan.replay().competing, 2U);
  std::vector<double> factors(7, 1);
  factors[slow] = 0.8;
  EXPECT_EQ(predictedNs(plan, plan.replay(), factors), plan.lengthNs() - 10);
  factors[other] = 0.9;
  EXPECT_FALSE(CriticalPath(plan.graph).predicted(plan.replay(), factors).has_value());
}

// It would fit where it ran, but not where it may be moved to.
TEST(CriticalPath, SlackNeedsRoomLater) {
  // A node that finds no room later has no slack.
  Plan plan;
  const auto first = plan.add({}, 10);
  const auto early = plan.add({first}, 20), small = plan.add({first}, 50);
  const auto large = plan.add({small}, 100);
  plan.add({early, large}, 10);
  plan[early].blocks = plan[large].blocks = 90;
  plan[early].resident = plan[large].resident = 200;
  EXPECT_THAT(slacks(plan.replay()), ElementsAre(0, -1, 0, 0, 0));
}

// What follows in its own branch makes room for it.
TEST(CriticalPath, OwnBranchDoesNotCompete) {
  // A node does not compete with its own branch.
  Plan plan;
  const auto one = plan.add({}, 20);
  const auto other = plan.add({one}, 20);
  const auto beside = plan.add({}, 100);
  plan.add({other, beside}, 10);
  plan[one].blocks = plan[other].blocks = 90;
  plan[one].resident = plan[other].resident = 200;
  EXPECT_THAT(slacks(plan.replay()), ElementsAre(60, 60, 0, 0));
}

TEST(CriticalPath, WaitingForRoomIsTold) {
  Plan plan;
  const auto one = plan.add({}, 100), other = plan.add({}, 50, 0);
  plan[one].blocks = plan[other].blocks = 150;
  plan[one].resident = plan[other].resident = 200;
  std::vector<NodeTimes> times = plan.times();
  times[other] = {originNs + 102, originNs + 152};
  const CriticalReplay replay = CriticalPath(plan.graph).of(times, originNs, originNs);
  EXPECT_EQ(replay.nodes[other].gapNs, 102);
  EXPECT_EQ(replay.nodes[other].busyNs, 100);
}

class CriticalPathOfMany : public testing::TestWithParam<int> {
protected:
  // Some hundred nodes; each waits for up to three of the last ones. Some take no time.
  static Plan random(std::mt19937 &source, bool early) {
    Plan plan;
    const auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(source);
    };
    const int nodes = pick(1, 120), reach = pick(2, 12);
    for (int i = 0; i < nodes; ++i) {
      std::vector<std::uint32_t> after;
      for (int edges = pick(0, 3); edges > 0 && i > 0; --edges)
        after.push_back(static_cast<std::uint32_t>(pick(std::max(0, i - reach), i - 1)));
      std::ranges::sort(after);
      after.erase(std::ranges::unique(after).begin(), after.end());
      if (pick(0, 9) == 0) {
        plan.addEmpty(after);
        continue;
      }
      const auto node = plan.add(after, 32 * pick(1, 400), after.empty() ? 0 : 32 * pick(0, 40));
      if (early)
        for (const std::uint32_t before : after)
          if (plan[before].type == "kernel" && pick(0, 2) == 0)
            plan[node].early.push_back(before);
    }
    return plan;
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, CriticalPathOfMany, testing::Range(0, 20));

TEST_P(CriticalPathOfMany, DelayBeyondSlackLengthensReplay) {
  // By as much as it is beyond the slack, and not at all before.
  std::mt19937 source(static_cast<unsigned>(GetParam()));
  Plan plan = random(source, false);
  const CriticalReplay replay = plan.replay();
  const std::int64_t beforeNs = plan.lengthNs();
  ASSERT_EQ(replay.lengthNs, beforeNs);
  std::int64_t onPathNs = 0;
  for (const std::uint32_t node : replay.path)
    onPathNs += replay.nodes[node].ownNs + replay.nodes[node].gapNs;
  EXPECT_EQ(onPathNs, beforeNs);
  for (std::uint32_t i = 0; i < plan.graph->nodes.size(); ++i) {
    if (plan[i].type == "empty")
      continue;
    ASSERT_EQ(replay.nodes[i].why, NoSlack::HasOne);
    for (const std::int64_t delayNs : {1, 2'000, 7'000, 50'000}) {
      plan.durations[i] += delayNs;
      EXPECT_EQ(plan.lengthNs() - beforeNs,
                std::max<std::int64_t>(0, delayNs - replay.nodes[i].slackNs))
          << "node " << i << " by " << delayNs;
      plan.durations[i] -= delayNs;
    }
  }
}

TEST_P(CriticalPathOfMany, EarlyEdgesLengthenNoMore) {
  // With early edges, the replay grows by no more than what is beyond the slack.
  std::mt19937 source(static_cast<unsigned>(GetParam()) + 1'000);
  Plan plan = random(source, true);
  const CriticalReplay replay = plan.replay();
  const std::int64_t beforeNs = plan.lengthNs();
  ASSERT_EQ(replay.lengthNs, beforeNs);
  for (std::uint32_t i = 0; i < plan.graph->nodes.size(); ++i)
    if (plan[i].type != "empty") {
      const std::int64_t delayNs = 9'000;
      plan.durations[i] += delayNs;
      EXPECT_LE(plan.lengthNs() - beforeNs,
                std::max<std::int64_t>(0, delayNs - replay.nodes[i].slackNs))
          << "node " << i;
      plan.durations[i] -= delayNs;
    }
}

TEST_P(CriticalPathOfMany, PredictionIsScheduled) {
  // A prediction is what the schedule says.
  std::mt19937 source(static_cast<unsigned>(GetParam()) + 2'000);
  Plan plan = random(source, false);
  const CriticalReplay replay = plan.replay();
  std::vector<double> factors(plan.graph->nodes.size(), 1);
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (source() % 3 == 0) {
      factors[i] = 0.5;
      plan.durations[i] /= 2;
    }
  EXPECT_EQ(predictedNs(plan, replay, factors), plan.lengthNs());
}

// Two kernels in a row, as clocks read them: the first up to the begin of the second, which is
// 2 us behind its end.
struct UntilNext {
  explicit UntilNext(std::int64_t startGapNs) {
    plan.graph->gapNs = startGapNs;
    const auto one = plan.add({}, 10'000);
    plan.add({one}, 20'000, 2'000);
    for (GraphNodes::Node &node : plan.graph->nodes)
      node.type = "kernel";
    times = plan.times();
    times[0].endNs += 2'000;
    times[0].isUntilNext = true;
  }
  CriticalPath::Prediction halved() const {
    const CriticalPath path(plan.graph);
    const CriticalReplay replay = path.of(times, originNs, originNs + plan.lengthNs());
    EXPECT_EQ(replay.lengthNs, 32'000);
    return path.predicted(replay, std::vector<double>{0.5, 0.5}).value();
  }
  Plan plan;
  std::vector<NodeTimes> times;
};

TEST(CriticalPath, MeasuredGapStays) {
  // A gap in a kernel's time that was measured neither shrinks with it nor makes the prediction
  // uncertain.
  UntilNext of(1'000);
  of.times[0].gapNs = 2'000;
  const CriticalPath::Prediction halved = of.halved();
  EXPECT_EQ(halved.ns, 5'000 + 2'000 + 10'000);
  EXPECT_EQ(halved.leastNs, halved.ns);
  EXPECT_EQ(halved.mostNs, halved.ns);
}

TEST(CriticalPath, GapMeasuredElsewhereIsUncertain) {
  // By half of it.
  const CriticalPath::Prediction halved = UntilNext(2'000).halved();
  EXPECT_EQ(halved.ns, 17'000);
  EXPECT_EQ(halved.leastNs, 17'000 - 500);
  EXPECT_EQ(halved.mostNs, 17'000 + 500);
}

TEST(CriticalPath, UnknownGapIsUncertain) {
  const CriticalPath::Prediction halved = UntilNext(0).halved();
  EXPECT_EQ(halved.ns, 16'000);
  EXPECT_EQ(halved.leastNs, 16'000);
  EXPECT_GE(halved.mostNs, 17'000);
}

} // namespace
} // namespace graphprof
