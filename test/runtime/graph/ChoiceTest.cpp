// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The table that says how a graph is timed, row by row.

#include "graph/timing/Choice.h"

#include <gtest/gtest.h>

#include "clock/Devices.h"
#include "clock/EventClock.h"
#include "clock/StampClock.h"

namespace graphprof {
namespace {

class ChoiceTest : public testing::Test {
protected:
  Way byStamps(const GraphFacts &facts) { return chooseTiming(facts, stamps_).way; }
  Way byEvents(const GraphFacts &facts) { return chooseTiming(facts, events_).way; }
  std::string_view whyNot(const GraphFacts &facts, const GraphClock &clock) {
    const Choice choice = chooseTiming(facts, clock);
    EXPECT_EQ(choice.way, Way::Untimed);
    return choice.why;
  }

  Devices devices_;
  StampClock stamps_{devices_, 0};
  EventClock events_{devices_, 0};
};

TEST_F(ChoiceTest, NothingToTimeSaysNothing) {
  // Where there is nothing to time, nothing is said.
  EXPECT_EQ(whyNot({}, stamps_), "");
  EXPECT_EQ(whyNot({.isBody = true}, stamps_), "");
  EXPECT_EQ(whyNot({.holdsBodies = true}, stamps_), "");
  EXPECT_EQ(whyNot({.isUnique = true, .isBuilt = true}, stamps_), "");
}

TEST_F(ChoiceTest, CopyableGraphIsRebuilt) {
  EXPECT_EQ(byStamps({.hasRegions = true}), Way::Rebuilt);
  EXPECT_EQ(byStamps({.isBuilt = true, .hasRegions = true}), Way::Rebuilt);
  EXPECT_EQ(byStamps({.isBuilt = true, .hasTimedNodes = true}), Way::Rebuilt);
  EXPECT_EQ(byEvents({.hasTimedChildren = true}), Way::Rebuilt);
}

TEST_F(ChoiceTest, UniqueGraphIsTimedInPlace) {
  // What cannot be copied is timed in place.
  EXPECT_EQ(byStamps({.isUnique = true, .hasRegions = true}), Way::InPlace);
  EXPECT_EQ(byStamps({.isMarked = true, .hasRegions = true}), Way::InPlace);
  EXPECT_EQ(byEvents({.isUnique = true, .hasRegions = true}), Way::InPlace);
  EXPECT_EQ(byStamps({.holdsBodies = true, .hasTimedBodies = true}), Way::InPlace);
  EXPECT_EQ(byStamps({.holdsBodies = true, .isBuilt = true, .hasRegions = true}), Way::InPlace);
}

TEST_F(ChoiceTest, HandBuiltGraphStaysUntouched) {
  // Nothing is added to a graph that is built by hand, unless it holds a conditional node.
  const GraphFacts facts = {.isUnique = true, .isBuilt = true, .hasRegions = true};
  EXPECT_NE(whyNot(facts, stamps_).find("built by hand"), std::string_view::npos);
  EXPECT_NE(whyNot({.isUnique = true, .isBuilt = true, .hasTimedNodes = true}, stamps_), "");
}

TEST_F(ChoiceTest, WhatIsCapturedOnceMoreKeepsNoNodes) {
  // Timing nodes can be taken out again of a graph that the device may update, but of no other.
  const auto isNamed = [&](const GraphFacts &facts) {
    return whyNot(facts, stamps_).find("GRAPHPROF_IN_PLACE=1") != std::string_view::npos;
  };
  EXPECT_TRUE(
      isNamed({.isUnique = true, .keepsNodes = true, .mayBeRecaptured = true, .hasRegions = true}));
  EXPECT_TRUE(isNamed({.isBody = true, .mayBeRecaptured = true, .hasRegions = true}));
  EXPECT_TRUE(isNamed({.holdsBodies = true, .mayBeRecaptured = true, .hasRegions = true}));
  EXPECT_EQ(byStamps({.isUnique = true, .mayBeRecaptured = true, .hasRegions = true}),
            Way::InPlace);
  EXPECT_EQ(byStamps({.mayBeRecaptured = true, .hasRegions = true}), Way::Rebuilt);
}

TEST_F(ChoiceTest, BodyTakesStampsNotEvents) {
  EXPECT_EQ(byStamps({.isBody = true, .hasRegions = true}), Way::Body);
  EXPECT_EQ(byStamps({.isBody = true, .isBuilt = true, .hasRegions = true}), Way::Body);
  EXPECT_EQ(byStamps({.isBody = true, .holdsBodies = true, .hasTimedBodies = true}), Way::Body);
  const GraphFacts facts = {.isBody = true, .hasRegions = true};
  EXPECT_NE(whyNot(facts, events_).find("events"), std::string_view::npos);
}

TEST_F(ChoiceTest, InPlaceChildTakesNoEvents) {
  // In place, what child nodes hold takes stamps and no events.
  EXPECT_EQ(byStamps({.holdsBodies = true, .hasTimedChildren = true}), Way::InPlace);
  EXPECT_EQ(byEvents({.holdsBodies = true, .hasTimedChildren = true}), Way::Untimed);
  EXPECT_EQ(byEvents({.isUnique = true, .hasTimedChildren = true}), Way::Untimed);
}

TEST_F(ChoiceTest, PlainNodesStayUntimedInPlace) {
  // Nodes without regions are not timed in place.
  EXPECT_EQ(byStamps({.isBody = true, .isBuilt = true, .hasTimedNodes = true}), Way::Untimed);
  EXPECT_EQ(byStamps({.holdsBodies = true, .isBuilt = true, .hasTimedNodes = true}), Way::Untimed);
}

} // namespace
} // namespace graphprof
