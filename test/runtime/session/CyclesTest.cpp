// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Cycles.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../output/Samples.h"
#include "support/Stderr.h"

using namespace graphprof;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Pair;

namespace {

constexpr auto N = ProfilerAction::NONE, W = ProfilerAction::WARMUP, R = ProfilerAction::RECORD,
               S = ProfilerAction::RECORD_AND_SAVE;
constexpr std::int64_t patienceMs = 10'000;

Config silent() {
  Config config;
  config.outputs = {};
  return config;
}

// A cycle as on_trace_ready sees it: its records' names.
std::vector<std::string> namesOf(const SavedCycle &saved) {
  std::vector<std::string> names;
  for (const Record &record : saved.all->records())
    names.emplace_back(record.name);
  return names;
}

std::vector<std::string> hostNamesOf(const SavedCycle &saved) {
  std::vector<std::string> names;
  for (const HostSpan &span : saved.all->spans())
    names.emplace_back(span.name);
  return names;
}

// A session and a saver without a device: the test says what was launched when, and when it has
// been read. Times are in the test's hands: step k is at k * 1000.
struct CyclesTest : testing::Test {
  // The saver's thread outlives the test, as in a program.
  struct Shared {
    std::atomic<std::int64_t> handedOnNs{INT64_MAX};
    Saver saver{[this](std::int64_t hostNs) { return handedOnNs.load() >= hostNs; }};
  };
  Shared &shared = *new Shared; // never destroyed, as its saver
  std::unique_ptr<Session> session = std::make_unique<Session>(silent());
  std::vector<std::vector<std::string>> ready;
  Cycles::Options options;
  std::shared_ptr<Cycles> cycles;
  std::int64_t nowNs = 0;

  void plan(std::vector<ProfilerAction> actions) {
    options.schedule = [actions = std::move(actions)](std::int64_t step) {
      return actions.at(static_cast<std::size_t>(step));
    };
  }
  void make() {
    if (!options.ready)
      options.ready = [this](const auto &saved) { ready.push_back(namesOf(*saved)); };
    options.name = "a test";
    session->recordingSwitch.onlyRequested();
    cycles = std::make_shared<Cycles>(*session, shared.saver, [this] { return nowNs; }, options);
    session->outputs.attach(cycles->collector());
  }
  void begin() {
    make();
    cycles->start();
  }
  Cycles &after(std::int64_t ns) {
    nowNs += ns;
    return *cycles;
  }
  void step() { after(1000).step(); }
  void stop() {
    after(1000).stop();
    EXPECT_TRUE(cycles->flush(patienceMs));
  }
  // A replay of one region that was launched `afterNs` behind the last step.
  void replay(const std::string &name, std::int64_t afterNs = 500) {
    replayAt(name, nowNs + afterNs);
  }
  void replayAt(const std::string &name, std::int64_t launchNs) {
    Sample sample;
    Replay made = sample.region(name, 0, 0, 1'000);
    made.launchNs = launchNs;
    session->consume(made);
  }
  void span(std::string_view name, std::int64_t beginNs, std::int64_t endNs) {
    HostSpan made;
    made.name = name;
    made.begin_ns = beginNs;
    made.end_ns = endNs;
    session->consume({&made, 1});
  }
  void allocate(std::int64_t bytes, std::int64_t afterNs = 500) {
    MemoryEvent event;
    event.timeNs = nowNs + afterNs;
    event.bytes = bytes;
    session->outputs.consume(event, "in/" + std::to_string(bytes));
  }
  [[nodiscard]] bool recording() const { return session->recording(); }
};

// A cycle's allocations: bytes and path.
std::vector<std::string> memoryOf(const SavedCycle &saved) {
  std::vector<std::string> events;
  for (const MemoryEvent &event : saved.all->memory())
    events.push_back(std::to_string(event.bytes) + " " + std::string(event.path));
  return events;
}

TEST_F(CyclesTest, RecordsAllocationsIfTold) {
  // Those of each cycle, where it is told to.
  options.memory = true;
  options.accumulate = true;
  std::vector<std::vector<std::string>> memory;
  options.ready = [&](const auto &saved) { memory.push_back(memoryOf(*saved)); };
  plan({N, S, N, S, N});
  begin();
  EXPECT_FALSE(session->recordingSwitch.memory());
  allocate(1);
  step();
  EXPECT_TRUE(session->recordingSwitch.memory());
  allocate(2);
  allocate(3, 700);
  step();
  EXPECT_FALSE(session->recordingSwitch.memory());
  allocate(4);
  step();
  allocate(5);
  stop();
  EXPECT_THAT(memory, ElementsAre(ElementsAre("2 in/2", "3 in/3"),
                                  ElementsAre("2 in/2", "3 in/3", "5 in/5")));
}

TEST_F(CyclesTest, LeavesAllocationsAloneUntold) {
  // Without being told to, it neither asks for allocations nor keeps those of others.
  begin();
  EXPECT_FALSE(session->recordingSwitch.memory());
  allocate(1); // for somebody else
  stop();
  EXPECT_THAT(memoryOf(*cycles->saved()), IsEmpty());
}

TEST_F(CyclesTest, RecordsThroughoutWithoutSchedule) {
  // Without a schedule it records from start to stop.
  begin();
  replay("a");
  step();
  replay("b");
  EXPECT_THAT(ready, IsEmpty());
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("a", "b")));
  EXPECT_EQ(1, cycles->stepNumber());
}

