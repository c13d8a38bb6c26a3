// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is read of a ring entry while the device writes it. Here the host writes the words.

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "clock/Devices.h"
#include "clock/StampClock.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

constexpr std::size_t boundaries = 2;
constexpr std::uint64_t sequence = 1;

class StampRingTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
    device_ = devices_.current();
    ASSERT_TRUE(clock_.prepare());
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph_, 0));
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = params.blockDim = dim3(1);
    ASSERT_EQ(cudaSuccess, cudaGraphAddKernelNode(&kernel_, graph_, nullptr, 0, &params));
    memory_ = device_->pinned().take(words);
    memory_.zeroed = false;
    ring_ = std::make_unique<StampRing>(*device_, device_->controls().take(), memory_,
                                        DeviceMemory(), BufferNeeds{boundaries}, words, 1, nullptr);
  }
  void TearDown() override {
    ring_->retire();
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph_));
  }

  // A graph of one kernel: the root at its begin, and a stamp at its end.
  void bind(StampEdge end) {
    const driver::Node root = clock_.addRootAt(*device_, graph_, false, kernel_, stampThreads);
    const driver::Node last = end == StampEdge::SharedWithBegin
                                  ? root
                                  : clock_.addBoundary(*device_, graph_, {&kernel_, 1}, 1);
    const std::array nodes = {root, last};
    const std::array edges = {StampEdge::LaunchCompletion, end};
    ASSERT_TRUE(ring_->bind({root, nodes, last, edges}));
  }
  void write(std::size_t word, std::uint64_t value) { memory_.host[word] = value; }
  ReplayBuffer::State read() { return ring_->read(sequence, times_, {}); }

  static constexpr std::uint32_t words = 8;
  Devices devices_;
  Device *device_ = nullptr;
  StampClock clock_{devices_, 1};
  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t kernel_ = nullptr;
  Pinned memory_;
  std::unique_ptr<StampRing> ring_;
  std::array<std::int64_t, boundaries> times_{};
};

TEST_F(StampRingTest, MarkMakesReplayReady) {
  bind(StampEdge::Completion);
  EXPECT_EQ(ReplayBuffer::State::Pending, read());
  write(wordBegin, sequence);
  write(wordStamps, 1'000);
  write(wordStamps + 1, 3'000);
  EXPECT_EQ(ReplayBuffer::State::Pending, read());
  write(wordEnd, sequence);
  EXPECT_EQ(ReplayBuffer::State::Ready, read());
  EXPECT_EQ(2'000, times_[1] - times_[0]);
}

TEST_F(StampRingTest, OlderStampMeansUnreached) {
  // A stamp older than the first is of a boundary that was not reached.
  bind(StampEdge::Completion);
  write(wordBegin, sequence);
  write(wordStamps + 1, 500);
  write(wordStamps, 1'000);
  write(wordEnd, sequence);
  EXPECT_EQ(ReplayBuffer::State::Ready, read());
  EXPECT_EQ(ReplayBuffer::unreached, times_[1]);
}

TEST_F(StampRingTest, UnseenSharedStampIsPending) {
  // Where the node that publishes does not wait for its stamp, an older one is not seen yet.
  bind(StampEdge::SharedWithBegin);
  write(wordBegin, sequence);
  write(wordStamps + 1, 500); // of an earlier replay
  write(wordStamps, 1'000);
  write(wordEnd, sequence);
  EXPECT_EQ(ReplayBuffer::State::Pending, read());
  ring_->launched();
  EXPECT_FALSE(ring_->finished());
  write(wordStamps + 1, 3'000);
  EXPECT_TRUE(ring_->finished());
  EXPECT_EQ(ReplayBuffer::State::Ready, read());
  EXPECT_EQ(2'000, times_[1] - times_[0]);
}

TEST_F(StampRingTest, LaterReplaysEntryIsLost) {
  bind(StampEdge::SharedWithBegin);
  write(wordBegin, sequence + 1);
  EXPECT_EQ(ReplayBuffer::State::Lost, read());
}

} // namespace
} // namespace graphprof::test
