// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "host/HostSpanQueue.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

using Pushed = HostSpanQueue::Pushed;

HostEvent ended(std::int64_t endNs) {
  HostEvent event;
  event.endNs = endNs;
  return event;
}

TEST(HostSpanQueue, KeepsOrder) {
  // It gives what was pushed, in order.
  HostSpanQueue queue(10);
  std::vector<HostEvent> taken;
  queue.take(taken);
  EXPECT_TRUE(taken.empty());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(Pushed::Yes, queue.push(ended(i)));
  queue.take(taken);
  queue.push(ended(3));
  queue.take(taken);
  ASSERT_EQ(4U, taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(static_cast<std::int64_t>(i), taken[i].endNs);
}

TEST(HostSpanQueue, RefusesBeyondBound) {
  // Until some are taken.
  HostSpanQueue queue(2);
  EXPECT_EQ(Pushed::Yes, queue.push(ended(0)));
  EXPECT_EQ(Pushed::Yes, queue.push(ended(1)));
  EXPECT_EQ(Pushed::Full, queue.push(ended(2)));
  std::vector<HostEvent> taken;
  queue.take(taken);
  EXPECT_EQ(2U, taken.size());
  EXPECT_EQ(Pushed::Yes, queue.push(ended(3)));
}

TEST(HostSpanQueue, SaysRepeatedlyThatItFills) {
  HostSpanQueue queue(100'000);
  int filling = 0;
  for (int i = 0; i < 1024; ++i)
    filling += queue.push(ended(i)) == Pushed::Filling ? 1 : 0;
  EXPECT_EQ(4, filling);
}

TEST(HostSpanQueue, KnowsWhenTheOldestEnded) {
  HostSpanQueue queue(100'000);
  EXPECT_FALSE(queue.oldestEndNs());
  std::vector<HostEvent> taken;
  for (std::int64_t i = 0; i < 600; ++i) { // across its chunks
    queue.push(ended(i));
    EXPECT_EQ(i, queue.oldestEndNs());
    queue.push(ended(i + 1000));
    EXPECT_EQ(i, queue.oldestEndNs());
    queue.take(taken);
    EXPECT_FALSE(queue.oldestEndNs());
  }
}

TEST(HostSpanQueue, LosesNothingBetweenTwoThreads) {
  constexpr std::int64_t count = 200'000;
  HostSpanQueue queue(1000);
  std::thread pusher([&] {
    for (std::int64_t i = 0; i < count;)
      if (queue.push(ended(i)) != Pushed::Full)
        ++i;
      else
        std::this_thread::yield();
  });
  std::vector<HostEvent> taken;
  while (taken.size() < static_cast<std::size_t>(count)) {
    const auto oldest = queue.oldestEndNs();
    const std::size_t before = taken.size();
    queue.take(taken);
    if (oldest) {
      ASSERT_GT(taken.size(), before);
      EXPECT_EQ(*oldest, taken[before].endNs);
    } else {
      std::this_thread::yield(); // the pusher may need this processor
    }
  }
  pusher.join();
  for (std::size_t i = 0; i < taken.size(); ++i)
    ASSERT_EQ(static_cast<std::int64_t>(i), taken[i].endNs);
}

} // namespace