TEST_F(CyclesTest, HandsOverEachCycle) {
  plan({N, W, R, S, N, W, R, S, N});
  begin();
  for (const char *name : {"n0", "w1", "r2", "s3", "n4", "w5", "r6", "s7"}) {
    replay(name);
    step();
  }
  replay("n8");
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("r2", "s3"), ElementsAre("r6", "s7")));
}

TEST_F(CyclesTest, RecordsInWarmupAndRecordOnly) {
  plan({N, W, R, S, N});
  begin();
  std::vector<bool> seen = {recording()};
  for (int i = 0; i < 4; ++i) {
    step();
    seen.push_back(recording());
  }
  EXPECT_THAT(seen, ElementsAre(false, true, true, true, false));
  stop();
  EXPECT_FALSE(recording());
}

TEST_F(CyclesTest, RecordBelongsToLaunchsCycle) {
  // A record belongs to the cycle in which it was launched, however late it comes.
  plan({S, S, S});
  shared.handedOnNs = -1;
  begin();
  step();
  step();
  replayAt("second", 1500);
  replayAt("first", 999);
  replayAt("third", 2000);
  replayAt("before", -1);
  shared.handedOnNs = INT64_MAX;
  stop();
  EXPECT_THAT(ready,
              ElementsAre(ElementsAre("first"), ElementsAre("second"), ElementsAre("third")));
}

TEST_F(CyclesTest, StepWaitsForNothing) {
  // A step waits neither for the device nor for on_trace_ready.
  plan({S, S, N});
  shared.handedOnNs = -1; // nothing is ever read
  std::promise<void> called, release;
  std::atomic<int> calls{0};
  options.ready = [&](const auto &) {
    if (++calls == 1) {
      called.set_value();
      release.get_future().wait();
    }
  };
  begin();
  step();
  EXPECT_EQ(1, cycles->stepNumber()) << "though the trace is not there";
  EXPECT_FALSE(cycles->flush(1));
  shared.handedOnNs = 1000;
  called.get_future().wait();
  shared.handedOnNs = INT64_MAX;
  step();
  EXPECT_EQ(1, calls) << "never two at once";
  EXPECT_FALSE(cycles->flush(1));
  release.set_value();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_EQ(2, calls);
  cycles->close();
}

TEST_F(CyclesTest, WarnsAsTorchProfilerDoes) {
  // Of the schedules of which torch.profiler warns.
  plan({W, N, R, N, R, W, R, S});
  graphprof::test::captureStderr();
  begin();
  for (int i = 0; i < 7; ++i) {
    replay(std::to_string(i));
    step();
  }
  replay("7");
  stop();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("Incorrect schedule: WARMUP followed by NONE"));
  EXPECT_THAT(said, HasSubstr("Incorrect schedule: RECORD followed by NONE"));
  EXPECT_THAT(said, HasSubstr("Incorrect schedule: RECORD followed by WARMUP"));
  EXPECT_THAT(ready, ElementsAre(ElementsAre("6", "7"))) << "the others were stopped, not saved";
}

TEST_F(CyclesTest, UnsavedCycleIsShown) {
  // What was stopped and not saved can be shown all the same.
  plan({R, N});
  begin();
  replay("r0");
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(ready, IsEmpty());
  EXPECT_THAT(namesOf(*cycles->saved()), ElementsAre("r0"));
}

