// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/ScheduledOutputs.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../output/Samples.h"
#include "output/data/BatchView.h"
#include "support/Stderr.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {

constexpr std::int64_t patienceMs = 10'000;

// One for all tests: a Saver is never destroyed.
Saver &oneSaver() {
  static Saver *const saver = new Saver([](std::int64_t) { return true; });
  return *saver;
}

struct ScheduledOutputsTest : testing::Test {
  Folder folder;
  Config config;
  Saver &saver = oneSaver();
  std::unique_ptr<Session> session;
  std::unique_ptr<ScheduledOutputs> outputs;
  std::int64_t nowNs = 0;

  void begin(ScheduleArguments schedule, std::vector<std::string> items) {
    config.schedule = schedule;
    config.outputs = std::move(items);
    config.outputsGiven = true;
    session = std::make_unique<Session>(config);
    outputs =
        std::make_unique<ScheduledOutputs>(*session, saver, nullptr, [this] { return nowNs; });
  }
  // A step, and a replay in it.
  void step(std::int64_t number) {
    nowNs += 1000;
    outputs->begun(number);
    Sample sample(static_cast<std::uint64_t>(number));
    Replay replay = sample.region("in step " + std::to_string(number), 0, 0, 5'000);
    replay.launchNs = nowNs + 1;
    session->consume(replay);
  }
  void leave() {
    nowNs += 1000;
    outputs->leave();
    EXPECT_TRUE(saver.flush(patienceMs));
    session->close();
  }
};

TEST_F(ScheduledOutputsTest, WritesEachOutputPerCycle) {
  begin({.wait = 1, .active = 2},
        {folder.file("trace.json"), "table:" + folder.file("{cycle}.txt")});
  for (int i = 0; i < 7; ++i)
    step(i);
  leave();
  EXPECT_THAT(folder.names(),
              UnorderedElementsAre("trace.1.json", "trace.2.json", "1.txt", "2.txt"));
  const std::string first = contents(folder.file("1.txt"));
  EXPECT_THAT(first,
              AllOf(HasSubstr("in step 1"), HasSubstr("in step 2"), Not(HasSubstr("in step 4"))));
  EXPECT_THAT(first, HasSubstr("cycle 1: steps 1 to 2\n"));
  const auto trace = nlohmann::json::parse(contents(folder.file("trace.2.json")));
  EXPECT_THAT(trace.dump(),
              AllOf(HasSubstr("in step 4"), HasSubstr("in step 5"), Not(HasSubstr("in step 2"))));
  EXPECT_EQ(32U, trace["trace_id"].get<std::string>().size());
}

// Also of what streams, if the path says so.
TEST_F(ScheduledOutputsTest, CycleInThePathMeansAFileForEach) {
  begin({.wait = 1, .active = 2},
        {folder.file("{cycle}.csv"), folder.file("{cycle}.gprof"), folder.file("all.csv")});
  for (int i = 0; i < 7; ++i)
    step(i);
  leave();
  EXPECT_THAT(folder.names(),
              UnorderedElementsAre("1.csv", "2.csv", "1.gprof", "2.gprof", "all.csv"));
  for (const char *const kind : {".csv", ".gprof"}) {
    EXPECT_THAT(contents(folder.file(std::string("1") + kind)),
                AllOf(HasSubstr("in step 1"), HasSubstr("in step 2"), Not(HasSubstr("in step 4"))));
    EXPECT_THAT(contents(folder.file(std::string("2") + kind)),
                AllOf(HasSubstr("in step 4"), HasSubstr("in step 5"), Not(HasSubstr("in step 2"))));
  }
  EXPECT_THAT(contents(folder.file("all.csv")),
              AllOf(HasSubstr("in step 1"), HasSubstr("in step 5"), Not(HasSubstr("in step 3"))));
}

TEST_F(ScheduledOutputsTest, RecordsMemoryInScheduledSteps) {
  // Where it is asked for.
  config.memory = true;
  begin({.wait = 1, .active = 1, .repeat = 1},
        {folder.file("trace.json"), folder.file("run.jsonl")});
  for (int i = 0; i < 3; ++i) {
    step(i);
    EXPECT_EQ(session->recordingSwitch.memory(), i == 1);
    MemoryEvent event;
    event.timeNs = nowNs + 2;
    event.bytes = 100 + i;
    session->outputs.consume(event, "x");
  }
  leave();
  EXPECT_THAT(contents(folder.file("trace.json")),
              AllOf(HasSubstr("\"Bytes\":101,"), Not(HasSubstr("\"Bytes\":100,")),
                    Not(HasSubstr("\"Bytes\":102,"))));
  EXPECT_THAT(contents(folder.file("run.jsonl")),
              AllOf(HasSubstr("\"bytes\":101,"), Not(HasSubstr("\"bytes\":100,")),
                    Not(HasSubstr("\"bytes\":102,"))));
}

TEST_F(ScheduledOutputsTest, StreamsHostSpansOfScheduledSteps) {
  // Where they are asked for.
  for (const bool asked : {false, true}) {
    config.hostSpans = asked;
    begin({.wait = 1, .active = 1, .repeat = 1}, {folder.file("run.jsonl")});
    for (int i = 0; i < 3; ++i) {
      step(i);
      EXPECT_EQ(session->recordingSwitch.hostSpans(), asked && i == 1);
      HostSpan span;
      const std::string name = "host in step " + std::to_string(i);
      span.kind = HostKind::Range;
      span.name = name;
      span.begin_ns = nowNs + 1;
      span.end_ns = nowNs + 2;
      session->consume(std::span<const HostSpan>(&span, 1));
    }
    leave();
    const std::string text = contents(folder.file("run.jsonl"));
    EXPECT_THAT(text, AllOf(Not(HasSubstr("host in step 0")), Not(HasSubstr("host in step 2"))));
    EXPECT_EQ(text.find("host in step 1") != std::string::npos, asked);
  }
}

TEST_F(ScheduledOutputsTest, OnlyCycleKeepsFileName) {
  // If there is one cycle only, an output is written under its own name.
  begin({.wait = 1, .active = 1, .repeat = 1}, {folder.file("trace.json")});
  for (int i = 0; i < 4; ++i)
    step(i);
  leave();
  EXPECT_THAT(folder.names(), UnorderedElementsAre("trace.json"));
}

TEST_F(ScheduledOutputsTest, StreamIsOneForAllCycles) {
  begin({.wait = 1, .warmup = 1, .active = 1}, {"replays:" + folder.file("replays")});
  for (int i = 0; i < 6; ++i)
    step(i);
  leave();
  EXPECT_THAT(folder.names(), UnorderedElementsAre("replays"));
  const std::string replays = contents(folder.file("replays"));
  for (const int recorded : {2, 5})
    EXPECT_THAT(replays, HasSubstr("in step " + std::to_string(recorded) + ":"));
  for (const int other : {0, 1, 3, 4})
    EXPECT_THAT(replays, Not(HasSubstr("in step " + std::to_string(other) + ":")));
}

TEST_F(ScheduledOutputsTest, SavesUnfinishedCycle) {
  // The cycle in which the program ends is saved.
  begin({.active = 10}, {"table:" + folder.file("table")});
  for (int i = 0; i < 3; ++i)
    step(i);
  leave();
  EXPECT_THAT(contents(folder.file("table.1")),
              AllOf(HasSubstr("in step 0"), HasSubstr("steps 0 to 2")));
}

TEST_F(ScheduledOutputsTest, SavesWhenLastStepEnds) {
  // A cycle is saved at the end of a step that none follows.
  begin({.active = 1}, {"table:" + folder.file("table")});
  step(0);
  nowNs += 10;
  outputs->ended(0);
  EXPECT_TRUE(saver.flush(patienceMs));
  EXPECT_THAT(contents(folder.file("table.1")), HasSubstr("cycle 1: step 0\n"));
  EXPECT_FALSE(session->recording());
}

TEST_F(ScheduledOutputsTest, SaysIfNoStepBegan) {
  // Nothing is recorded before the first step, and it says if there was none.
  graphprof::test::captureStderr();
  begin({.active = 1}, {"table:" + folder.file("table")});
  EXPECT_FALSE(session->recording());
  leave();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("the program began no step"), HasSubstr("GRAPHPROF_STEP=launches")));
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ScheduledOutputsTest, SaysIfProgramEndedEarly) {
  graphprof::test::captureStderr();
  begin({.wait = 5, .active = 1}, {"table:" + folder.file("table")});
  step(0);
  step(1);
  leave();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("ended after 2 steps, before"));
}

