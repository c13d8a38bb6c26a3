// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Saver.h"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

using graphprof::Saver;

namespace {

constexpr std::int64_t patienceMs = 10'000;

// Never destroyed: its thread goes on.
struct Held {
  std::atomic<std::int64_t> handedOnNs{0};
  Saver saver{[this](std::int64_t hostNs) { return handedOnNs.load() >= hostNs; }};
};

TEST(Saver, WorksInOrder) {
  // Work is done in order, once everything before it was handed on.
  Held &held = *new Held;
  std::string done;
  EXPECT_TRUE(held.saver.flush(0)) << "nothing to do";
  held.saver.add(10, [&] { done += 'a'; });
  held.saver.add(20, [&] { done += 'b'; });
  EXPECT_FALSE(held.saver.flush(5));
  EXPECT_EQ("", done);
  held.handedOnNs = 20;
  EXPECT_TRUE(held.saver.flush(patienceMs));
  EXPECT_EQ("ab", done);
}

TEST(Saver, WaitsUntilHandedOn) {
  // Work waits for what is not handed on.
  Held &held = *new Held;
  std::atomic<int> done{0};
  held.saver.add(10, [&] { ++done; });
  held.saver.add(20, [&] { ++done; });
  held.handedOnNs = 10;
  while (done == 0)
    EXPECT_FALSE(held.saver.flush(0));
  EXPECT_FALSE(held.saver.flush(20));
  EXPECT_EQ(1, done);
  held.handedOnNs = 20;
  EXPECT_TRUE(held.saver.flush(patienceMs));
  EXPECT_EQ(2, done);
}

TEST(Saver, DoesNotWaitForItself) {
  Held &held = *new Held;
  bool own = false, flushed = true;
  held.saver.add(0, [&] {
    own = held.saver.isThisThread();
    flushed = held.saver.flush(patienceMs);
  });
  EXPECT_TRUE(held.saver.flush(patienceMs));
  EXPECT_TRUE(own);
  EXPECT_FALSE(flushed);
  EXPECT_FALSE(held.saver.isThisThread());
}

} // namespace