TEST_F(CyclesTest, StoppedWarmupHasRecordedNothing) {
  plan({W});
  begin();
  replay("w0");
  stop();
  EXPECT_THAT(ready, IsEmpty());
  EXPECT_EQ(1U, cycles->saved()->number);
  EXPECT_EQ(-1, cycles->saved()->firstStep);
  EXPECT_THAT(namesOf(*cycles->saved()), IsEmpty());
}

TEST_F(CyclesTest, SaysWhichStepsWereRecorded) {
  plan({N, R, R, S, N, R});
  begin();
  for (int i = 0; i < 5; ++i)
    step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_EQ(1, cycles->saved()->firstStep);
  EXPECT_EQ(3, cycles->saved()->lastStep);
  stop();
  EXPECT_EQ(5, cycles->saved()->firstStep);
  EXPECT_EQ(5, cycles->saved()->lastStep);
  EXPECT_EQ(2U, cycles->saved()->number);
}

TEST_F(CyclesTest, RestSavesEndedCycle) {
  // A rest saves the cycle that ended, and no other.
  plan({R, S, R});
  begin();
  replay("r0");
  after(100).rest();
  replay("still r0");
  step();
  replay("s1");
  after(1000).rest();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(ready, ElementsAre(ElementsAre("r0", "still r0", "s1")));
  EXPECT_FALSE(recording());
  replay("between");
  step();
  EXPECT_TRUE(recording());
  EXPECT_EQ(0, cycles->saved()->firstStep);
  EXPECT_EQ(1, cycles->saved()->lastStep);
}

TEST_F(CyclesTest, AccumulatesEventsIfTold) {
  plan({S, S, N});
  options.accumulate = true;
  begin();
  replay("a");
  step();
  replay("b");
  step();
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("a"), ElementsAre("a", "b")));
  ASSERT_EQ(1U, cycles->saved()->own->size()) << "a trace file has the last cycle only";
  EXPECT_EQ("b", cycles->saved()->own->records()[0].name);
}

TEST_F(CyclesTest, StartsAndStopsAgain) {
  begin();
  replay("a");
  after(10).start(); // has started
  stop();
  cycles->stop();
  replay("between");
  after(1000).start();
  replay("b");
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST_F(CyclesTest, CountsStepsWhileStopped) {
  plan({N, N, S});
  make();
  step();
  step();
  EXPECT_EQ(2, cycles->stepNumber());
  EXPECT_FALSE(recording());
  after(1000).start();
  EXPECT_TRUE(recording());
  replay("a");
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("a")));
}

TEST_F(CyclesTest, RecordsChosenActivities) {
  options.activities = {ProfilerActivity::CPU};
  begin();
  EXPECT_FALSE(recording()) << "launches are the device's";
  EXPECT_TRUE(session->recordingSwitch.host());
  Sample sample = Sample::outsideGraphs();
  Replay made = sample.region("device", 0, 0, 1000).region("host", 0, 0, 1000, Clock::Host);
  std::vector<Record> records(made.records.begin(), made.records.end());
  for (Record &record : records)
    record.launch_ns = nowNs + 1;
  made.records = records;
  session->consume(made);
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("host")));
}

TEST_F(CyclesTest, ToggledActivityLastsOneCycle) {
  // Activities are switched off and on until the cycle ends.
  plan({W, R, S, R, S, N});
  begin();
  after(1).toggle(false, {ProfilerActivity::CUDA});
  EXPECT_TRUE(recording()) << "nothing is recorded yet that could be toggled";
  step();
  replayAt("on", nowNs + 5);
  after(10).toggle(false, {ProfilerActivity::CUDA});
  EXPECT_FALSE(recording());
  EXPECT_TRUE(session->recordingSwitch.host());
  replayAt("off", nowNs + 5);
  step();
  EXPECT_FALSE(recording());
  replayAt("off too", nowNs + 5);
  after(10).toggle(true, {ProfilerActivity::CUDA});
  after(10).toggle(true, {ProfilerActivity::CUDA});
  replayAt("on again", nowNs + 5);
  after(10).toggle(false, {ProfilerActivity::CUDA});
  step();
  EXPECT_TRUE(recording()) << "the next cycle begins anew";
  replayAt("next", nowNs + 5);
  step();
  step();
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("on", "on again"), ElementsAre("next")));
}

