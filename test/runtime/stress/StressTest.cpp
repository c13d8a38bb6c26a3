// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Threads x captures x launches x destroys x recording switched on and off: every replay is
// recorded or counted lost, and what the program computes is what it would be without graphprof.
// Seeds of its own, or GRAPHPROF_STRESS_SEED for so many of GRAPHPROF_STRESS_SEEDS with
// GRAPHPROF_STRESS_ROUNDS each.

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "Player.h"
#include "graphprof/cuda.h"

namespace graphprof::test {
namespace {

unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// No player captures a graph once more, so those with memory nodes are timed, too.
[[maybe_unused]] const int inPlace = setenv("GRAPHPROF_IN_PLACE", "1", 0);

// Then graphs without regions are recorded too, and what is lost of them is in the same counts.
const bool nodeMode = fromEnvironment("GRAPHPROF_NODES", 0) == 1;

/// One seed: what was recorded, and what graphprof says was lost meanwhile.
class Stress : public ::testing::Test {
protected:
  void SetUp() override {
    void *byte = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&byte, 1)); // the device is there before graphprof looks
    ASSERT_EQ(cudaSuccess, cudaFree(byte));
    start();
    ASSERT_TRUE(flush());
    before_ = losses();
    book_ = std::make_unique<Book>();
    profiler_ = std::make_unique<Profiler>([this](const Record &record) { book_->enter(record); });
  }
  void TearDown() override {
    start();
    ASSERT_TRUE(profiler_->flush());
    profiler_.reset();
    EXPECT_EQ("", book_->wrong());
    const Losses after = losses();
    const std::uint64_t lost = after.overrun - before_.overrun + after.not_launched -
                               before_.not_launched + after.evicted - before_.evicted;
    if (active()) {
      accounted("replays", ledger_.launches, book_->replays() + lost);
      accounted("regions outside graphs", ledger_.eager,
                book_->eager() +
                    (after.regions_outside_graphs_failed - before_.regions_outside_graphs_failed));
      EXPECT_EQ(ledger_.failedCaptures, after.invalidated - before_.invalidated);
    } else {
      EXPECT_EQ(0u, book_->replays() + book_->eager());
    }
    EXPECT_EQ(before_.unfinished, after.unfinished);
    if (!nodeMode) // some nodes are too short for their stamps
      EXPECT_EQ(before_.incomplete, after.incomplete);
    if (!nodeMode)
      EXPECT_GE(ledger_.lostUpdates, after.not_instantiated - before_.not_instantiated +
                                         after.not_mirrored - before_.not_mirrored);
    EXPECT_EQ(before_.dropped, after.dropped);
    std::cout << ledger_.launches.surely << " to "
              << ledger_.launches.surely + ledger_.launches.perhaps << " replays to be recorded, "
              << book_->replays() << " recorded, " << lost << " counted lost\n";
  }
  static void accounted(const char *what, const Bounds &bounds, std::uint64_t count) {
    EXPECT_LE(bounds.surely, count) << what;
    if (!nodeMode)
      EXPECT_GE(bounds.surely + bounds.perhaps, count) << what;
  }

  Ledger ledger_;
  std::unique_ptr<Book> book_;

private:
  Losses before_{};
  std::unique_ptr<Profiler> profiler_; // last: its callback uses the book
};

class Seeds : public Stress, public ::testing::WithParamInterface<unsigned> {};

TEST_P(Seeds, PlayersFindNothingWrong) {
  const auto rounds = static_cast<int>(fromEnvironment("GRAPHPROF_STRESS_ROUNDS", 400));
  const unsigned players = fromEnvironment("GRAPHPROF_STRESS_THREADS", 4);
  std::vector<std::unique_ptr<Player>> all;
  std::vector<std::thread> threads;
  all.reserve(players);
  for (unsigned i = 0; i < players; ++i)
    all.push_back(std::make_unique<Player>(ledger_, 1 + GetParam() * 1000 + i));
  threads.reserve(players);
  for (const auto &player : all)
    threads.emplace_back([&player, rounds] {
      player->play(rounds);
      player->end();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &player : all)
    EXPECT_EQ("", player->wrong());
  EXPECT_GT(ledger_.launches.surely, 0u);
}

// Several threads launch one exec. On streams of their own, recording switched on and off
// meanwhile.
TEST_F(Stress, ThreadsLaunchOneExec) {
  constexpr int threads = 4, launches = 400;
  Cell cell;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaSuccess, cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  {
    static const Site site{"region {} of {}", __FILE__, __LINE__, __func__};
    const Scope scope = active() ? Scope(site, on_stream(stream), 0U, 1U) : Scope();
    ASSERT_EQ(cudaSuccess, test::launch(Work::Add, cell, 3, stream));
  }
  ASSERT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(stream, &graph));
  ASSERT_EQ(cudaSuccess, cuda::cudaGraphInstantiateWithFlags(&exec, graph, 0));

  std::vector<std::thread> all;
  all.reserve(threads);
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      cudaStream_t own = nullptr;
      EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
      for (int i = 0; i < launches; ++i) {
        if (i % 16 == t)
          ledger_.recording.set(i % 3 > 0);
        const Switch::Look look(ledger_.recording);
        EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, own));
        look.count(ledger_.launches);
      }
      EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(own));
      EXPECT_EQ(cudaSuccess, cudaStreamDestroy(own));
    });
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(std::uint64_t{3} * threads * launches, cell.result().sum);
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

// Two threads mark one capture at once. A capture whose begin graphprof has not seen: whoever
// marks first makes its registry.
TEST_F(Stress, ThreadsMarkOneCapture) {
  constexpr int rounds = 200;
  static const Site site{"region {} of {}", __FILE__, __LINE__, __func__};
  Cell cell;
  std::array<cudaStream_t, 2> streams{};
  for (cudaStream_t &stream : streams)
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaSuccess, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (int round = 0; round < rounds; ++round) {
    ASSERT_EQ(cudaSuccess, ::cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    ASSERT_EQ(cudaSuccess, cudaEventRecord(event, streams[0]));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(streams[1], event, 0));
    std::barrier together(2);
    const auto mark = [&](cudaStream_t stream) {
      together.arrive_and_wait();
      const Scope scope = active() ? Scope(site, on_stream(stream), 0U, 2U) : Scope();
      EXPECT_EQ(cudaSuccess, test::launch(Work::Add, cell, 1, stream));
    };
    std::thread other(mark, streams[1]);
    mark(streams[0]);
    other.join();
    ASSERT_EQ(cudaSuccess, cudaEventRecord(event, streams[1]));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(streams[0], event, 0));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(streams[0], &graph));
    std::size_t nodes = 0;
    ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(2u, nodes) << "the program's own";
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphInstantiateWithFlags(&exec, graph, 0));
    const Switch::Look look(ledger_.recording);
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, streams[0]));
    look.count(ledger_.launches);
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  }
  EXPECT_EQ(std::uint64_t{2} * rounds, cell.result().sum);
  for (const cudaStream_t stream : streams) {
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    ASSERT_EQ(cudaSuccess, cudaStreamDestroy(stream));
  }
  ASSERT_EQ(cudaSuccess, cudaEventDestroy(event));
}

INSTANTIATE_TEST_SUITE_P(Stress, Seeds,
                         ::testing::Range(fromEnvironment("GRAPHPROF_STRESS_SEED", 1),
                                          fromEnvironment("GRAPHPROF_STRESS_SEED", 1) +
                                              fromEnvironment("GRAPHPROF_STRESS_SEEDS", 4)),
                         ::testing::PrintToStringParamName());

} // namespace
} // namespace graphprof::test
