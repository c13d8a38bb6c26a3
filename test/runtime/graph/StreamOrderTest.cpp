// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/StreamOrder.h"

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

// One stream. Host times are in the order of the calls; `place` returns where the work begins.
class Stream {
public:
  std::int64_t place(StreamOrder::Work work) {
    return work.beginNs + order_.place(0, stream_, work).laterNs;
  }
  StreamOrder::Move move(StreamOrder::Work work) { return order_.place(0, stream_, work); }
  Stream &other(std::uint64_t stream) {
    stream_ = stream;
    return *this;
  }

private:
  StreamOrder order_;
  std::uint64_t stream_ = 7;
};

TEST(StreamOrder, OrderedWorkStaysInPlace) {
  // What is in order stays where its clock says.
  Stream stream;
  EXPECT_EQ(stream.place({1, 2, 1'000, 2'000}), 1'000) << "a copy";
  EXPECT_EQ(stream.place({3, 3, 2'000, 3'000}), 2'000) << "the replay behind it, without a gap";
  EXPECT_EQ(stream.place({4, 5, 9'000, 9'500}), 9'000);
}

TEST(StreamOrder, ReplayBeginsBehindCopy) {
  // A replay begins when the copy before it has ended.
  Stream stream;
  (void)stream.place({1, 2, 1'000, 2'500});
  EXPECT_EQ(stream.place({3, 3, 2'000, 3'000}), 2'500) << "moved as a whole: its end is 3'500";
  EXPECT_EQ(stream.place({4, 4, 3'000, 4'000}), 3'500) << "the next one waits for it";
  EXPECT_EQ(stream.place({5, 5, 9'000, 9'500}), 9'000) << "nothing adds up";
}

TEST(StreamOrder, LateEarlierWorkGoesInFront) {
  // What comes late, but was earlier, is placed in front.
  Stream stream;
  (void)stream.place({3, 3, 2'000, 3'000});
  EXPECT_EQ(stream.place({1, 2, 1'000, 2'400}), 600);
}

// Without room between two, work is shorter by what its clock rounds. Between two stamps there
// cannot have been more than the time between them.
TEST(StreamOrder, RoomlessWorkIsShortened) {
  Stream stream;
  (void)stream.place({1, 1, 1'000, 2'000});
  (void)stream.place({5, 5, 3'000, 4'000});
  const StreamOrder::Move rounded = stream.move({3, 4, 1'999, 3'001, StreamOrder::eventNs});
  EXPECT_EQ(rounded.laterNs, 1);
  EXPECT_EQ(rounded.shorterNs, 2);
  Stream exact;
  (void)exact.place({1, 1, 1'000, 2'000});
  (void)exact.place({5, 5, 3'000, 4'000});
  const StreamOrder::Move stamped = exact.move({3, 3, 1'999, 3'001, 0});
  EXPECT_EQ(stamped.laterNs, 1);
  EXPECT_EQ(stamped.shorterNs, 0) << "a stamp's duration stays";
}

TEST(StreamOrder, OpenRegionHoldsItsWork) {
  // A region holds what ran while it was open.
  Stream stream;
  (void)stream.place({2, 2, 2'000, 3'000});
  EXPECT_EQ(stream.place({1, 3, 2'200, 3'700}), 2'000) << "a region around that launch";
  Stream other;
  (void)other.place({2, 2, 2'000, 3'000});
  EXPECT_EQ(other.place({1, 3, 1'000, 2'900}), 1'100) << "it ended behind the launch";
}

TEST(StreamOrder, StreamsAreIndependent) {
  Stream streams;
  (void)streams.place({1, 2, 1'000, 2'500});
  EXPECT_EQ(streams.other(8).place({3, 3, 2'000, 3'000}), 2'000);
}

TEST(StreamOrder, LargeContradictionStays) {
  // What contradicts by more than clocks are apart is not moved.
  Stream stream;
  (void)stream.place({1, 2, 1'000, 1'000 + 2 * StreamOrder::mostNs});
  EXPECT_EQ(stream.place({3, 3, 2'000, 3'000}), 2'000);
}

} // namespace
