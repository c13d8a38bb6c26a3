// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Streamed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/data/BatchView.h"

using namespace graphprof;
using graphprof::test::HostSample;
using graphprof::test::Sample;

namespace {

constexpr std::int64_t patienceMs = 10'000;

// What a writer was given, and what it is to do. Outlives it.
struct Probe {
  std::mutex mutex; // guards all below
  std::condition_variable changed;
  std::size_t records = 0, regions = 0, spans = 0, notes = 0, remarks = 0, writes = 0;
  std::int64_t settledBefore = 0;
  std::uint64_t dropped = 0;       // what the writer left out itself
  std::uint64_t droppedBefore = 0; // what close() was told of
  bool closed = false, gone = false;
  bool held = false;   // it waits in write()
  bool inside = false; // it is there
  std::string failure; // what write() returns
  bool throws = false;
  std::chrono::milliseconds delay{0}; // that write() takes
  std::thread::id thread;
  BatchView view;
  std::vector<std::string> names; // of all records

  void hold(bool on) {
    const std::lock_guard lock(mutex);
    held = on;
    changed.notify_all();
  }
  void awaitInside() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return inside; });
  }
  void awaitGone() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return gone; });
  }
  void awaitRecords(std::size_t count) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return records >= count; }));
  }
};

class ProbeWriter : public BatchWriter {
public:
  explicit ProbeWriter(Probe &probe) : probe_(probe) {}
  ~ProbeWriter() override {
    const std::lock_guard lock(probe_.mutex);
    probe_.gone = true;
    probe_.changed.notify_all();
  }
  ProbeWriter(const ProbeWriter &) = delete;
  ProbeWriter &operator=(const ProbeWriter &) = delete;
  std::string write(const Batch &batch) override {
    std::unique_lock lock(probe_.mutex);
    probe_.thread = std::this_thread::get_id();
    probe_.inside = true;
    probe_.changed.notify_all();
    probe_.changed.wait(lock, [this] { return !probe_.held; });
    probe_.inside = false;
    std::this_thread::sleep_for(probe_.delay);
    ++probe_.writes;
    if (probe_.throws)
      throw std::runtime_error("thrown");
    if (!probe_.failure.empty())
      return probe_.failure;
    probe_.records += batch.timings.size();
    probe_.regions += batch.regions.size();
    probe_.view.take(batch);
    for (const Batch::Launch &launch : batch.launches)
      for (const Record &record : probe_.view.replay(batch, launch).records)
        probe_.names.emplace_back(record.name);
    probe_.spans += batch.spans.size();
    probe_.notes += batch.notes.size();
    probe_.remarks += batch.remarks.size();
    probe_.settledBefore = std::max(probe_.settledBefore, batch.settledBefore);
    probe_.changed.notify_all();
    return {};
  }
  std::uint64_t dropped() const override { return probe_.dropped; }
  std::string close(const Losses &losses) override {
    probe_.closed = true;
    probe_.droppedBefore = losses.dropped;
    return {};
  }

private:
  Probe &probe_;
};

