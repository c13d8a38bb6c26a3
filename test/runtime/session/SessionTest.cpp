// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Session.h"
#include "session/WhyNothing.h"

#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../output/Samples.h"
#include "output/MakeOutput.h"
#include "output/data/BatchView.h"
#include "output/formats/callback/Callback.h"
#include "support/Stderr.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Config silent() {
  Config config;
  config.outputs = {};
  return config;
}

// Notes what happens to it, and fails where it is told to.
class Probe : public Output {
public:
  Probe(std::string name, std::vector<std::string> &log)
      : Output(std::move(name), {.hostSpans = true, .memory = true}), log_(log) {}
  ~Probe() override { log_.push_back(name() + " destroyed"); }
  [[nodiscard]] std::string write(const Batch &batch) override {
    for (const Batch::Launch &launch : batch.launches)
      log_.push_back(name() + " write " + std::to_string(launch.replay.number));
    if (!batch.spans.empty())
      log_.push_back(name() + " spans " + std::to_string(batch.spans.size()));
    for (const Batch::Memory &memory : batch.memory)
      log_.push_back(name() + " memory " + std::to_string(memory.event.bytes) + " " + memory.path);
    view_.take(batch);
    for (const Batch::Launch &launch : batch.launches)
      for (const Record &record : view_.replay(batch, launch).records)
        names.emplace_back(record.name);
    return batch.empty() ? std::string() : failure;
  }
  [[nodiscard]] std::uint64_t dropped() const override { return droppedSoFar; }
  [[nodiscard]] std::string close(const Losses &losses) override {
    log_.push_back(name() + " close " + std::to_string(losses.overrun));
    dropsOfOthers.push_back(losses.dropped);
    return failure;
  }

  std::string failure;
  std::uint64_t droppedSoFar = 0;
  std::vector<std::string> names; // of all records
  // What close() is told: what was lost before it came to this output. Outlives it.
  static inline std::vector<std::uint64_t> dropsOfOthers;

private:
  BatchView view_;
  std::vector<std::string> &log_;
};

struct Fixture : testing::Test {
  // The log outlives the session, whose outputs write to it when they are destroyed.
  std::vector<std::string> log;
  std::unique_ptr<Session> session = std::make_unique<Session>(silent());

