// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Metrics.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;
using nlohmann::json;

namespace {

TEST(Metrics, DurationsAreInTheirBuckets) {
  Durations durations;
  for (const std::int64_t ns :
       std::initializer_list<std::int64_t>{1, 500, 501, 1'000, 10'000'000'001})
    durations.add(ns);
  EXPECT_EQ(2U, durations.buckets[0]);
  EXPECT_EQ(2U, durations.buckets[1]);
  EXPECT_EQ(1U, durations.buckets.back());
  EXPECT_EQ(5U, durations.count);
  for (std::int64_t ns = 1; ns <= 100; ++ns)
    durations.add(ns);
  const auto last = durations.last();
  EXPECT_EQ(Durations::recent, last.size());
  EXPECT_EQ(37, last.front()) << "the oldest of the last 64";
  EXPECT_EQ(100, last.back());
}

// A replay of one NVTX range, whose site is its name alone.
struct Ranged {
  explicit Ranged(const std::string &name, std::int64_t durationNs = 1'000) : sample(0) {
    const Replay made = sample.region(name, 0, 1'000, durationNs);
    static const Site range{"", "", 0, ""};
    record = made.records.front();
    record.site = &range;
    replay = made;
    replay.records = {&record, 1};
  }
  Ranged(const Ranged &) = delete;
  Ranged &operator=(const Ranged &) = delete;

  Sample sample;
  Record record;
  Replay replay;
};

struct MetricsTest : testing::Test {
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  Batcher batcher;
  Batch batch;
  LaunchCounts launches;

  void add(const Replay &replay) {
    batcher.clear(batch);
    batcher.add(replay, batch);
    metrics->add(batch);
  }
  [[nodiscard]] json read() const { return json::parse("{" + metrics->json(launches) + "}"); }
};

TEST_F(MetricsTest, NumbersInRangesFold) {
  // Ranges that differ in numbers are one place.
  for (int i = 0; i < 3; ++i)
    add(Ranged("layer " + std::to_string(i), 2'000 + i).replay);
  const json read = this->read();
  ASSERT_EQ(1U, read["regions"].size());
  EXPECT_EQ("layer {}", read["regions"][0]["path"]);
  EXPECT_EQ(3, read["regions"][0]["count"]);
  EXPECT_EQ(6'003, read["regions"][0]["sum_ns"]);
  EXPECT_EQ(2'001, read["regions"][0]["median_ns"]);
}

TEST_F(MetricsTest, SourcePlaceIsItsFormat) {
  // A place in the source is its format, not the names made of it.
  Sample sample;
  add(sample.region("a \"format\" 1", 0, 0, 5'000).region("a \"format\" 2", 1, 0, 4'000));
  const json read = this->read();
  ASSERT_EQ(2U, read["regions"].size());
  EXPECT_EQ("a \"format\" {}", read["regions"][0]["path"]);
  EXPECT_EQ("src/model.cu:12", read["regions"][0]["source"]);
  EXPECT_EQ("a \"format\" {}/a \"format\" {}", read["regions"][1]["path"]);
  EXPECT_EQ(4.0, read["regions"][1]["share_percent"]);
}

TEST_F(MetricsTest, ColdReplaysAreOnlyCounted) {
  // They are not in the times.
  Sample sample;
  Replay cold = sample.region("part", 0, 0, 9'000);
  cold.cold = true;
  add(cold);
  Sample other;
  add(other.region("part", 0, 0, 3'000));
  const json read = this->read();
  EXPECT_EQ(1, read["regions"][0]["cold"]);
  EXPECT_EQ(1, read["regions"][0]["count"]);
  EXPECT_EQ(3'000, read["regions"][0]["sum_ns"]);
  EXPECT_EQ(1, read["graphs"][0]["cold"]);
}

// Each execution counts with what is known of it by then; what is not known has no number.
TEST_F(MetricsTest, BusyTimesAreOfExecutionsThatKnowThem) {
  const auto add = [this](std::int64_t busyNs, std::int64_t gapNs, bool isCold = false) {
    Sample sample;
    sample.region("part", 0, 0, 3'000);
    if (busyNs >= 0)
      sample.busy(busyNs, gapNs, 7);
    Replay replay = sample;
    replay.cold = isCold;
    this->add(replay);
  };
  add(-1, -1);
  const json before = read()["regions"][0];
  EXPECT_EQ(0, before["busy_count"]);
  EXPECT_EQ(-1, before["busy_median_ns"]);
  EXPECT_EQ(-1, before["gap_median_ns"]);
  add(2'000, -1);
  add(2'600, 400);
  add(2'300, 700);
  add(9'000, 900, true);
  json region = read()["regions"][0];
  EXPECT_EQ(4, region["count"]);
  EXPECT_EQ(3, region["busy_count"]);
  EXPECT_EQ(6'900, region["busy_sum_ns"]);
  EXPECT_EQ(2'300, region["busy_median_ns"]);
  EXPECT_EQ(2, region["gap_count"]);
  EXPECT_EQ(1'100, region["gap_sum_ns"]);
  EXPECT_EQ(550, region["gap_median_ns"]);
  for (std::size_t i = 0; i < Durations::recent; ++i)
    add(-1, -1); // of another graph, of which nothing is known
  region = read()["regions"][0];
  EXPECT_EQ(3, region["busy_count"]);
  EXPECT_EQ(-1, region["busy_median_ns"]) << "none of the last ones";
}

TEST_F(MetricsTest, PlacesBeyondBoundAreCounted) {
  // Records of places beyond the bound are counted together.
  for (std::size_t i = 0; i < Metrics::mostPlaces + 20; ++i)
    add(Ranged("part" + std::to_string(i)).replay);
  const json read = this->read();
  EXPECT_EQ(Metrics::mostPlaces, read["regions"].size());
  EXPECT_EQ(20, read["other_records"]);
}

TEST_F(MetricsTest, LaunchesBeyondBoundAreCounted) {
  // Launches of graphs beyond the bound are counted together.
  launches.note(1);
  EXPECT_EQ(0U, launches.total()) << "nobody may ask yet";
  launches.countFromNowOn();
  constexpr std::uint64_t graphs = 5'000;
  for (std::uint64_t graph = 1; graph <= graphs; ++graph)
    launches.note(graph);
  launches.note(1);
  launches.noteUntimed();
  EXPECT_EQ(graphs + 2, launches.total());
  const json read = this->read();
  EXPECT_EQ(LaunchCounts::most, read["launches"].size());
  EXPECT_EQ(graphs - LaunchCounts::most, read["other_launches"]);
  EXPECT_EQ(1, read["untimed_launches"]);
  EXPECT_THAT(read["launches"], testing::Contains(json{{"graph", 1}, {"count", 2}}));
}

} // namespace
