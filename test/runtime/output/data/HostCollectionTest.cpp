// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/HostCollection.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using testing::ElementsAre;

namespace {

HostSpan span(std::string_view name, std::uint64_t thread, std::int64_t beginNs,
              std::int64_t endNs) {
  HostSpan made;
  made.name = name;
  made.thread = thread;
  made.beginNs = beginNs;
  made.endNs = endNs;
  return made;
}

std::vector<std::string> namesOf(const HostCollection &collection) {
  std::vector<std::string> names;
  for (const HostSpan &one : collection.spans())
    names.emplace_back(one.name);
  return names;
}

TEST(HostCollection, PutsWhatContainsASpanBeforeItThreadByThread) {
  HostCollection collection;
  collection.add(std::vector{span("inner", 7, 10, 20), span("other", 9, 0, 5)});
  collection.add(
      std::vector{span("outer", 7, 10, 30), span("later", 7, 40, 50), span("first", 3, 60, 70)});
  EXPECT_EQ(5U, collection.size());
  collection.seal();
  EXPECT_THAT(namesOf(collection), ElementsAre("first", "outer", "inner", "later", "other"));
}

TEST(HostCollection, KeepsWhatItsSpansPointTo) {
  HostCollection collection;
  {
    const std::string name = "a region of a name that is not short";
    const std::string thread = "a worker";
    const std::vector<Value> context = {Value(7), key("kind", "cheap")};
    HostSpan made = span(name, 1, 0, 1);
    made.threadName = thread;
    made.context = context.data();
    made.contextSize = context.size();
    collection.add(std::vector{made, made});
  }
  collection.seal();
  const HostSpan &kept = collection.spans().front();
  EXPECT_EQ("a region of a name that is not short", kept.name);
  EXPECT_EQ("a worker", kept.threadName);
  ASSERT_EQ(2U, kept.contextSize);
  EXPECT_EQ(7, kept.context[0].asSigned());
  EXPECT_EQ("cheap", kept.context[1].asText());
  EXPECT_EQ(kept.name.data(), collection.spans().back().name.data()) << "once";
}

} // namespace