class StreamedTest : public testing::Test {
protected:
  std::string write(int replays = 1) {
    std::string failed;
    for (int i = 0; i < replays && failed.empty(); ++i) {
      Sample sample(static_cast<std::uint64_t>(i));
      failed = feed->write(sample.region("a", 0, 0, 10).region("b", 0, 10, 10));
    }
    return failed;
  }
  void make(std::size_t maxRecords = 1'000'000,
            std::chrono::milliseconds patience = Streamed::Manner().patience) {
    streamed =
        std::make_unique<Streamed>("out", std::make_unique<ProbeWriter>(probe), maxRecords,
                                   Output::Interest(), Streamed::Manner{.patience = patience});
    feed = std::make_unique<test::Feed>(*streamed);
  }
  void TearDown() override { // the probe is gone before the base's members are
    probe.hold(false);
    if (!feed)
      return;
    streamed.reset(); // a test may have done so
    probe.awaitGone();
  }
  // Writes until that fails, as it does once the thread has come to it.
  std::string failure() {
    std::string failed;
    for (int i = 0; i < 1000 && failed.empty(); ++i) {
      failed = write();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return failed;
  }

  Probe probe;
  std::unique_ptr<Streamed> streamed;
  std::unique_ptr<test::Feed> feed;
};

TEST_F(StreamedTest, WritesOnAnotherThreadSoon) {
  // It writes on another thread, and soon, without being asked.
  make();
  EXPECT_EQ(write(), "");
  probe.awaitRecords(2);
  EXPECT_NE(probe.thread, std::this_thread::get_id());
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_TRUE(probe.closed);
}

TEST_F(StreamedTest, FlushWritesEverything) {
  make();
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(write(50), "");
    EXPECT_TRUE(streamed->flush(patienceMs));
    EXPECT_EQ(probe.records, 100U * static_cast<unsigned>(i));
  }
  EXPECT_EQ(probe.regions, 2U);
}

TEST_F(StreamedTest, EmptyFlushIsDone) {
  make();
  EXPECT_TRUE(streamed->flush(patienceMs));
}

TEST_F(StreamedTest, FlushGivesUpInTime) {
  make();
  probe.hold(true);
  EXPECT_EQ(write(), "");
  EXPECT_FALSE(streamed->flush(10));
  probe.hold(false);
  EXPECT_TRUE(streamed->flush(patienceMs));
}

TEST_F(StreamedTest, SlowDiskHoldsUpNobody) {
  // A slow disk holds up nobody, and what does not fit is counted.
  make(10);
  probe.hold(true);
  EXPECT_EQ(write(), "");
  probe.awaitInside(); // the first two records are with the writer
  EXPECT_EQ(write(5), "") << "three replays of two records and their own weight fit";
  EXPECT_EQ(streamed->dropped(), 4U);
  probe.hold(false);
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_EQ(probe.records, 2U + 6U);
}

// The writer says what it left out itself; what did not come to it, it is told.
TEST_F(StreamedTest, WriterLearnsWhatWasDropped) {
  make(10);
  probe.hold(true);
  probe.dropped = 7;
  EXPECT_EQ(write(), "");
  probe.awaitInside();
  EXPECT_EQ(write(5), "");
  probe.hold(false);
  Losses losses{};
  losses.dropped = 100;
  EXPECT_EQ(streamed->close(losses), "");
  EXPECT_EQ(probe.droppedBefore, 100U + 4U);
  EXPECT_EQ(streamed->dropped(), 4U + 7U) << "of both together";
}

TEST_F(StreamedTest, PassesOnSettledSteps) {
  // It passes on of which steps everything has come.
  make();
  Batch said;
  for (const std::int64_t step : {3, 8}) {
    said.settledBefore = step;
    EXPECT_EQ(streamed->write(said), "");
  }
  EXPECT_TRUE(streamed->flush(patienceMs));
  EXPECT_EQ(probe.settledBefore, 8);
  EXPECT_EQ(streamed->close({}), "");
}

TEST_F(StreamedTest, ClosingWritesWhatWaits) {
  make();
  EXPECT_EQ(write(100), "");
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_EQ(probe.records, 200U);
}

TEST_F(StreamedTest, DetachingWritesWhatWaits) {
  make();
  EXPECT_EQ(write(100), "");
  streamed.reset();
  EXPECT_EQ(probe.records, 200U);
  EXPECT_FALSE(probe.closed);
}

