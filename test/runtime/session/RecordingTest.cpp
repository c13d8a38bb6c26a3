// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Recording.h"

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
  recording.want(&one, {true, true});
  EXPECT_TRUE(recording.device()) << "somebody wants it, whoever gets it";
}

TEST(Recording, IsOnFromTheStartUntilTheProgramSwitchesItOff) {
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

TEST(Recording, IsOnOnlyWhileSomebodyWantsItOnceSomebodySaysWhen) {
  Recording recording;
  recording.onlyWanted();
  EXPECT_FALSE(recording.device());
  recording.want(&one, {true, true});
  recording.want(&other, {true, false});
  EXPECT_TRUE(recording.device());
  recording.want(&one, {});
  EXPECT_TRUE(recording.device()) << "the other one still wants it";
  EXPECT_FALSE(recording.host());
  recording.forget(&other);
  EXPECT_FALSE(recording.device());
}

TEST(Recording, GoesOnForThoseWhoWantedItBeforeSomebodySaidWhen) {
  Recording recording;
  recording.want(&one, {true, true});
  recording.onlyWanted();
  EXPECT_TRUE(recording.device());
}

TEST(Recording, HostTimesAreWantedByThemselves) {
  Recording recording;
  recording.onlyWanted();
  recording.want(&one, {false, true});
  EXPECT_FALSE(recording.device());
  EXPECT_TRUE(recording.host());
}

TEST(Recording, HostSpansAreGatheredOnlyWhereSomebodyWantsThem) {
  Recording recording;
  EXPECT_FALSE(recording.hostSpans()) << "though everything else is recorded from the start";
  recording.want(&one, {true, true});
  EXPECT_FALSE(recording.hostSpans());
  recording.want(&other, {false, true, true});
  EXPECT_TRUE(recording.hostSpans());
  recording.permit(false);
  EXPECT_FALSE(recording.hostSpans());
  recording.permit(true);
  recording.forget(&other);
  EXPECT_FALSE(recording.hostSpans());
}

TEST(Recording, MemoryIsNeverRecordedUnlessSomebodyWantsIt) {
  Recording recording;
  EXPECT_FALSE(recording.memory()) << "though everything else is";
  recording.want(&one, {.device = true, .memory = true});
  EXPECT_TRUE(recording.memory());
  recording.permit(false);
  EXPECT_FALSE(recording.memory());
  recording.permit(true);
  recording.want(&one, {.device = true});
  EXPECT_FALSE(recording.memory());
}

TEST(Recording, NobodyGetsWhatTheProgramSwitchedOff) {
  Recording recording;
  recording.onlyWanted();
  recording.permit(false);
  recording.want(&one, {true, true});
  EXPECT_FALSE(recording.device());
  recording.permit(true);
  EXPECT_TRUE(recording.device());
}

} // namespace