  Probe *attach(const std::string &name) {
    return static_cast<Probe *>(session->outputs.attach(std::make_unique<Probe>(name, log)));
  }
  Output *attach(std::function<void(const Record &)> function) {
    return session->outputs.attach(
        std::make_unique<Callback>(std::move(function), 1'000, [this](const std::string &why) {
          session->outputs.sayFailed("callback", why);
        }));
  }
  // Returns when the callbacks have returned.
  void consume(const Replay &replay) {
    session->consume(replay);
    (void)session->outputs.flush(10'000);
  }
  void consume(std::uint64_t number = 0) {
    Sample sample(number);
    consume(sample.region("add", 0, 0, 1'000).region("relu", 0, 1'000, 1'000));
  }
};

using SessionTest = Fixture;

TEST_F(SessionTest, HandsReplayToEveryOutput) {
  // In the order of attaching.
  attach("a");
  attach("b");
  consume(0);
  consume(1);
  EXPECT_THAT(log, ElementsAre("a write 0", "b write 0", "a write 1", "b write 1"));
}

TEST_F(SessionTest, HostSpansReachThoseWanting) {
  // Host spans go to the outputs that want them.
  attach("a");
  attach([](const Record &) {});
  const std::vector<HostSpan> spans(2);
  session->consume(spans);
  EXPECT_THAT(log, ElementsAre("a spans 2"));
  session->close();
  session->consume(spans);
  EXPECT_EQ(session->losses().dropped, 2U);
}

TEST_F(SessionTest, LateOutputKnowsRegions) {
  // An output that is attached late knows the regions, too.
  attach("a");
  consume(0);
  Probe *const late = attach("b");
  consume(1);
  session->outputs.detach(attach("c"));
  Probe *const last = attach("d");
  consume(2);
  EXPECT_THAT(late->names, ElementsAre("add", "relu", "add", "relu"));
  EXPECT_THAT(last->names, ElementsAre("add", "relu"));
}

TEST_F(SessionTest, CallbackGetsWholeRecords) {
  // With all that was measured, also when each region began on the host.
  Sample sample = Sample::outsideGraphs();
  Replay replay = sample.region("outer", 0, 0, 5).region("inner", 1, 1, 2);
  std::vector<Record> records(replay.records.begin(), replay.records.end());
  records[0].launch_ns = 100;
  records[1].launch_ns = 200;
  replay.records = records;
  std::vector<std::string> names;
  std::vector<std::int64_t> begins, launches;
  attach([&](const Record &record) {
    names.emplace_back(record.name);
    begins.push_back(record.begin_ns);
    launches.push_back(record.launch_ns);
  });
  consume(replay);
  EXPECT_THAT(names, ElementsAre("outer", "inner"));
  EXPECT_THAT(begins, ElementsAre(records[0].begin_ns, records[1].begin_ns));
  EXPECT_THAT(launches, ElementsAre(100, 200));
}

TEST_F(SessionTest, FailedLastBatchPreventsClose) {
  // An output whose last batch fails is not closed.
  Probe *const probe = attach("a");
  session->factsFrom([] { return Session::Facts{{"deviceProperties", "[]"}}; });
  probe->failure = "no space";
  graphprof::test::captureStderr();
  session->close();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: output a failed and gets nothing more: no space\n");
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(SessionTest, StreamedHostSpansMustBeAsked) {
  // For what is written meanwhile, host spans are gathered only where they are asked for.
  const test::Folder folder;
  Config config;
  config.outputsGiven = true;
  config.outputs = {"table:" + folder.file("t"), folder.file("run.gprof")};
  EXPECT_FALSE(Session(config).recordingSwitch.hostSpans());
  config.hostSpans = true;
  EXPECT_TRUE(Session(config).recordingSwitch.hostSpans());
  config.outputs.pop_back();
  EXPECT_FALSE(Session(config).recordingSwitch.hostSpans()) << "a table shows none";
  config.hostSpans = false;
  config.outputs.push_back(folder.file("trace.json"));
  EXPECT_TRUE(Session(config).recordingSwitch.hostSpans());
}

TEST_F(SessionTest, FailureWithHostSpansIsFinal) {
  // An output that fails with host spans gets nothing more.
  Probe *const probe = attach("a");
  probe->failure = "the disk is full";
  const std::vector<HostSpan> spans(2);
  graphprof::test::captureStderr();
  session->consume(spans);
  session->consume(spans);
  consume();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: output a failed and gets nothing more: the disk is full\n");
  EXPECT_THAT(log, ElementsAre("a spans 2"));
  EXPECT_EQ(session->losses().dropped, 4U);
}

TEST_F(SessionTest, ClosesOutputsOnceWithLosses) {
  attach("a");
  attach("b");
  session->counters.overrun = 3;
  session->close();
  session->close();
  EXPECT_THAT(log, ElementsAre("a close 3", "b close 3"));
}

TEST_F(SessionTest, DropsWhatComesAfterClose) {
  // And counts it.
  attach("a");
  session->close();
  consume();
  EXPECT_THAT(log, ElementsAre("a close 0"));
  EXPECT_EQ(session->losses().dropped, 2U);
}

MemoryEvent allocation(std::int64_t bytes) {
  MemoryEvent event;
  event.bytes = bytes;
  return event;
}

TEST_F(SessionTest, HandsMemoryOnAtOnce) {
  // To every output.
  attach("a");
  attach("b");
  session->outputs.consume(allocation(8), "decode/attention");
  EXPECT_THAT(log, ElementsAre("a memory 8 decode/attention", "b memory 8 decode/attention"));
}

// An output in whose write() the session stays.
struct Holding : Output {
  Holding(std::promise<void> &entered, std::promise<void> &leave)
      : Output("holding"), entered_(entered), leave_(leave.get_future()) {}
  [[nodiscard]] std::string write(const Batch &batch) override {
    if (!batch.launches.empty() && leave_.valid()) {
      entered_.set_value();
      leave_.get();
    }
    return {};
  }
  [[nodiscard]] std::string close(const Losses &) override { return {}; }

private:
  std::promise<void> &entered_;
  std::future<void> leave_;
};

TEST_F(SessionTest, AllocationWaitsForNoOutput) {
  // While an output is called, an allocation is kept, and comes later.
  std::promise<void> entered, leave;
  session->outputs.attach(std::make_unique<Holding>(entered, leave));
  attach("a");
  std::thread harvest([this] {
    Sample sample;
    session->consume(sample.region("add", 0, 0, 1));
  });
  entered.get_future().wait();
  session->outputs.consume(allocation(8), "x"); // would never return if it waited
  session->outputs.consume(allocation(9), "y");
  leave.set_value();
  harvest.join();
  EXPECT_THAT(log, ElementsAre("a write 0"));
  log.clear();
  EXPECT_TRUE(session->outputs.flush(1000));
  EXPECT_THAT(log, ElementsAre("a memory 8 x", "a memory 9 y"));
}

TEST_F(SessionTest, NothingWaitsForCallbacks) {
  // Neither the harvest nor an allocation, nor one that attaches or detaches an output.
  std::promise<void> entered, leave;
  auto leaving = leave.get_future().share();
  std::atomic<bool> first = true;
  attach([&](const Record &) {
    if (first.exchange(false))
      entered.set_value();
    leaving.wait();
  });
  Sample sample;
  const Replay replay = sample.region("add", 0, 0, 1);
  session->consume(replay);
  entered.get_future().wait();
  session->outputs.detach(attach("b"));
  attach("a");
  session->consume(replay);
  session->outputs.consume(allocation(8), "x");
  EXPECT_THAT(log, ElementsAre("b destroyed", "a write 0", "a memory 8 x"));
  EXPECT_FALSE(session->outputs.flush(1)) << "but this does";
  leave.set_value();
  EXPECT_TRUE(session->outputs.flush(10'000));
}

TEST_F(SessionTest, CallbacksAllocationComesLater) {
  attach([this](const Record &record) {
    if (record.name == "add")
      session->outputs.consume(allocation(8), "x");
  });
  attach("a");
  consume(0);
  consume(1);
  session->close();
  EXPECT_THAT(log,
              ElementsAre("a write 0", "a memory 8 x", "a write 1", "a memory 8 x", "a close 0"));
}

TEST_F(SessionTest, WaitingMemoryIsBounded) {
  // What is beyond the bound is counted.
  Config config = silent();
  config.maxRecords = 3;
  session = std::make_unique<Session>(config);
  std::promise<void> entered, leave;
  session->outputs.attach(std::make_unique<Holding>(entered, leave));
  attach("a");
  std::thread harvest([this] {
    Sample sample;
    session->consume(sample.region("add", 0, 0, 1));
  });
  entered.get_future().wait();
  for (int i = 0; i < 5; ++i)
    session->outputs.consume(allocation(i), "");
  leave.set_value();
  harvest.join();
  EXPECT_EQ(session->losses().dropped, 2U);
  session->close();
  EXPECT_THAT(log,
              ElementsAre("a write 0", "a memory 0 ", "a memory 1 ", "a memory 2 ", "a close 0"));
  session->outputs.consume(allocation(8), "");
  EXPECT_EQ(session->losses().dropped, 3U) << "what comes behind the end too";
}

TEST_F(SessionTest, FailureWithMemoryIsFinal) {
  // An output that fails with memory gets nothing more.
  attach("a")->failure = "the disk is full";
  graphprof::test::captureStderr();
  session->outputs.consume(allocation(8), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("output a failed"));
  session->outputs.consume(allocation(9), "");
  consume();
  EXPECT_THAT(log, ElementsAre("a memory 8 "));
  EXPECT_EQ(session->losses().dropped, 3U);
}

TEST_F(SessionTest, WantsMemoryIfConfigured) {
  Config config;
  config.outputs = {"replays:/dev/null"};
  config.outputsGiven = true;
  EXPECT_FALSE(Session(config).recordingSwitch.memory());
  config.memory = true;
  EXPECT_TRUE(Session(config).recordingSwitch.memory());
}

TEST_F(SessionTest, SaysOnceThatOutputFailed) {
  // It goes on with the others.
  attach("a")->failure = "the disk is full";
  attach("b");
  graphprof::test::captureStderr();
  consume(0);
  consume(1);
  session->close();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: output a failed and gets nothing more: the disk is full\n");
  EXPECT_THAT(log, ElementsAre("a write 0", "b write 0", "b write 1", "b close 0"));
  EXPECT_EQ(session->losses().dropped, 2U) << "the two records of replay 1";
}

TEST_F(SessionTest, SaysThatCloseFailed) {
  // The output that failed to close is named.
  attach("a")->failure = "no permission";
  graphprof::test::captureStderr();
  session->close();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("output a failed"));
}

TEST_F(SessionTest, SurvivesWhatACallbackThrows) {
  int calls = 0;
  attach([&](const Record &) {
    ++calls;
    throw std::runtime_error("not today");
  });
  attach([&](const Record &) { throw 42; });
  attach("a");
  graphprof::test::captureStderr();
  consume(0);
  consume(1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("not today"));
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(log, ElementsAre("a write 0", "a write 1"));
}

TEST_F(SessionTest, SurvivesThrowingOutput) {
  // An output that throws itself, without a callback of the program.
  struct Thrower : Output {
    Thrower() : Output("thrower") {}
    [[nodiscard]] std::string write(const Batch &) override { throw std::runtime_error("no"); }
    [[nodiscard]] std::string close(const Losses &) override { throw 1; }
  };
  session->outputs.attach(std::make_unique<Thrower>());
  attach("a");
  graphprof::test::captureStderr();
  consume();
  session->close();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: output thrower failed and gets nothing more: no\n");
  EXPECT_THAT(log, ElementsAre("a write 0", "a close 0"));
}

TEST_F(SessionTest, CountsWhatOutputsLeaveOut) {
  Probe *probe = attach("a");
  probe->droppedSoFar = 5;
  consume();
  probe->droppedSoFar = 7;
  consume();
  EXPECT_EQ(session->losses().dropped, 7U);
}

// Each says itself what it left out, and nothing of what another did. losses() is the sum.
TEST_F(SessionTest, TellsOutputEarlierLosses) {
  // An output is told what was lost before it came there, not what it or others left out.
  Probe::dropsOfOthers.clear();
  attach("a")->droppedSoFar = 5;
  attach("b")->droppedSoFar = 20;
  Probe *const broken = attach("c");
  broken->failure = "full";
  graphprof::test::captureStderr();
  consume();
  consume(1); // two records that c does not get
  session->outputs.detach(attach("d"));
  session->counters.dropped += 100; // on the way to all of them
  session->close();
  (void)testing::internal::GetCapturedStderr();
  EXPECT_THAT(Probe::dropsOfOthers, ElementsAre(100U, 100U));
  EXPECT_EQ(session->losses().dropped, 100U + 5U + 20U + 2U);
}

// An output that shows none misses none.
TEST_F(SessionTest, LostHostSpansConcernThoseWanting) {
  // An output is told of lost host spans only if they were for it.
  attach("a");
  Output *const other = attach([this](const Record &) {
    const std::vector<HostSpan> spans(3);
    session->consume(spans); // an output is being called: lost
  });
  consume();
  EXPECT_EQ(session->losses().dropped, 6U) << "with each of two records";
  EXPECT_EQ(session->outputs.lossesBefore({.hostSpans = true}).dropped, 6U);
  EXPECT_EQ(session->outputs.lossesBefore(other->wants()).dropped, 0U);
}

TEST_F(SessionTest, TellsOfSettledStepsIfWanted) {
  struct Waiting : Output {
    explicit Waiting(std::vector<std::int64_t> &told)
        : Output("waiting", {.settled = true}), told_(told) {}
    [[nodiscard]] std::string write(const Batch &batch) override {
      told_.push_back(batch.settledBefore);
      return {};
    }
    [[nodiscard]] std::string close(const Losses &) override { return {}; }
    std::vector<std::int64_t> &told_;
  };
  std::vector<std::int64_t> told;
  session->outputs.attach(std::make_unique<Waiting>(told));
  attach("a");
  session->settled(3);
  consume();
  session->settled(7);
  EXPECT_THAT(told, ElementsAre(3, 0, 7));
  EXPECT_THAT(log, ElementsAre("a write 0"));
}

TEST_F(SessionTest, DetachedOutputIsLeftAlone) {
  // A detached output is neither called nor closed.
  Probe *probe = attach("a");
  attach("b");
  session->outputs.detach(probe);
  consume();
  session->close();
  EXPECT_THAT(log, ElementsAre("a destroyed", "b write 0", "b close 0"));
}

TEST_F(SessionTest, DetachesAnOutputThatFailed) {
  Probe *probe = attach("a");
  probe->failure = "gone";
  graphprof::test::captureStderr();
  consume();
  session->outputs.detach(probe);
  consume();
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, ElementsAre("a write 0", "a destroyed"));
  EXPECT_EQ(session->losses().dropped, 0U) << "who is detached misses nothing";
}

TEST_F(SessionTest, DetachingStrangerDoesNothing) {
  attach("a");
  session->outputs.detach(nullptr);
  consume();
  EXPECT_THAT(log, ElementsAre("a write 0"));
}

TEST_F(SessionTest, AttachingNothingGivesNothing) {
  EXPECT_EQ(session->outputs.attach(nullptr), nullptr);
}

TEST_F(SessionTest, DetachWaitsForCall) {
  // For the one that is under way.
  std::promise<void> entered, goOn;
  std::atomic<bool> left = false;
  Output *callback = attach([&](const Record &) {
    if (left)
      return;
    entered.set_value();
    goOn.get_future().wait();
    left = true;
  });
  std::thread harvest([&] { consume(); });
  entered.get_future().wait();
  std::thread owner([&] {
    session->outputs.detach(callback);
    EXPECT_TRUE(left);
  });
  goOn.set_value();
  harvest.join();
  owner.join();
}

TEST_F(SessionTest, CallbackMayDetachItself) {
  // It is not called again then.
  int calls = 0;
  Output *self = nullptr;
  self = attach([&](const Record &) {
    ++calls;
    session->outputs.detach(self);
  });
  attach("a");
  consume(0);
  consume(1);
  EXPECT_EQ(calls, 1) << "not even for the second record of replay 0";
  EXPECT_THAT(log, ElementsAre("a write 0", "a write 1"));
}

TEST_F(SessionTest, CallbackMayAttachOutput) {
  // The output gets the next replay.
  bool attached = false;
  attach([&](const Record &) {
    if (!std::exchange(attached, true))
      attach("late");
  });
  consume(0);
  consume(1);
  EXPECT_THAT(log, ElementsAre("late write 1"));
}

TEST_F(SessionTest, CallbacksOwnRegionsAreDropped) {
  // What a callback itself measures is counted as dropped.
  bool nested = false;
  attach([&](const Record &) {
    if (!std::exchange(nested, true))
      consume(9);
  });
  consume(0);
  EXPECT_EQ(session->losses().dropped, 2U);
}

TEST_F(SessionTest, FlushInsideCallbackReturnsAtOnce) {
  // It would wait for itself.
  bool flushed = true;
  attach([&](const Record &) { flushed = session->outputs.flush(3'600'000); });
  consume();
  EXPECT_FALSE(flushed);
}

TEST_F(SessionTest, CallbackMayClose) {
  bool closed = false;
  attach([&](const Record &) {
    if (!std::exchange(closed, true))
      session->close();
  });
  attach("a");
  consume();
  EXPECT_THAT(log, ElementsAre("a write 0", "a close 0"));
}

TEST_F(SessionTest, CloseGivesUpOnCallback) {
  // If a callback never returns, closing gives up.
  std::promise<void> entered, goOn;
  auto waiting = goOn.get_future().share();
  std::atomic<bool> first = true;
  attach([&](const Record &) {
    if (!first.exchange(false))
      return;
    entered.set_value();
    waiting.wait();
  });
  std::thread harvest([&] { consume(); });
  entered.get_future().wait();
  graphprof::test::captureStderr();
  session->close();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a callback does not return"));
  goOn.set_value();
  harvest.join();
}

TEST_F(SessionTest, ServesOneThreadAtOnce) {
  // Several threads may come.
  int inside = 0, calls = 0; // not atomic on purpose: the session keeps threads apart
  attach([&](const Record &) {
    EXPECT_EQ(++inside, 1);
    ++calls;
    --inside;
  });
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (std::uint64_t j = 0; j < 100; ++j) {
        consume(j);
        session->outputs.detach(attach([](const Record &) {}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(calls, 800);
}

TEST_F(SessionTest, SaysEachTextOnce) {
  graphprof::test::captureStderr();
  session->say("one");
  session->say("two");
  session->say("one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "graphprof: one\ngraphprof: two\n");
}

TEST_F(SessionTest, StopsAfterHundredTexts) {
  // And says so.
  graphprof::test::captureStderr();
  for (int i = 0; i < 200; ++i)
    session->say("text " + std::to_string(i));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              testing::EndsWith("graphprof: text 99\ngraphprof: further messages are left out\n"));
}

TEST_F(SessionTest, RecordsUntilToldOtherwise) {
  EXPECT_FALSE(session->recording()) << "nobody listens";
  attach("a");
  EXPECT_TRUE(session->recording());
  session->recordingSwitch.permit(false);
  EXPECT_FALSE(session->recording());
}

TEST_F(SessionTest, EachCountIsOwnLoss) {
  auto &c = session->counters;
  std::uint64_t next = 1;
  for (auto *counter : {&c.overrun, &c.notQueued, &c.unfinished, &c.incomplete, &c.notMarked,
                        &c.notInstantiated, &c.notMirrored, &c.notLaunched, &c.invalidated,
                        &c.eager, &c.dropped, &c.namesCut, &c.hostSpans})
    *counter = next++;
  const Losses l = session->losses();
  EXPECT_THAT((std::vector<std::uint64_t>{
                  l.overrun, l.not_queued, l.unfinished, l.incomplete, l.beyond_limit,
                  l.not_instantiated, l.not_mirrored, l.not_launched, l.invalidated,
                  l.regions_outside_graphs_failed, l.dropped, l.names_truncated, l.host_spans}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
}

TEST(SessionOutputs, AreThoseOfTheConfiguration) {
  const Folder folder;
  Config config;
  config.outputs = {"replays:" + folder.file("replays.txt"), folder.file("trace.json")};
  Session session(config);
  Sample sample;
  session.consume(sample.region("add", 0, 0, 1'000));
  session.close();
  EXPECT_THAT(contents(folder.file("replays.txt")), HasSubstr("add: 1.000 us\n"));
  EXPECT_THAT(contents(folder.file("trace.json")), HasSubstr("\"name\":\"add\""));
}

TEST(SessionOutputs, NothingRecordedTouchesNoFile) {
  // If nothing was recorded, no file is made or touched.
  const Folder folder;
  Config config;
  for (const char *name : {"table:", "key_averages:", "replays:"})
    config.outputs.push_back(name + folder.file(std::string(name, 4)));
  for (const char *name : {"a.json", "a.csv", "a.jsonl", "a.gprof", "a.dot", "a.db"})
    if (whyNoOutput(name).empty())
      config.outputs.push_back(folder.file(name));
  config.outputs.erase(config.outputs.begin()); // the table on standard error
  config.outputsGiven = true;
  std::ofstream(folder.file("a.gprof")) << "2000 replays";
  graphprof::test::captureStderr();
  {
    Session session(config);
    session.factsFrom([] { return Session::Facts{{"deviceProperties", "[]"}}; });
    session.close();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(folder.names(), ElementsAre("a.gprof"));
  EXPECT_EQ(contents(folder.file("a.gprof")), "2000 replays");

  config.outputs = {folder.file("a.csv")};
  graphprof::test::captureStderr();
  Session used(config);
  used.inUse = true;
  used.close();
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "graphprof: nothing was recorded: " + folder.file("a.csv") +
          " is not written: no region ran, and no launch of a graph was seen; build the sources "
          "that capture, instantiate and launch with graphprof-cc\n");
}

TEST(SessionOutputs, OneLineNamesWrittenFiles) {
  const Folder folder;
  Config config;
  config.outputs = {"table",
                    folder.file("a.csv"),
                    "replays:" + folder.file("b.txt"),
                    "/dev/null.none/c.csv",
                    "table:/dev/null",
                    folder.file("d.json"),
                    "graph:" + folder.file("e.json")};
  config.outputsGiven = true;
  Session session(config);
  Sample sample;
  graphprof::test::captureStderr();
  session.consume(sample.region("add", 0, 0, 1'000));
  session.close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::EndsWith("\ngraphprof: wrote " + folder.file("a.csv") + ", " +
                                      folder.file("b.txt") + ", " + folder.file("d.json") + ", " +
                                      folder.file("e.json") + "\n"))
      << "what failed, a device and a stream are no files";
}

TEST(SessionOutputs, NoLineWithoutFiles) {
  Config config;
  config.outputs = {"replays"};
  config.outputsGiven = true;
  Session session(config);
  Sample sample;
  graphprof::test::captureStderr();
  session.consume(sample.region("add", 0, 0, 1'000));
  session.close();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("wrote")));
}

TEST(Seen, SaysWhyNothingWasRecorded) {
  // By what was seen, and what not.
  Seen seen;
  EXPECT_THAT(whyNothing(seen), testing::StartsWith("no region ran, and no launch"));
  EXPECT_EQ(untimedExecs(seen), "");
  seen.region = true;
  EXPECT_EQ(whyNothing(seen), "regions ran only while graphprof was not recording");
  seen.othersCapture = true;
  EXPECT_THAT(whyNothing(seen),
              testing::StartsWith("regions ran in captures that code without instrumentation"));
  seen.captured = 2;
  EXPECT_THAT(whyNothing(seen), testing::StartsWith("2 graphs with regions were captured, and no "
                                                    "launch of them was seen"));
  seen.ofOthers = 1;
  EXPECT_THAT(whyNothing(seen),
              testing::StartsWith("1 exec was replayed that code without instrumentation made"));
  seen.withoutRegion = 3;
  EXPECT_EQ(whyNothing(seen), untimedExecs(seen));
  EXPECT_THAT(untimedExecs(seen),
              testing::StartsWith("3 execs were replayed of graphs without a region"));
  EXPECT_THAT(untimedExecs(seen), HasSubstr("; 1 exec was replayed that code without"));
}

TEST(SessionOutputs, AllocationAloneNeedsNoTable) {
  // Under graphprof run, what was allocated is no reason for a table.
  int block = 0;
  for (const bool underRun : {false, true}) {
    Config config;
    config.outputs = {"table"};
    config.underRun = underRun;
    graphprof::test::captureStderr();
    Session session(config);
    static_cast<void>(session.allocations.allocated(&block, {.bytes = 64}, false,
                                                    []() -> std::int64_t { return 1; }));
    session.close();
    EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), underRun);
  }
}

TEST(SessionOutputs, LossesAloneAreWritten) {
  // What was lost is written, also where nothing else is.
  const Folder folder;
  Config config;
  config.outputs = {folder.file("a.csv")};
  Session session(config);
  session.counters.unfinished = 3;
  session.close();
  EXPECT_THAT(contents(folder.file("a.csv")), HasSubstr("3 replays lost"));
}

TEST(SessionOutputs, AreNoneWhenDisabled) {
  const Folder folder;
  Config config;
  config.enabled = false;
  config.outputs = {"table:" + folder.file("table.txt")};
  Session session(config);
  session.close();
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(SessionOutputs, ComplaintsAreSaid) {
  // Those of the configuration.
  Config config = silent();
  config.complaints = {"GRAPHPROF_CLOCK=x: must be y; using z"};
  graphprof::test::captureStderr();
  const Session session(config);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: GRAPHPROF_CLOCK=x: must be y; using z\n");
}

} // namespace