TEST_F(CyclesTest, EagerRegionsBelongWhereTheyBegan) {
  // Regions outside graphs come with what is around them, and yet belong to the cycle of their
  // begin.
  plan({N, S, S, N});
  shared.handedOnNs = -1;
  begin();
  step();
  step();
  Sample sample = Sample::outsideGraphs();
  Replay made = sample.region("loop", 0, 0, 9000)
                    .region("first", 1, 0, 10)
                    .region("inside first", 2, 0, 10)
                    .region("second", 1, 0, 10);
  std::vector<Record> records(made.records.begin(), made.records.end());
  records[0].launch_ns = 10;   // step 0
  records[1].launch_ns = 1010; // step 1
  records[2].launch_ns = 1020;
  records[3].launch_ns = 2010; // step 2
  made.records = records;
  made.launchNs = 10;
  session->consume(made);
  shared.handedOnNs = INT64_MAX;
  step();
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("first", "inside first"), ElementsAre("second")));
}

TEST_F(CyclesTest, HandsOnBeforeCycleEnds) {
  // What this thread holds back is handed on before a cycle ends.
  plan({S, N});
  options.handOn = [this] { replayAt("held back", 500); };
  begin();
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(ready, ElementsAre(ElementsAre("held back")));
}

TEST_F(CyclesTest, GivesEachTraceAnId) {
  plan({S, N, W, S, N});
  begin();
  const std::string first = cycles->traceId();
  EXPECT_THAT(first, MatchesRegex("[0-9A-F]{32}"));
  step();
  EXPECT_EQ(first, cycles->traceId()) << "until the next one is prepared";
  cycles->traceIdFrom([] { return "mine"; });
  step();
  EXPECT_EQ("mine", cycles->traceId());
  cycles->traceIdFrom([] { return "too late"; });
  step();
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_EQ("mine", cycles->saved()->traceId);
}

TEST_F(CyclesTest, MetadataIsForOneTrace) {
  // Metadata is for the trace at hand, preset metadata for all of them.
  plan({N, S, S, N});
  options.ready = [](const auto &) {};
  make();
  cycles->presetMetadata("run", "7");
  cycles->metadata("early", "1");
  cycles->start();
  step();
  cycles->metadata("note", "\"a\"");
  cycles->metadata("note", "\"b\"");
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(cycles->saved()->metadata,
              ElementsAre(Pair("early", "1"), Pair("run", "7"), Pair("note", "\"b\"")));
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(cycles->saved()->metadata, ElementsAre(Pair("run", "7")));
}

TEST_F(CyclesTest, SurvivesThrowingFunctions) {
  // It goes on where the program's functions throw.
  options.schedule = [](std::int64_t step) {
    if (step == 1)
      throw std::runtime_error("no plan");
    return S;
  };
  options.traceId = []() -> std::string { throw 1; };
  int calls = 0;
  options.ready = [&](const auto &) {
    ++calls;
    throw std::runtime_error("no disk");
  };
  graphprof::test::captureStderr();
  begin();
  step();
  EXPECT_FALSE(recording());
  step();
  stop();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(2, calls);
  EXPECT_THAT(said, HasSubstr("the schedule of a test threw in step 1"));
  EXPECT_THAT(said, HasSubstr("on_trace_ready of a test threw: no disk"));
  EXPECT_THAT(said, HasSubstr("a trace has no id"));
}

TEST_F(CyclesTest, IsNotCalledOnceClosed) {
  plan({S, N});
  shared.handedOnNs = -1;
  begin();
  step();
  cycles->close();
  shared.handedOnNs = INT64_MAX;
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_THAT(ready, IsEmpty());
}

TEST_F(CyclesTest, OnTraceReadyMayClose) {
  // The callback may close it, and does not wait for itself.
  plan({S, N});
  bool flushed = true;
  options.ready = [&](const auto &) {
    flushed = cycles->flush(patienceMs);
    cycles->close();
  };
  begin();
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_FALSE(flushed);
}

TEST_F(CyclesTest, HostSpanBelongsToOneCycle) {
  // A host span belongs to the cycle in which it began and ended.
  plan({N, S, S, N});
  shared.handedOnNs = -1;
  std::vector<std::vector<std::string>> spans;
  options.ready = [&](const auto &saved) { spans.push_back(hostNamesOf(*saved)); };
  begin();
  step();
  span("early", 500, 1200);
  span("first", 1100, 1200);
  step();
  span("across", 1900, 2100);
  span("second", 2100, 2200);
  step();
  shared.handedOnNs = INT64_MAX;
  stop();
  EXPECT_THAT(spans, ElementsAre(ElementsAre("first"), ElementsAre("second")));
  EXPECT_EQ(0U, session->losses().dropped) << "the others belong to no cycle";
}

