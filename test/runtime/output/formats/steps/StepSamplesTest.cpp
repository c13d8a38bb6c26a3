// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A sample a step, in order, once its copies are known.

#include "output/formats/steps/StepSamples.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace graphprof;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const Site copySite{"h2d", "", 0, ""};
constexpr std::int64_t ms = 1'000'000;

// What a session hands to an output, a batch at a time.
class StepSamplesTest : public testing::Test {
protected:
  void copied(std::int64_t step, std::int64_t beginNs, std::int64_t lastedNs, int device,
              bool captured = false, const char *name = "h2d") {
    HostSpan span;
    span.kind = HostKind::Copy;
    span.captured = captured;
    span.name = name;
    span.site = &copySite;
    span.step = step;
    span.beginNs = beginNs;
    span.endNs = beginNs + lastedNs;
    span.device = device;
    batcher_.add(span, batch_);
  }
  void ended(std::int64_t step, std::int64_t beginNs, std::int64_t endNs) {
    HostSpan span;
    span.kind = HostKind::Step;
    span.name = "ProfilerStep#0";
    span.step = step;
    span.beginNs = beginNs;
    span.endNs = endNs;
    batcher_.add(span, batch_);
  }
  void arrived(std::int64_t step, std::int64_t durationNs, int device, const char *name = "h2d") {
    Record record{};
    record.site = &copySite;
    record.name = name;
    record.durationNs = durationNs;
    record.clock = device < 0 ? Clock::Host : Clock::Event;
    record.device = device;
    record.step = step;
    Replay replay;
    replay.records = {&record, 1};
    replay.device = device;
    replay.step = step;
    batcher_.add(replay, batch_);
  }
  // The steps that a batch completes.
  std::vector<std::int64_t> handOn() {
    samples_.add(batch_);
    batcher_.renew(batch_);
    return noted(samples_.ready());
  }
  std::vector<std::int64_t> rest() { return noted(samples_.rest()); }
  nlohmann::json events(std::size_t index) { return nlohmann::json::parse(jsonOf(all_.at(index))); }
  [[nodiscard]] const StepSample &sample(std::size_t index) const { return all_.at(index); }

private:
  std::vector<std::int64_t> noted(std::vector<StepSample> samples) {
    std::vector<std::int64_t> steps;
    for (StepSample &sample : samples) {
      steps.push_back(sample.step);
      all_.push_back(std::move(sample));
    }
    return steps;
  }

  StepSamples samples_;
  Batcher batcher_;
  Batch batch_;
  std::vector<StepSample> all_;
};

TEST_F(StepSamplesTest, AreTraceMLs) {
  copied(0, 10 * ms, 2 * ms, 0);
  copied(0, 15 * ms, 3 * ms, 0);
  ended(0, 5 * ms, 25 * ms);
  EXPECT_THAT(handOn(), IsEmpty()) << "not on the device yet";
  arrived(0, ms, 0);
  arrived(0, ms / 2, 0);
  EXPECT_THAT(handOn(), IsEmpty()) << "another thread's copies may come with it";
  EXPECT_THAT(handOn(), ElementsAre(0));
  const nlohmann::json found = events(0);
  EXPECT_EQ(nlohmann::json::parse(R"({
    "_traceml_internal:h2d_time": {"cuda:0": {"cpu_ms": 5.0, "duration_ms": 1.5, "gpu_ms": 1.5,
                                              "is_gpu": true, "n_calls": 2}},
    "_traceml_internal:step_time": {"cpu": {"cpu_ms": 20.0, "duration_ms": 20.0, "gpu_ms": null,
                                            "is_gpu": false, "n_calls": 1}}})"),
            found);
  EXPECT_EQ(25 * ms, sample(0).endNs);
  EXPECT_THAT(rest(), IsEmpty()) << "each once";
}

TEST_F(StepSamplesTest, ComeInOrder) {
  copied(0, ms, ms, 0);
  ended(0, 0, 3 * ms);
  copied(1, 4 * ms, ms, 0);
  ended(1, 3 * ms, 6 * ms);
  ended(2, 6 * ms, 7 * ms); // without a copy
  arrived(1, ms, 0);
  EXPECT_THAT(handOn(), IsEmpty());
  EXPECT_THAT(handOn(), IsEmpty()) << "the first one is on its way";
  arrived(0, ms, 0);
  handOn();
  EXPECT_THAT(rest(), ElementsAre(0, 1, 2));
  EXPECT_FALSE(events(2).contains("_traceml_internal:h2d_time"));
}

TEST_F(StepSamplesTest, KeepDevicesAndDirectionsApart) {
  copied(3, ms, ms, 0);
  copied(3, 3 * ms, 4 * ms, 1);
  copied(3, 8 * ms, ms, 1, false, "d2h");
  copied(3, 9 * ms, ms, 1, true); // captured: its replays are another matter
  arrived(3, 2 * ms, 0);
  arrived(3, 5 * ms, 1);
  arrived(3, 6 * ms, 1, "d2h");
  ended(3, 0, 10 * ms);
  handOn();
  EXPECT_THAT(handOn(), ElementsAre(3));
  const nlohmann::json found = events(0);
  const nlohmann::json &copies = found.at("_traceml_internal:h2d_time");
  EXPECT_EQ(1.0, copies.at("cuda:0").at("cpu_ms"));
  EXPECT_EQ(4.0, copies.at("cuda:1").at("cpu_ms"));
  EXPECT_EQ(5.0, copies.at("cuda:1").at("gpu_ms"));
  EXPECT_EQ(1, copies.at("cuda:1").at("n_calls"));
  EXPECT_EQ(6.0, found.at("_graphprof:d2h_time").at("cuda:1").at("duration_ms"));
}

TEST_F(StepSamplesTest, HaveTheProcessorsTimeWhereThereIsNoDevice) {
  copied(0, ms, 2 * ms, -1);
  arrived(0, 2 * ms, -1);
  ended(0, 0, 4 * ms);
  handOn();
  handOn();
  const nlohmann::json found = events(0);
  const nlohmann::json &copies = found.at("_traceml_internal:h2d_time").at("cpu");
  EXPECT_EQ(2.0, copies.at("duration_ms"));
  EXPECT_TRUE(copies.at("gpu_ms").is_null());
  EXPECT_FALSE(copies.at("is_gpu"));
}

TEST_F(StepSamplesTest, TakeTheDeviceFromTheRecordsWhereSpansSayNone) {
  copied(0, ms, 2 * ms, -1); // as from a file
  arrived(0, ms, 2);
  ended(0, 0, 4 * ms);
  handOn();
  handOn();
  const nlohmann::json found = events(0);
  EXPECT_EQ(2.0, found.at("_traceml_internal:h2d_time").at("cuda:2").at("cpu_ms"));
}

TEST_F(StepSamplesTest, GiveUpWhatDoesNotCome) {
  copied(0, ms, 2 * ms, 0);
  ended(0, 0, 4 * ms);
  std::size_t given = 0;
  for (std::size_t i = 1; i <= StepSamples::patience; ++i) {
    EXPECT_EQ(0u, given) << i;
    ended(static_cast<std::int64_t>(i), 0, ms);
    given = handOn().size();
  }
  EXPECT_GT(given, 0u);
  EXPECT_EQ(0, sample(0).step);
  const nlohmann::json found = events(0);
  EXPECT_TRUE(found.at("_traceml_internal:h2d_time").at("cuda:0").at("gpu_ms").is_null());
  arrived(0, ms, 0); // too late
  given += handOn().size();
  EXPECT_EQ(StepSamples::patience + 1, given + rest().size());
}

} // namespace
