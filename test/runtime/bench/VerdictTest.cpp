// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Verdicts on samples that an H200 gave (samples.json): the same work beside itself is hardly ever
// called faster or slower, and a change of 1 % hardly ever missed. nvbench #316, #313.

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/Statistics.h"

using namespace graphprof;
using namespace graphprof::bench_detail;

namespace {

// Of each workload the times of its replays, one behind the other.
const std::vector<std::vector<double>> &samples() {
  static const std::vector<std::vector<double>> all = [] {
    std::ifstream file(GRAPHPROF_TEST_SAMPLES);
    std::vector<std::vector<double>> read;
    const nlohmann::json document = nlohmann::json::parse(file);
    for (const auto &[name, times] : document["samples"].items())
      read.push_back(times.get<std::vector<double>>());
    return read;
  }();
  return all;
}

// What bench_compare would have found, had it run two candidates where these were sampled: a b b a
// in each block, or b a a b. The second one's times are multiplied by `factor`.
bench_ratio split(std::mt19937 &random, double factor) {
  constexpr std::size_t blocks = 400, runs = 4; // 100 ms and less of each candidate
  const std::vector<double> &all = samples()[random() % samples().size()];
  const std::size_t begin = random() % (all.size() - blocks * runs + 1);
  std::vector<double> first, second;
  for (std::size_t block = 0; block < blocks; ++block) {
    const double *const times = &all[begin + block * runs];
    double outer = times[0] + times[3], inner = times[1] + times[2];
    if (random() % 2 == 0)
      std::swap(outer, inner);
    first.push_back(outer);
    second.push_back(inner * factor);
  }
  return ratioOf(first, second);
}

constexpr int splits = 1000;

int verdicts(bench_verdict verdict, double factor) {
  std::mt19937 random(20261123); // NOLINT(bugprone-random-generator-seed): the same each time
  int count = 0;
  for (int i = 0; i < splits; ++i)
    count += split(random, factor).verdict == verdict;
  return count;
}

} // namespace

TEST(Verdict, RarelyWrongForSameWork) {
  // The verdict of the same work is false in one of a hundred at most.
  ASSERT_EQ(samples().size(), 7U);
  const int wrong = splits - verdicts(bench_verdict::undecided, 1);
  RecordProperty("wrong", wrong);
  EXPECT_LE(wrong, splits / 100);
}

TEST(Verdict, MostlyRightForOnePercent) {
  // The verdict of one percent more or less is right in nineteen of twenty.
  const int slower = verdicts(bench_verdict::slower, 1.01),
            faster = verdicts(bench_verdict::faster, 0.99);
  RecordProperty("slower", slower);
  RecordProperty("faster", faster);
  EXPECT_GE(slower, splits * 95 / 100);
  EXPECT_GE(faster, splits * 95 / 100);
}
