// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Marks and ranges of the program's own, on the host's time line.

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "support/Recorder.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> namesOf(const HostEvents &events) {
  std::vector<std::string> names;
  for (const HostSpan &span : events)
    names.emplace_back(span.name);
  return names;
}

TEST(Marks, RangeHoldsItsContent) {
  profile profile;
  EXPECT_EQ(0, range_push("outer"));
  EXPECT_EQ(1, range_push("inner"));
  mark("now");
  EXPECT_EQ(1, range_pop());
  EXPECT_EQ(0, range_pop());
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_THAT(namesOf(events), ElementsAre("outer", "inner", "now"));
  EXPECT_EQ(HostKind::Range, events[0].kind);
  EXPECT_EQ(HostKind::Mark, events[2].kind);
  EXPECT_EQ(events[2].begin_ns, events[2].end_ns);
  EXPECT_LE(events[0].begin_ns, events[1].begin_ns);
  EXPECT_LE(events[1].begin_ns, events[2].begin_ns);
  EXPECT_LE(events[2].end_ns, events[1].end_ns);
  EXPECT_LE(events[1].end_ns, events[0].end_ns);
}

TEST(Marks, ThreadHasOwnRanges) {
  profile profile;
  EXPECT_EQ(0, range_push("here"));
  std::thread([] {
    EXPECT_EQ(0, range_push("there"));
    EXPECT_EQ(0, range_pop());
    EXPECT_EQ(-1, range_pop());
  }).join();
  EXPECT_EQ(0, range_pop());
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_EQ(2u, events.size());
  EXPECT_NE(events[0].thread, events[1].thread);
}

TEST(Marks, UnwantedMarksAreNotShown) {
  EXPECT_EQ(0, range_push("before"));
  mark("before");
  profile profile;
  EXPECT_EQ(0, range_pop());
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(profile.host_events(), IsEmpty());
}

TEST(Marks, LongNameIsCut) {
  const std::uint64_t before = losses().names_truncated;
  profile profile;
  mark(std::string(2000, 'x'));
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_EQ(1u, events.size());
  EXPECT_EQ(1024u, events[0].name.size());
  EXPECT_EQ(before + 1, losses().names_truncated);
}

} // namespace
} // namespace graphprof::test
