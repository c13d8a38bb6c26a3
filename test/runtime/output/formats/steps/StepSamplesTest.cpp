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
    span.begin_ns = beginNs;
    span.end_ns = beginNs + lastedNs;
    span.device = device;
    batcher_.add(span, batch_);
  }
  void ended(std::int64_t step, std::int64_t beginNs, std::int64_t endNs) {
    HostSpan span;
    span.kind = HostKind::Step;
    span.name = "ProfilerStep#0";
    span.step = step;
    span.begin_ns = beginNs;
    span.end_ns = endNs;
    batcher_.add(span, batch_);
  }
  void arrived(std::int64_t step, std::int64_t durationNs, int device, const char *name = "h2d") {
    Record record{};
    record.site = &copySite;
    record.name = name;
    record.duration_ns = durationNs;
    record.clock = device < 0 ? Clock::Host : Clock::Event;
    record.device = device;
    record.step = step;
    Replay replay;
    replay.records = {&record, 1};
    replay.device = device;
    replay.step = step;
    batcher_.add(replay, batch_);
  }
  // The steps whose samples a batch brings.
  std::vector<std::int64_t> handOn() {
    samples_.add(batch_);
    batcher_.renew(batch_);
    return noted(samples_.ready());
  }
  // The same for a batch with which everything of the steps before `step` has come.
  std::vector<std::int64_t> settled(std::int64_t step) {
    batch_.settledBefore = step;
    return handOn();
  }
  std::vector<std::int64_t> rest() { return noted(samples_.rest()); }
  nlohmann::json events(std::size_t index) { return nlohmann::json::parse(jsonOf(all_.at(index))); }
  [[nodiscard]] const StepSample &sample(std::size_t index) const { return all_.at(index); }
  [[nodiscard]] std::uint64_t dropped() const { return samples_.dropped(); }
  static constexpr std::size_t most = 100;

private:
  std::vector<std::int64_t> noted(std::vector<StepSample> samples) {
    std::vector<std::int64_t> steps;
    for (StepSample &sample : samples) {
      steps.push_back(sample.step);
      all_.push_back(std::move(sample));
    }
    return steps;
  }

  StepSamples samples_{most, true};
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
  EXPECT_THAT(handOn(), IsEmpty()) << "another thread's copies may come behind it";
  EXPECT_THAT(settled(1), ElementsAre(0));
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
  EXPECT_THAT(settled(2), ElementsAre(0, 1));
  EXPECT_THAT(rest(), ElementsAre(2));
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
  EXPECT_THAT(settled(4), ElementsAre(3));
  const nlohmann::json found = events(0);
  const nlohmann::json &copies = found.at("_traceml_internal:h2d_time");
  EXPECT_EQ(1.0, copies.at("cuda:0").at("cpu_ms"));
  EXPECT_EQ(4.0, copies.at("cuda:1").at("cpu_ms"));
  EXPECT_EQ(5.0, copies.at("cuda:1").at("gpu_ms"));
  EXPECT_EQ(1, copies.at("cuda:1").at("n_calls"));
  EXPECT_EQ(6.0, found.at("_graphprof:d2h_time").at("cuda:1").at("duration_ms"));
}

TEST_F(StepSamplesTest, HostTimeServesWithoutDevice) {
  // Samples have the processor's time where there is no device.
  copied(0, ms, 2 * ms, -1);
  arrived(0, 2 * ms, -1);
  ended(0, 0, 4 * ms);
  settled(1);
  const nlohmann::json found = events(0);
  const nlohmann::json &copies = found.at("_traceml_internal:h2d_time").at("cpu");
  EXPECT_EQ(2.0, copies.at("duration_ms"));
  EXPECT_TRUE(copies.at("gpu_ms").is_null());
  EXPECT_FALSE(copies.at("is_gpu"));
}

TEST_F(StepSamplesTest, RecordsSayTheDevice) {
  // They take the device from the records where spans say none.
  copied(0, ms, 2 * ms, -1); // as from a file
  arrived(0, ms, 2);
  ended(0, 0, 4 * ms);
  settled(1);
  const nlohmann::json found = events(0);
  EXPECT_EQ(2.0, found.at("_traceml_internal:h2d_time").at("cuda:2").at("cpu_ms"));
}

TEST_F(StepSamplesTest, WaitForTheirCopies) {
  // They wait for their copies, however many steps end meanwhile.
  for (std::int64_t step = 0; step < 90; ++step)
    ended(step, 0, ms);
  copied(0, 0, ms, 0);
  EXPECT_THAT(handOn(), IsEmpty());
  arrived(0, 7 * ms, 0);
  EXPECT_THAT(settled(90), testing::SizeIs(90));
  EXPECT_EQ(7.0, events(0).at("_traceml_internal:h2d_time").at("cuda:0").at("gpu_ms"));
  EXPECT_EQ(0U, dropped());
}

// Those of a file come a batch after their records. A file does not say of which steps everything
// has come.
TEST(StepSamples, FileGivesThemBatchLater) {
  StepSamples samples(100, false);
  Batcher batcher;
  Batch batch;
  HostSpan span;
  span.kind = HostKind::Step;
  span.name = "ProfilerStep#0";
  span.step = 0;
  span.end_ns = ms;
  batcher.add(span, batch);
  span.kind = HostKind::Copy;
  span.name = "h2d";
  span.site = &copySite;
  batcher.add(span, batch);
  const auto handOn = [&] {
    samples.add(batch);
    batcher.renew(batch);
    return samples.ready().size();
  };
  EXPECT_EQ(handOn(), 0U);
  EXPECT_EQ(handOn(), 0U) << "its record is missing";
  Record record{};
  record.site = &copySite;
  record.name = "h2d";
  record.duration_ns = ms;
  record.step = 0;
  Replay replay;
  replay.records = {&record, 1};
  batcher.add(replay, batch);
  EXPECT_EQ(handOn(), 0U) << "another span may come with the next batch";
  EXPECT_EQ(handOn(), 1U);
}

