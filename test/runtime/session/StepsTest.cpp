// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Steps.h"

#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

struct Listener : StepListener {
  void begun(std::int64_t step) noexcept override { heard += " +" + std::to_string(step); }
  void ended(std::int64_t step) noexcept override { heard += " -" + std::to_string(step); }
  std::string heard;
};

TEST(Steps, TellBeginsAndLastEnd) {
  // Each begin is told, and the end that no begin follows.
  Steps steps;
  Listener listener;
  steps.tell(&listener);
  steps.open();
  steps.open(); // part of it
  steps.next();
  steps.close();
  EXPECT_EQ(" +0", listener.heard);
  steps.close();
  EXPECT_EQ(" +0 -0", listener.heard);
  steps.next();
  steps.next();
  EXPECT_EQ(" +0 -0 +1 +2", listener.heard);
  steps.open(); // part of what next() began
  steps.finish();
  steps.close();
  EXPECT_EQ(2, steps.current());
  steps.finish();
  steps.finish();
  EXPECT_EQ(" +0 -0 +1 +2 -2", listener.heard);
  EXPECT_EQ(Steps::none, steps.current());
  steps.tell(nullptr);
  steps.next();
  EXPECT_EQ(3, steps.current());
  EXPECT_EQ(" +0 -0 +1 +2 -2", listener.heard);
}

TEST(Steps, BelongToThreadThatBegan) {
  Steps steps;
  EXPECT_FALSE(steps.onThisThread());
  steps.open();
  EXPECT_TRUE(steps.onThisThread());
  std::thread([&] {
    EXPECT_FALSE(steps.onThisThread());
    steps.open();
    EXPECT_TRUE(steps.onThisThread());
    steps.close();
    steps.next(); // does nothing
    EXPECT_FALSE(steps.onThisThread());
  }).join();
  steps.close();
  EXPECT_FALSE(steps.onThisThread());
  steps.next();
  EXPECT_TRUE(steps.onThisThread());
  std::thread([&] { steps.next(); }).join();
  EXPECT_FALSE(steps.onThisThread()) << "another's";
}

TEST(Steps, SayFirstSeenNumber) {
  // They say from which number on they are seen.
  Steps steps;
  EXPECT_EQ(0, steps.seenFromNow(true).first);
  steps.next();
  EXPECT_EQ(0, steps.seenFromNow(false).first) << "it goes on";
  EXPECT_EQ(1, steps.seenFromNow(false).begun);
  EXPECT_EQ(1, steps.seenFromNow(true).first);
  steps.finish();
  EXPECT_EQ(1, steps.seenFromNow(false).first);
  steps.open();
  EXPECT_EQ(1, steps.seenFromNow(true).first) << "a guard's goes on";
  steps.close();
}

// What is recorded of a step must have ended when its cycle does, and begin when the next one has.
TEST(Steps, ShownEndFirstAndBeginLast) {
  // They are shown to end before, and to begin behind whatever else follows them.
  struct Noting : StepListener {
    Noting(std::string &into, std::string name) : into(into), name(std::move(name)) {}
    void begun(std::int64_t step) noexcept override {
      into += " " + name + "+" + std::to_string(step);
    }
    void ended(std::int64_t step) noexcept override {
      into += " " + name + "-" + std::to_string(step);
    }
    std::string &into, name;
  };
  std::string heard;
  Noting schedule(heard, "schedule"), shown(heard, "shown");
  Steps steps;
  steps.tell(&schedule);
  steps.show(&shown);
  steps.ending();
  EXPECT_EQ("", heard) << "there is none";
  steps.next();
  steps.next();
  EXPECT_EQ(" schedule+0 shown+0 shown-0 schedule+1 shown+1", heard);
  heard.clear();
  steps.ending();
  EXPECT_EQ(" shown-1", heard);
  heard.clear();
  steps.finish();
  EXPECT_EQ(" shown-1 schedule-1", heard);
  heard.clear();
  steps.open();
  steps.ending();
  EXPECT_EQ(" schedule+2 shown+2", heard) << "a guard says itself when it ends";
  steps.close();
  EXPECT_EQ(" schedule+2 shown+2 shown-2 schedule-2", heard);
}

} // namespace