TEST_F(ScheduledOutputsTest, SaysWhatCannotBeWritten) {
  // The others are written.
  begin({.active = 1, .repeat = 1}, {"/nonexistent/trace.json", "table:" + folder.file("table")});
  graphprof::test::captureStderr();
  step(0);
  step(1);
  leave();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("output /nonexistent/trace.json failed in cycle 1: "));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("table"));
}

TEST_F(ScheduledOutputsTest, GatesOtherOutputs) {
  // Whatever else is to follow the schedule.
  begin({.wait = 1, .active = 1}, {});
  struct Counter : Output {
    Counter() : Output("counter", {.hostSpans = true}) {}
    [[nodiscard]] std::string write(const Batch &batch) override {
      records += batch.timings.size();
      spans += batch.spans.size();
      EXPECT_EQ(batch.timings.size(), batch.launches.empty() ? 0 : batch.launches.front().count);
      view.take(batch);
      for (const Batch::Launch &launch : batch.launches)
        for (const Record &record : view.replay(batch, launch).records)
          names += std::string(record.name) + ' ';
      return {};
    }
    [[nodiscard]] std::string close(const Losses &) override { return {}; }
    std::size_t records = 0, spans = 0;
    std::string names;
    BatchView view;
  };
  auto counter = std::make_unique<Counter>();
  const Counter *counted = counter.get();
  session->outputs.attach(outputs->gated(std::move(counter)));
  for (int i = 0; i < 4; ++i)
    step(i);
  EXPECT_EQ(2U, counted->records);
  Sample sample = Sample::outsideGraphs();
  Replay group = sample.region("loop", 0, 0, 1).region("now", 1, 0, 1);
  std::vector<Record> records(group.records.begin(), group.records.end());
  records[0].launch_ns = 1;
  records[1].launch_ns = nowNs + 1;
  group.records = records;
  session->consume(group);
  EXPECT_EQ(3U, counted->records) << "of a group, what began in a step that is recorded";
  EXPECT_TRUE(counted->names.ends_with(" now ")) << counted->names;
  std::vector<HostSpan> spans(3);
  spans[0].begin_ns = 1;
  spans[1].begin_ns = nowNs + 1; // and ends before it began to be recorded
  spans[2].begin_ns = spans[2].end_ns = nowNs + 2;
  session->consume(spans);
  EXPECT_EQ(1U, counted->spans);
  leave();
}

} // namespace
