// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What several units find in one header is one set of facts; what several uses of a macro find in
// its body as well.

#include "facts/Facts.h"

#include <gtest/gtest.h>

namespace graphprof::instrument {
namespace {

void annotate(Facts &In, unsigned At, ConstructKind Kind, const std::string &Name = "f") {
  Annotation Note;
  Note.At = At;
  Construct Target;
  Target.Kind = Kind;
  Target.DefaultName = Name;
  In.Annotations.push_back(Note);
  In.Constructs.push_back(Target);
}

TEST(Facts, BranchesOfHeaderAreMerged) {
  // Two units that see different branches of a header.
  Facts First, Second;
  annotate(First, 10, ConstructKind::Compound);
  annotate(First, 30, ConstructKind::Statement);
  annotate(Second, 20, ConstructKind::Loop);
  annotate(Second, 30, ConstructKind::Statement);
  First.merge(Second);
  ASSERT_EQ(First.Annotations.size(), 3U);
  ASSERT_EQ(First.Constructs.size(), 3U);
  EXPECT_EQ(First.Annotations[1].At, 20U);
  EXPECT_EQ(First.Constructs[1].Kind, ConstructKind::Loop);
  EXPECT_EQ(First.Constructs[2].Kind, ConstructKind::Statement);
}

TEST(Facts, SharedCallCountsOnce) {
  // A call that two units see is one.
  Facts First, Second;
  First.Calls = {{{5, 20}, "cudaGraphLaunch", {}, {}}};
  Second.Calls = {{{1, 4}, "cudaGraphUpload", {}, {}}, {{5, 20}, "cudaGraphLaunch", {}, {}}};
  First.merge(Second);
  ASSERT_EQ(First.Calls.size(), 2U);
  EXPECT_EQ(First.Calls.front().Name, "cudaGraphUpload");
}

TEST(Facts, DifferentUsesHaveNoName) {
  Facts Known;
  annotate(Known, 10, ConstructKind::Function, "first");
  annotate(Known, 10, ConstructKind::Function, "second");
  Known.putInOrder();
  ASSERT_EQ(Known.Annotations.size(), 1U);
  ASSERT_EQ(Known.Constructs.size(), 1U);
  EXPECT_TRUE(Known.Constructs.front().DefaultName.empty());
  EXPECT_FALSE(Known.Constructs.front().Split);
}

TEST(Facts, MixedConstructsSplitMacro) {
  // A macro that holds two kinds of constructs is split.
  Facts Known;
  annotate(Known, 10, ConstructKind::Compound);
  annotate(Known, 10, ConstructKind::Statement);
  Known.putInOrder();
  EXPECT_TRUE(Known.Constructs.front().Split);
}

TEST(Facts, MacrosStreamIsOne) {
  // What the uses of a macro pass for its stream is one stream.
  Facts Known;
  annotate(Known, 10, ConstructKind::Statement);
  annotate(Known, 10, ConstructKind::Statement);
  Known.Constructs[0].Streams = {{1, "s", "one", ""}};
  Known.Constructs[1].Streams = {{2, "s", "two", "it calls a function"}};
  Known.putInOrder();
  const auto &Streams = Known.Constructs.front().Streams;
  ASSERT_EQ(Streams.size(), 2U);
  EXPECT_EQ(Streams[0].Identity, Streams[1].Identity);
  EXPECT_EQ(Streams[1].Obstacle, "it calls a function");
}

} // namespace
} // namespace graphprof::instrument
