// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Metrics.h"

#include <cmath>
#include <cstdint>
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

// A fifth more shows, wherever it is on the scale.
TEST(RecentQuantiles, AreWithinFourPercent) {
  for (int scale = 0; scale < 60; ++scale) {
    const double ns = 200 * std::pow(1.37, scale);
    RecentQuantiles quantiles;
    for (int i = 0; i < 100; ++i)
      quantiles.add(std::llround(i < 90 ? ns : 1.2 * ns), 0);
    EXPECT_NEAR(quantiles.quantileNs(0.5, 0) / ns, 1, 0.04) << ns;
    EXPECT_NEAR(quantiles.quantileNs(0.95, 0) / (1.2 * ns), 1, 0.04) << ns;
    EXPECT_GT(quantiles.quantileNs(0.95, 0) / quantiles.quantileNs(0.5, 0), 1.1) << ns;
  }
}

TEST(RecentQuantiles, ForgetAfterAMinuteOrTwo) {
  constexpr std::int64_t half = RecentQuantiles::halfNs, begin = 1'000 * half;
  RecentQuantiles quantiles;
  EXPECT_EQ(-1, quantiles.quantileNs(0.5, begin));
  for (int i = 0; i < 9; ++i)
    quantiles.add(1'000, begin);
  quantiles.add(9'000, begin + half + 1);
  EXPECT_NEAR(1'000, quantiles.quantileNs(0.5, begin + half + 1), 40);
  EXPECT_NEAR(9'000, quantiles.quantileNs(1, begin + half + 1), 360);
  EXPECT_NEAR(9'000, quantiles.quantileNs(0.5, begin + 2 * half + 2), 360) << "the older half went";
  EXPECT_EQ(-1, quantiles.quantileNs(0.5, begin + 3 * half + 2));
  quantiles.add(5'000, begin + 9 * half);
  EXPECT_NEAR(5'000, quantiles.quantileNs(0.5, begin + 9 * half), 200);
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
  std::int64_t nowNs = 1'000'000'000'000;

  void add(const Replay &replay) {
    batcher.clear(batch);
    batcher.add(replay, batch);
    metrics->add(batch, nowNs);
  }
  [[nodiscard]] json read() const {
    return json::parse("{" + metrics->json(launches, nowNs) + "}");
  }
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

// Layers of different lengths: no median of theirs depends on which ones came last, or how often.
TEST_F(MetricsTest, MedianDoesNotMixLayers) {
  const auto run = [this](int layer, std::int64_t ns) {
    add(Ranged("layer " + std::to_string(layer), ns).replay);
  };
  for (int replay = 0; replay < 40; ++replay)
    for (const int layer : {0, 1, 2, 3})
      run(layer, layer == 3 ? 90'000 : 10'000);
  for (int i = 0; i < 100; ++i)
    run(3, 90'000);
  json region = read()["regions"][0];
  EXPECT_EQ(30'000, region["median_ns"]) << "the mean of the layers' medians";
  EXPECT_EQ(region["older_median_ns"], region["newer_median_ns"]) << "no trend";
  for (int replay = 0; replay < 16; ++replay)
    for (const int layer : {0, 1, 2, 3})
      run(layer, layer == 3 ? 108'000 : 12'000);
  region = read()["regions"][0];
  EXPECT_EQ(30'000, region["older_median_ns"]);
  EXPECT_EQ(36'000, region["newer_median_ns"]);
  nowNs += 2 * RecentQuantiles::halfNs; // the last layer is no longer called
  run(0, 12'000);
  region = read()["regions"][0];
  EXPECT_LT(region["median_ns"], 12'001);
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
  EXPECT_EQ(700, region["gap_median_ns"]) << "the newest of each layer";
  add(-1, -1); // of another graph, of which nothing is known
  region = read()["regions"][0];
  EXPECT_EQ(3, region["busy_count"]);
  EXPECT_EQ(-1, region["busy_median_ns"]) << "not known of the newest";
}

TEST_F(MetricsTest, PlacesBeyondBoundAreCounted) {
  // Records of places beyond the bound are counted together.
  for (std::size_t i = 0; i < Metrics::mostPlaces + 20; ++i)
    add(Ranged("part" + std::to_string(i)).replay);
  const json read = this->read();
  EXPECT_EQ(Metrics::mostPlaces, read["regions"].size());
  EXPECT_EQ(20, read["other_records"]);
}

TEST_F(MetricsTest, GraphsOfOneNameAreOne) {
  // Replays and launches, whatever the graphs' numbers.
  launches.countFromNowOn();
  const std::string name = "decode batch=8";
  for (const std::uint64_t graph : {3, 1, 2}) {
    Sample sample(graph);
    sample.exec(graph, graph);
    if (graph != 2)
      sample.serves("decode", {key("batch", 8)});
    add(sample);
    launches.note(graph, graph != 2 ? &name : nullptr);
  }
  const json read = this->read();
  ASSERT_EQ(2U, read["graphs"].size());
  EXPECT_EQ(name, read["graphs"][0]["graph_name"].get<std::string>());
  EXPECT_EQ(2, read["graphs"][0]["count"]);
  EXPECT_FALSE(read["graphs"][1].contains("graph_name"));
  EXPECT_EQ(2, read["graphs"][1]["graph"]);
  EXPECT_EQ(read["launches"], (json{{{"graph", 1}, {"graph_name", name}, {"count", 2}},
                                    {{"graph", 2}, {"count", 1}}}));
}

TEST_F(MetricsTest, NamesBeyondBoundAreCounted) {
  // A name for each request makes no series for each request.
  for (std::size_t i = 0; i < Metrics::mostGraphs + 20; ++i) {
    Sample sample(i);
    add(sample.serves("request {}" + std::to_string(i)));
  }
  const json read = this->read();
  EXPECT_EQ(Metrics::mostGraphs, read["graphs"].size());
  EXPECT_EQ(20, read["other_replays"]);
}

TEST_F(MetricsTest, LaunchesBeyondBoundAreCounted) {
  // Launches of graphs beyond the bound are counted together.
  launches.note(1, nullptr);
  EXPECT_EQ(0U, launches.total()) << "nobody may ask yet";
  launches.countFromNowOn();
  constexpr std::uint64_t graphs = 5'000;
  for (std::uint64_t graph = 1; graph <= graphs; ++graph)
    launches.note(graph, nullptr);
  launches.note(1, nullptr);
  launches.noteUntimed();
  EXPECT_EQ(graphs + 2, launches.total());
  const json read = this->read();
  EXPECT_EQ(LaunchCounts::most, read["launches"].size());
  EXPECT_EQ(graphs - LaunchCounts::most, read["other_launches"]);
  EXPECT_EQ(1, read["untimed_launches"]);
  EXPECT_THAT(read["launches"], testing::Contains(json{{"graph", 1}, {"count", 2}}));
}

} // namespace