TEST_F(StreamedTest, DeadDiskDelaysEndBriefly) {
  // A disk that does not answer holds up the end for a bounded time.
  constexpr std::chrono::milliseconds patience{30};
  make(1'000'000, patience);
  probe.hold(true);
  EXPECT_EQ(write(), "");
  probe.awaitInside();
  EXPECT_EQ(write(2), "");
  EXPECT_EQ(streamed->close({}), "it accepts no more data; check its disk or reader");
  EXPECT_EQ(streamed->dropped(), 6U);
  streamed.reset(); // the thread goes on by itself
  probe.hold(false);
  probe.awaitGone();
  EXPECT_FALSE(probe.closed);
}

TEST_F(StreamedTest, ProgressingEndIsWaitedFor) {
  // An end is waited for as long as it gets on.
  constexpr std::chrono::milliseconds patience{1'500};
  make(1'000'000, patience);
  probe.delay = std::chrono::milliseconds(1'000);
  probe.hold(true);
  EXPECT_EQ(write(), "");
  probe.awaitInside();
  EXPECT_EQ(write(), "") << "a second batch: together they take longer than the patience";
  probe.hold(false);
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_EQ(probe.records, 4U);
}

TEST_F(StreamedTest, NotesGoWithReplays) {
  make();
  feed->metadata("model", "\"llama\"");
  EXPECT_EQ(write(), "");
  feed->remark("allocated once");
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_EQ(probe.notes, 1U);
  EXPECT_EQ(probe.remarks, 1U);
}

TEST_F(StreamedTest, NotesAloneAreWrittenAtEnd) {
  // What is noted without any replay is written at the end.
  make();
  feed->metadata("model", "\"llama\"");
  EXPECT_EQ(streamed->close({}), "");
  EXPECT_EQ(probe.notes, 1U);
  EXPECT_TRUE(probe.closed);
}

TEST_F(StreamedTest, FailureShowsAtLaterCall) {
  // A failure is that of a later call, and counts all that waited.
  probe.failure = "full";
  make();
  EXPECT_EQ(failure(), "full");
  EXPECT_EQ(probe.writes, 1U) << "it is not tried again";
  EXPECT_GE(streamed->dropped(), 4U);
  EXPECT_EQ(streamed->dropped() % 2, 0U);
  EXPECT_EQ(streamed->close({}), "full");
  EXPECT_FALSE(probe.closed);
}

TEST_F(StreamedTest, LastFailureShowsAtClose) {
  // A failure behind the last call is that of close().
  probe.failure = "full";
  make();
  EXPECT_EQ(write(), "");
  EXPECT_EQ(streamed->close({}), "full");
  EXPECT_EQ(streamed->dropped(), 2U);
}

TEST_F(StreamedTest, ThrowingWriterIsFailure) {
  probe.throws = true;
  make();
  EXPECT_EQ(failure(), "thrown");
}

TEST_F(StreamedTest, FlushReturnsBehindFailure) {
  probe.failure = "full";
  make();
  EXPECT_EQ(write(), "");
  EXPECT_TRUE(streamed->flush(patienceMs));
}

// The thread inherits what is blocked: a signal to the process must find the program's threads.
TEST_F(StreamedTest, ThreadTakesNoSignals) {
  make();
  static std::atomic<bool> elsewhere{false};
  static std::thread::id here;
  here = std::this_thread::get_id();
  struct sigaction action{}, before{};
  action.sa_handler = [](int) { elsewhere = elsewhere || std::this_thread::get_id() != here; };
  sigaction(SIGUSR1, &action, &before);
  EXPECT_EQ(write(), "");
  EXPECT_TRUE(streamed->flush(patienceMs));
  sigset_t signal, mask;
  sigemptyset(&signal);
  sigaddset(&signal, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signal, &mask);
  kill(getpid(), SIGUSR1); // this thread does not take it now: another one would
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // for what must not come
  EXPECT_FALSE(elsewhere);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(streamed->close({}), "");
}

TEST_F(StreamedTest, WantsWhatItIsTold) {
  make();
  EXPECT_FALSE(streamed->wants().hostSpans);
  streamed.reset();
  probe.awaitGone();
  probe.gone = false;
  streamed = std::make_unique<Streamed>("out", std::make_unique<ProbeWriter>(probe), 1,
                                        Output::Interest{.hostSpans = true});
  EXPECT_TRUE(streamed->wants().hostSpans);
}

// What was left out is known all the same. As the session hands it on: with everything that is
// known.
TEST_F(StreamedTest, DroppedNamesAreStillKnown) {
  constexpr std::size_t most = 10, known = 6;
  make(most);
  probe.hold(true);
  Batcher batcher(known);
  Batch batch;
  const auto give = [&](std::vector<std::string> names) {
    Sample sample;
    for (std::string &name : names)
      sample.region(std::move(name), 0, 0, 1);
    batcher.clear(batch);
    batcher.add(sample, batch);
    EXPECT_EQ(streamed->write(batch), "");
  };
  give({"a"});
  probe.awaitInside();
  give({"b", "b", "b", "b", "b"});
  give({"c", "c", "c", "c", "c"}); // no room
  EXPECT_EQ(streamed->dropped(), 5U);
  give({"c"});
  EXPECT_EQ(streamed->dropped(), 5U);
  probe.hold(false);
  EXPECT_TRUE(streamed->flush(patienceMs));
  EXPECT_THAT(probe.names, testing::ElementsAre("a", "b", "b", "b", "b", "b", "c"));

  // Where the batcher begins anew meanwhile they are not known: what does not fit what waits goes.
  probe.hold(true);
  give({"a"});
  probe.awaitInside();
  give({"a", "b"});
  give({"d", "e", "f", "g", "h", "i", "j"}); // no room, and more than it knows
  give({"k", "k", "k", "k", "k", "k", "k"}); // no room: now all but k is forgotten
  give({"k"});                               // does not follow what waits
  EXPECT_EQ(streamed->dropped(), 5U + 7U + 7U + 1U);
  probe.hold(false);
  EXPECT_TRUE(streamed->flush(patienceMs));
  probe.names.clear();
  give({"k", "a"});
  EXPECT_TRUE(streamed->flush(patienceMs));
  EXPECT_THAT(probe.names, testing::ElementsAre("k", "a"));
}

TEST_F(StreamedTest, HostSpansAreWritten) {
  make();
  const HostSample sample = HostSample::ofEveryKind();
  EXPECT_EQ(feed->writeHost(sample.spans()), "");
  EXPECT_TRUE(streamed->flush(patienceMs));
  EXPECT_EQ(probe.spans, 7U);
  EXPECT_EQ(streamed->dropped(), 0U);
}

TEST_F(StreamedTest, ExcessHostSpansAreCounted) {
  // Host spans beyond the bound are counted, and the others kept.
  constexpr std::size_t most = 5;
  make(most);
  probe.hold(true);
  const HostSample sample = HostSample::ofEveryKind();
  HostSample first;
  EXPECT_EQ(feed->writeHost(first.add(HostKind::Mark, "a", 0, 0).spans()), "");
  probe.awaitInside(); // with that one
  EXPECT_EQ(feed->writeHost(sample.spans()), "");
  const std::uint64_t dropped = streamed->dropped();
  EXPECT_GT(dropped, 0U);
  EXPECT_LT(dropped, 7U) << "as many as there is room for are taken";
  probe.hold(false);
  EXPECT_TRUE(streamed->flush(patienceMs));
  EXPECT_EQ(probe.spans, 1 + 7 - dropped);
}

TEST_F(StreamedTest, FailedHostSpansAreCounted) {
  make();
  probe.failure = "the disk is full";
  EXPECT_EQ(failure(), "the disk is full");
  const std::uint64_t before = streamed->dropped();
  const HostSample sample = HostSample::ofEveryKind();
  EXPECT_EQ(feed->writeHost(sample.spans()), "the disk is full");
  EXPECT_EQ(streamed->dropped(), before + 7);
}

} // namespace