TEST_F(CyclesTest, WantsHostSpansWithCpu) {
  // It wants host spans while it records the CPU.
  plan({N, W, R, S, N});
  begin();
  const auto wanted = [&] { return session->recordingSwitch.hostSpans(); };
  std::vector<bool> seen = {wanted()};
  for (int i = 0; i < 2; ++i) {
    step();
    seen.push_back(wanted());
  }
  after(1).toggle(false, {ProfilerActivity::CPU});
  seen.push_back(wanted());
  after(1).toggle(true, {ProfilerActivity::CPU});
  for (int i = 0; i < 2; ++i) {
    step();
    seen.push_back(wanted());
  }
  EXPECT_THAT(seen, ElementsAre(false, false, true, false, true, false));
  stop();
}

TEST_F(CyclesTest, WantsNoHostSpansIfTold) {
  options.hostSpans = false;
  begin();
  EXPECT_TRUE(session->recordingSwitch.host());
  EXPECT_FALSE(session->recordingSwitch.hostSpans());
  span("nobody's", 1, 2);
  stop();
  EXPECT_EQ(0U, cycles->saved()->own->spans().size());
}

TEST_F(CyclesTest, AccumulatesHostSpansToo) {
  plan({S, S, N});
  options.accumulate = true;
  begin();
  span("a", 1, 2);
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  span("b", 1001, 1002);
  step();
  stop();
  EXPECT_THAT(hostNamesOf(*cycles->saved()), ElementsAre("a", "b"));
  EXPECT_EQ(1U, cycles->saved()->own->spans().size());
}

struct BoundedCyclesTest : CyclesTest {
  BoundedCyclesTest() {
    Config config = silent();
    config.maxRecords = 3;
    config.maxQueue = 2;
    session = std::make_unique<Session>(config);
  }
};

TEST_F(BoundedCyclesTest, CountsRecordsBeyondBound) {
  // It keeps as many records as it may, and counts the others.
  plan({S, S, N});
  begin();
  for (int i = 0; i < 5; ++i)
    replay(std::to_string(i), i);
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_EQ(2U, cycles->saved()->dropped);
  EXPECT_EQ(2U, session->losses().dropped);
  replay("next");
  step();
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("0", "1", "2"), ElementsAre("next")));
}

TEST_F(BoundedCyclesTest, CountsHostSpansBeyondBound) {
  // It keeps as many host spans as records, and counts the others.
  plan({S, S, N});
  begin();
  for (const char *name : {"0", "1", "2"})
    replay(name, 1);
  for (int i = 0; i < 5; ++i)
    span("span", i, i + 1);
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  EXPECT_EQ(3U, cycles->saved()->own->size());
  EXPECT_EQ(3U, cycles->saved()->own->spans().size());
  EXPECT_EQ(2U, cycles->saved()->dropped);
  EXPECT_EQ(2U, session->losses().dropped);
  span("next", 1001, 1002);
  step();
  stop();
  EXPECT_THAT(hostNamesOf(*cycles->saved()), ElementsAre("next"));
}

TEST_F(BoundedCyclesTest, CountsLateRecords) {
  // What comes after its cycle was saved is counted.
  plan({S, N});
  begin();
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  replayAt("late", 10);
  EXPECT_EQ(1U, session->losses().dropped);
  replayAt("nobody's", 1500);
  EXPECT_EQ(1U, session->losses().dropped);
  span("late", 10, 20);
  EXPECT_EQ(2U, session->losses().dropped);
  span("nobody's", 10, 1500);
  EXPECT_EQ(2U, session->losses().dropped);
}

TEST_F(BoundedCyclesTest, LeavesTraceOutWhileManyWait) {
  plan({S, S, S, S, N});
  shared.handedOnNs = -1;
  graphprof::test::captureStderr();
  begin();
  for (int i = 0; i < 4; ++i) {
    if (i < 3)
      replay(std::to_string(i));
    step();
  }
  shared.handedOnNs = INT64_MAX;
  stop();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a trace of a test is left out"));
  EXPECT_THAT(ready, ElementsAre(ElementsAre("0"), ElementsAre("1")));
}

TEST_F(BoundedCyclesTest, AccumulatesUpToBound) {
  plan({S, S, N});
  options.accumulate = true;
  begin();
  replay("a");
  replay("b");
  step();
  EXPECT_TRUE(cycles->flush(patienceMs));
  replay("c");
  replay("d");
  step();
  stop();
  EXPECT_THAT(ready, ElementsAre(ElementsAre("a", "b"), ElementsAre("a", "b")));
  EXPECT_EQ(2U, session->losses().dropped);
}

} // namespace
