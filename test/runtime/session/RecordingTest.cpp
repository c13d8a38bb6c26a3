// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Recording.h"

#include <gtest/gtest.h>

using graphprof::Recording;

namespace {

const int one = 1, other = 2;

TEST(Recording, IsOffWhileNobodyListens) {
  Recording recording;
  EXPECT_FALSE(recording.regions()) << "GRAPHPROF_OUTPUT=, and no callback";
  recording.listened(true);
  recording.listened(true);
  recording.listened(false);
  EXPECT_TRUE(recording.device());
  recording.listened(false);
  EXPECT_FALSE(recording.regions());
  recording.request(&one, {true, true});
  EXPECT_TRUE(recording.device()) << "somebody wants it, whoever gets it";
}

TEST(Recording, IsOnUntilSwitchedOff) {
  // It is on from the start, until the program switches it off.
  Recording recording;
  recording.listened(true);
  EXPECT_TRUE(recording.device());
  EXPECT_TRUE(recording.host());
  recording.permit(false);
  EXPECT_FALSE(recording.device());
  EXPECT_FALSE(recording.host());
  recording.permit(true);
  EXPECT_TRUE(recording.device());
}

TEST(Recording, IsOnWhileRequested) {
  // Once somebody says when, it is on only while somebody wants it.
  Recording recording;
  recording.onlyRequested();
  EXPECT_FALSE(recording.device());
  recording.request(&one, {true, true});
  recording.request(&other, {true, false});
  EXPECT_TRUE(recording.device());
  recording.request(&one, {});
  EXPECT_TRUE(recording.device()) << "the other one still wants it";
  EXPECT_FALSE(recording.host());
  recording.withdraw(&other);
  EXPECT_FALSE(recording.device());
}

TEST(Recording, EarlierRequestsStillCount) {
  // It goes on for those who wanted it before somebody said when.
  Recording recording;
  recording.request(&one, {true, true});
  recording.onlyRequested();
  EXPECT_TRUE(recording.device());
}

TEST(Recording, HostTimesAloneMayBeWanted) {
  Recording recording;
  recording.onlyRequested();
  recording.request(&one, {false, true});
  EXPECT_FALSE(recording.device());
  EXPECT_TRUE(recording.host());
}

TEST(Recording, HostSpansOnlyIfWanted) {
  // Host spans are gathered only where somebody wants them.
  Recording recording;
  EXPECT_FALSE(recording.hostSpans()) << "though everything else is recorded from the start";
  recording.request(&one, {true, true});
  EXPECT_FALSE(recording.hostSpans());
  recording.request(&other, {false, true, true});
  EXPECT_TRUE(recording.hostSpans());
  recording.permit(false);
  EXPECT_FALSE(recording.hostSpans());
  recording.permit(true);
  recording.withdraw(&other);
  EXPECT_FALSE(recording.hostSpans());
}

TEST(Recording, MemoryOnlyIfWanted) {
  // Memory is never recorded unless somebody wants it.
  Recording recording;
  EXPECT_FALSE(recording.memory()) << "though everything else is";
  recording.request(&one, {.device = true, .memory = true});
  EXPECT_TRUE(recording.memory());
  recording.permit(false);
  EXPECT_FALSE(recording.memory());
  recording.permit(true);
  recording.request(&one, {.device = true});
  EXPECT_FALSE(recording.memory());
}

TEST(Recording, SwitchedOffBeatsRequests) {
  // Nobody gets what the program switched off.
  Recording recording;
  recording.onlyRequested();
  recording.permit(false);
  recording.request(&one, {true, true});
  EXPECT_FALSE(recording.device());
  recording.permit(true);
  EXPECT_TRUE(recording.device());
}

} // namespace
