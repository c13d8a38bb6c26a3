// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is read of a ring entry while the device writes it. Here the host writes the words.

#include <array>
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "Deadline.h"
#include "clock/Devices.h"
#include "clock/StampClock.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Progress = ReplayBuffer::Progress;

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
  Progress look(ReplayBuffer &ring, std::uint64_t of = sequence) {
    Deadline deadline(std::chrono::seconds(1));
    return ring.look(of, times_, deadline);
  }
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

TEST_F(StampRingTest, LookReadsStampsThatAreThere) {
  bind(StampEdge::Completion);
  EXPECT_EQ(Progress::NotBegun, look(*ring_));
  write(wordBegin, sequence);
  EXPECT_EQ(Progress::NotBegun, look(*ring_)); // the first stamp is not there
  write(wordStamps, 1'000);
  EXPECT_EQ(Progress::Begun, look(*ring_));
  EXPECT_NE(ReplayBuffer::unreached, times_[0]);
  EXPECT_EQ(ReplayBuffer::unreached, times_[1]);
  write(wordStamps + 1, 3'000);
  EXPECT_EQ(Progress::Begun, look(*ring_));
  EXPECT_EQ(2'000, times_[1] - times_[0]);
  write(wordEnd, sequence);
  EXPECT_EQ(Progress::Finished, look(*ring_));
}

// Likewise where a node around the last kernel publishes: its mark may be there before its stamp.
TEST_F(StampRingTest, LookWaitsForSharedStamp) {
  bind(StampEdge::SharedWithBegin);
  write(wordBegin, sequence);
  write(wordStamps, 1'000);
  write(wordEnd, sequence);
  EXPECT_EQ(Progress::Begun, look(*ring_));
  write(wordStamps + 1, 3'000);
  EXPECT_EQ(Progress::Finished, look(*ring_));
}

// Until the root has written its stamp, that of the replay before is there, and all behind it.
TEST_F(StampRingTest, LookIsNotDeceivedByStampsOfReplayBefore) {
  constexpr std::uint32_t depth = 2;
  const Pinned memory = device_->pinned().take(words * depth);
  StampRing ring(*device_, device_->controls().take(), memory, DeviceMemory(),
                 BufferNeeds{boundaries}, words, depth, nullptr);
  const auto entry = [&](std::uint64_t of) { return memory.host + stampEntry(of, depth) * words; };
  for (const std::uint64_t of : {1, 2}) {
    entry(of)[wordBegin] = entry(of)[wordEnd] = of;
    entry(of)[wordStamps] = of * 1'000;
    entry(of)[wordStamps + 1] = of * 1'000 + 500;
  }
  entry(3)[wordBegin] = 3;
  EXPECT_EQ(Progress::NotBegun, look(ring, 3));
  entry(3)[wordStamps] = 3'000;
  EXPECT_EQ(Progress::Begun, look(ring, 3));
  EXPECT_EQ(ReplayBuffer::unreached, times_[1]);
  EXPECT_EQ(Progress::Finished, look(ring, 1)); // overwritten
  ring.retire();
}

// In the simulation the host may write the device's memory.
TEST_F(StampRingTest, LookReadsDeviceMemory) {
  const Pinned memory = device_->pinned().take(words);
  const DeviceMemory entry = device_->entries().take(words);
  const StampControls::Control control = device_->controls().take();
  StampRing ring(*device_, control, memory, entry, BufferNeeds{boundaries}, words, 1, nullptr);
  auto *const device = reinterpret_cast<unsigned long long *>(entry.address);
  auto *const state = reinterpret_cast<StampControl *>(device_->controls().address(control.index));
  const std::uint64_t now = state->sequence + 1;
  EXPECT_EQ(Progress::Unknown, look(ring, now)); // nothing was prepared
  device_->peek().prepare();
  EXPECT_EQ(Progress::NotBegun, look(ring, now));
  state->sequence = now;
  device[wordStamps] = 1'000;
  device[wordStamps + 1] = 500;
  EXPECT_EQ(Progress::Begun, look(ring, now));
  EXPECT_EQ(ReplayBuffer::unreached, times_[1]);
  device[wordStamps + 1] = 3'000;
  EXPECT_EQ(Progress::Begun, look(ring, now));
  EXPECT_EQ(2'000, times_[1] - times_[0]);
  memory.host[wordEnd] = now;
  EXPECT_EQ(Progress::Finished, look(ring, now));
  state->sequence = now - 1;
  ring.retire();
}

} // namespace
} // namespace graphprof::test
