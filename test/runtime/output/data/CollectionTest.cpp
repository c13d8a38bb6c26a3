// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Collection.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;
using testing::ElementsAre;

namespace {

// Makes batches, as the session does, and adds them.
class Adding {
public:
  explicit Adding(Collection &collection) : collection_(collection) {}

  void add(const Replay &replay, std::size_t from = 0) {
    batcher_.clear(batch_);
    batcher_.add(replay, batch_);
    view_.take(batch_);
    const Batch::Launch &launch = batch_.launches.front();
    collection_.add(view_, launch.replay, batch_.timingsOf(launch).subspan(from));
  }
  void add(const std::vector<HostSpan> &spans) {
    batcher_.clear(batch_);
    for (const HostSpan &span : spans)
      batcher_.add(span, batch_);
    view_.take(batch_);
    for (const Batch::Span &span : batch_.spans)
      collection_.add(view_, span);
  }

private:
  Collection &collection_;
  Batcher batcher_;
  Batch batch_;
  BatchView view_;
};

TEST(Collection, KeepsRecordsBehindReplays) {
  // It keeps records with their names and context behind their replays.
  Collection collection;
  {
    Adding adding(collection);
    Sample sample(3), next(4);
    adding.add(sample.region("layer", 0, 0, 50)
                   .region("add", 1, 5, 20, Clock::Stamp, {Value(7), key("kind", "cheap")}));
    adding.add(next.region("layer", 0, 0, 60));
  }
  collection.seal();
  ASSERT_EQ(3U, collection.size());
  ASSERT_EQ(2U, collection.replays().size());
  EXPECT_EQ(3U, collection.replays()[0].number);
  EXPECT_EQ(2U, collection.replays()[0].records.size());
  const Record &add = collection.records()[1];
  EXPECT_EQ("add", add.name);
  ASSERT_EQ(2U, add.context_size);
  EXPECT_EQ(7, add.context[0].as_signed());
  EXPECT_EQ("kind", add.context[1].key());
  EXPECT_EQ("cheap", add.context[1].as_text());
  EXPECT_EQ(60, collection.replays()[1].records[0].duration_ns);
  EXPECT_EQ(&collection.records()[2], collection.replays()[1].records.data());
}

TEST(Collection, KeepsEqualTextsOnce) {
  // It keeps equal texts once, and tells others apart.
  Collection collection;
  Adding adding(collection);
  for (int i = 0; i < 3; ++i) {
    Sample sample(static_cast<std::uint64_t>(i));
    adding.add(sample.region("a", 0, 0, 1, Clock::Stamp, {Value(1)})
                   .region("a", 0, 1, 1, Clock::Stamp, {Value(i == 2 ? 2 : 1)})
                   .region("a", 0, 2, 1, Clock::Stamp, {Value(1.0)})
                   .region("a", 0, 3, 1, Clock::Stamp, {key("k", 1)})
                   .region("a", 0, 4, 1, Clock::Stamp, {Value("1")}));
  }
  collection.seal();
  const auto context = [&](std::size_t index) { return collection.records()[index].context; };
  EXPECT_EQ(context(0), context(1));
  EXPECT_EQ(context(0), context(5)) << "of another replay";
  EXPECT_NE(context(0), context(11)) << "another value";
  EXPECT_EQ(2, context(11)->as_signed());
  EXPECT_NE(context(0), context(2)) << "another kind";
  EXPECT_NE(context(0), context(3)) << "a key";
  EXPECT_NE(context(0), context(4)) << "a text";
}

TEST(Collection, KeepsReplayPartsApart) {
  Collection collection;
  Sample first;
  Replay whole = first.region("a", 0, 0, 1).region("b", 0, 1, 2);
  whole.layout = 9;
  Adding adding(collection);
  adding.add(whole);
  adding.add(whole, 1);
  adding.add(whole);
  collection.seal();
  std::string names;
  for (const Record &record : collection.records())
    names += record.name;
  EXPECT_EQ("abbab", names);
  EXPECT_EQ(1U, collection.replays()[1].records.size());
}

TEST(Collection, HoldsSeveralPieces) {
  // It holds more than one piece of records.
  auto one = std::make_unique<Collection>();
  Adding adding(*one);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Sample sample(i);
    adding.add(sample.region("a", 0, 0, 1).region("b", 0, 1, 1).region("c", 0, 2, 1));
  }
  one->seal();
  Collection two;
  two.addRecords(*one);
  one.reset();
  two.seal();
  ASSERT_EQ(9000U, two.size());
  for (std::size_t i = 0; i < two.records().size(); ++i)
    ASSERT_EQ(std::string(1, "abc"[i % 3]), two.records()[i].name);
  EXPECT_EQ(2999U, two.replays().back().number);
}

TEST(Collection, MayBeEmpty) {
  Collection collection;
  collection.seal();
  EXPECT_TRUE(collection.records().empty());
}

HostSpan span(std::string_view name, std::uint64_t thread, std::int64_t beginNs,
              std::int64_t endNs) {
  HostSpan made;
  made.name = name;
  made.thread = thread;
  made.begin_ns = beginNs;
  made.end_ns = endNs;
  return made;
}

std::vector<std::string> namesOf(const Collection &collection) {
  std::vector<std::string> names;
  for (const HostSpan &one : collection.spans())
    names.emplace_back(one.name);
  return names;
}

TEST(Collection, PutsOuterSpanFirst) {
  // It puts what contains a span before it, thread by thread.
  Collection collection;
  Adding adding(collection);
  adding.add(std::vector{span("inner", 7, 10, 20), span("other", 9, 0, 5)});
  adding.add(
      std::vector{span("outer", 7, 10, 30), span("later", 7, 40, 50), span("first", 3, 60, 70)});
  EXPECT_EQ(5U, collection.spans().size());
  collection.seal();
  EXPECT_THAT(namesOf(collection), ElementsAre("first", "outer", "inner", "later", "other"));
}

TEST(Collection, KeepsWhatSpansPointTo) {
  Collection collection;
  {
    const std::string name = "a region of a name that is not short";
    const std::string thread = "a worker";
    const std::vector<Value> context = {Value(7), key("kind", "cheap")};
    HostSpan made = span(name, 1, 0, 1);
    made.thread_name = thread;
    made.context = context.data();
    made.context_size = context.size();
    Adding(collection).add(std::vector{made, made});
  }
  collection.seal();
  const HostSpan &kept = collection.spans().front();
  EXPECT_EQ("a region of a name that is not short", kept.name);
  EXPECT_EQ("a worker", kept.thread_name);
  ASSERT_EQ(2U, kept.context_size);
  EXPECT_EQ(7, kept.context[0].as_signed());
  EXPECT_EQ("cheap", kept.context[1].as_text());
  EXPECT_EQ(kept.name.data(), collection.spans().back().name.data()) << "once";
}

} // namespace