// They show no time of which a part is missing. "n_lost" marks it: neither the host's time nor the
// others' sum passes for the whole.
TEST_F(StepSamplesTest, PartialTimeIsNotShown) {
  copied(0, ms, 2 * ms, 0);
  copied(0, 4 * ms, ms, 0);
  copied(0, 5 * ms, ms, 1);
  arrived(0, 3 * ms, 0); // one of two
  arrived(0, 4 * ms, 1);
  ended(0, 0, 10 * ms);
  copied(1, 11 * ms, 2 * ms, 0);
  arrived(1, -1, 0); // its events could not be read
  ended(1, 10 * ms, 20 * ms);
  EXPECT_THAT(settled(2), ElementsAre(0, 1));
  EXPECT_EQ(nlohmann::json::parse(R"({
    "cuda:0": {"cpu_ms": 3.0, "duration_ms": null, "gpu_ms": null, "is_gpu": false, "n_calls": 2,
               "n_lost": 1},
    "cuda:1": {"cpu_ms": 1.0, "duration_ms": 4.0, "gpu_ms": 4.0, "is_gpu": true, "n_calls": 1}})"),
            events(0).at("_traceml_internal:h2d_time"));
  EXPECT_EQ(nlohmann::json::parse(R"({
    "cuda:0": {"cpu_ms": 2.0, "duration_ms": null, "gpu_ms": null, "is_gpu": false, "n_calls": 1,
               "n_lost": 1}})"),
            events(1).at("_traceml_internal:h2d_time"));
}

TEST_F(StepSamplesTest, LostHostSpansCopyCounts) {
  // They count a copy whose host span was lost.
  copied(0, ms, 2 * ms, 0);
  arrived(0, 3 * ms, 0);
  arrived(0, 4 * ms, 0);
  ended(0, 0, 10 * ms);
  EXPECT_THAT(settled(1), ElementsAre(0));
  EXPECT_EQ(nlohmann::json::parse(R"({
    "cuda:0": {"cpu_ms": null, "duration_ms": 7.0, "gpu_ms": 7.0, "is_gpu": true, "n_calls": 2,
               "n_lost": 1}})"),
            events(0).at("_traceml_internal:h2d_time"));
}

// They keep the times of several devices where spans say none. From a file: which call was on
// which device is not known.
TEST_F(StepSamplesTest, SeveralDevicesKeepTheirTimes) {
  copied(0, ms, 2 * ms, -1);
  copied(0, 3 * ms, 2 * ms, -1);
  arrived(0, ms, 0);
  arrived(0, 5 * ms, 1);
  ended(0, 0, 10 * ms);
  handOn();
  EXPECT_THAT(rest(), ElementsAre(0));
  const nlohmann::json found = events(0).at("_traceml_internal:h2d_time");
  EXPECT_EQ(2U, found.size());
  EXPECT_EQ(1.0, found.at("cuda:0").at("gpu_ms"));
  EXPECT_EQ(1, found.at("cuda:0").at("n_calls"));
  EXPECT_EQ(5.0, found.at("cuda:1").at("gpu_ms"));
  EXPECT_TRUE(found.at("cuda:1").at("cpu_ms").is_null());
}

// Beyond the bound, they are given as they are. The oldest goes first, marked; what comes for it
// later is counted.
TEST_F(StepSamplesTest, OldestIsGivenAtBound) {
  std::int64_t step = 0;
  std::vector<std::int64_t> given;
  for (; given.empty(); ++step) {
    ASSERT_LT(step, static_cast<std::int64_t>(most));
    copied(step, ms, 2 * ms, 0);
    ended(step, 0, 4 * ms);
    given = handOn();
  }
  EXPECT_THAT(given, ElementsAre(0));
  EXPECT_GT(step, static_cast<std::int64_t>(most / 4));
  const nlohmann::json found = events(0).at("_traceml_internal:h2d_time").at("cuda:0");
  EXPECT_TRUE(found.at("duration_ms").is_null());
  EXPECT_EQ(1, found.at("n_lost"));
  EXPECT_EQ(0U, dropped());
  for (std::int64_t one = 0; one < step; ++one)
    arrived(one, ms, 0);
  EXPECT_THAT(settled(step), testing::SizeIs(static_cast<std::size_t>(step - 1)));
  EXPECT_EQ(1U, dropped()) << "of step 0";
  EXPECT_EQ(1.0, events(1).at("_traceml_internal:h2d_time").at("cuda:0").at("gpu_ms"));
}

TEST_F(StepSamplesTest, OpenStepIsNeverGiven) {
  // Those of a step that is open are never given.
  for (int device = 0; device < static_cast<int>(most); ++device)
    copied(0, ms, ms, device);
  EXPECT_THAT(handOn(), IsEmpty());
  ended(0, 0, 4 * ms);
  EXPECT_THAT(handOn(), ElementsAre(0));
}

// They are missing for a step without an end. The end of step 0 did not come. The others do not
// wait for it for ever.
TEST_F(StepSamplesTest, EndlessStepHasNone) {
  copied(0, ms, ms, 0);
  arrived(0, ms, 0);
  ended(1, 0, ms);
  EXPECT_THAT(handOn(), IsEmpty());
  EXPECT_THAT(settled(2), ElementsAre(1));
}

} // namespace
