// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/memory_timeline/MemoryTimeline.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace graphprof;

namespace {

using Json = nlohmann::json;

constexpr std::int64_t originNs = 1'700'000'000'000'000'000;
constexpr auto device = MemoryKind::Device, pool = MemoryKind::Pool, host = MemoryKind::Host;

MemoryEvent event(std::int64_t afterNs, std::uint64_t address, std::int64_t bytes,
                  std::uint64_t allocated, MemoryKind kind = device, int ordinal = 0) {
  MemoryEvent event;
  event.timeNs = originNs + afterNs;
  event.address = address;
  event.bytes = bytes;
  event.allocated = allocated;
  event.kind = kind;
  event.device = kind == host ? -1 : ordinal;
  return event;
}

// Of the raw form, times since the origin.
Json raw(const std::vector<MemoryEvent> &events, int ordinal = 0) {
  Json points = Json::parse(MemoryTimeline(events, ordinal).rawJson());
  for (Json &point : points)
    if (point[0] != -1)
      point[0] = point[0].get<std::int64_t>() - originNs;
  return points;
}

TEST(MemoryTimeline, PointHasTimeActionBytesCategory) {
  EXPECT_EQ(raw({event(0, 0x1000, 100, 100), event(2000, 0x2000, 50, 50, pool),
                 event(5000, 0x1000, -100, 0)}),
            Json::parse("[[0,1,100,0],[2000,1,50,1],[5000,3,-100,0]]"));
}

TEST(MemoryTimeline, IsOfOneDevice) {
  const std::vector<MemoryEvent> events = {
      event(0, 0x1000, 1, 1), event(1, 0x2000, 2, 2, device, 1), event(2, 0x3000, 3, 3, host)};
  EXPECT_EQ(raw(events, 1), Json::parse("[[1,1,2,0]]"));
  EXPECT_EQ(raw(events, -1), Json::parse("[[2,1,3,3]]"));
  EXPECT_TRUE(MemoryTimeline(events, 2).empty());
}

TEST(MemoryTimeline, EarlierMemoryIsPreexisting) {
  // 1000 bytes were there: 300 of them are freed; of the pool nothing was.
  EXPECT_EQ(raw({event(0, 0x1000, 100, 1100), event(10, 0x9000, -300, 800),
                 event(20, 0x2000, 5, 5, pool)}),
            Json::parse("[[-1,0,300,0],[-1,0,700,0],[0,1,100,0],[10,3,-300,0],[20,1,5,1]]"));
}

// Of kinds of which nothing happened, nobody else says what was there.
TEST(MemoryTimeline, MemoryHeldThroughoutCounts) {
  const std::vector<MemoryHeld> held = {
      {0, device, 4096}, {0, pool, 77}, {1, device, 9}, {-1, host, 5}};
  const std::vector<MemoryEvent> events = {event(0, 0x1000, 1024, 1024, pool)};
  const MemoryTimeline timeline(events, 0, held);
  EXPECT_EQ(timeline.points().size(), 2U) << "the events say it of their kind";
  EXPECT_EQ(Json::parse(timeline.json())[1].back(), Json::parse("[0,4096,1024,0,0,0]"));
  EXPECT_TRUE(MemoryTimeline(events, 1, held).empty()) << "of a device without events";
}

TEST(MemoryTimeline, BlockReplacesForgottenOne) {
  // A block where one is takes its place.
  EXPECT_EQ(raw({event(0, 0x1000, 100, 100), event(10, 0x1000, 40, 40, pool),
                 event(20, 0x1000, -40, 0, pool)}),
            Json::parse("[[0,1,100,0],[10,2,-100,0],[10,2,40,1],[20,3,-40,1]]"));
}

TEST(MemoryTimeline, ThreadsEventsAreSorted) {
  // Events of several threads come into their order.
  EXPECT_EQ(raw({event(30, 0x1000, -100, 0), event(10, 0x1000, 100, 100)}),
            Json::parse("[[10,1,100,0],[30,3,-100,0]]"));
}

TEST(MemoryTimeline, OtherFormHasSums) {
  // The other form says what there is from each microsecond on.
  const MemoryTimeline timeline(
      std::vector<MemoryEvent>{event(1'000, 0x1000, 100, 600), event(1'500, 0x2000, 10, 10, pool),
                               event(4'999, 0x1000, -100, 500), event(7'000, 0x2000, -10, 0, pool)},
      0);
  constexpr std::int64_t originUs = originNs / 1000;
  EXPECT_EQ(Json::parse(timeline.json()),
            Json::array({Json::array({originUs + 1, originUs + 1, originUs + 4, originUs + 7}),
                         Json::parse("[[0,500,0,0,0,0],[0,600,10,0,0,0],[0,500,10,0,0,0],"
                                     "[0,500,0,0,0,0]]")}))
      << "what was there before is the first, as in torch.profiler's";
}

TEST(MemoryTimeline, DevicesHaveTorchsNames) {
  const std::vector<MemoryEvent> both = {event(0, 1, 1, 1, host), event(0, 2, 1, 1, device, 3),
                                         event(0, 3, 1, 1, device, 1)};
  EXPECT_EQ(memoryDevice("", both), 1);
  EXPECT_EQ(memoryDevice("", {}), -1);
  EXPECT_EQ(memoryDevice("", std::span(both).first(1)), -1);
  EXPECT_EQ(memoryDevice("cpu", both), -1);
  EXPECT_EQ(memoryDevice("cuda", both), 0);
  EXPECT_EQ(memoryDevice("cuda:12", both), 12);
  for (const char *wrong : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda1", "cpu:0"})
    EXPECT_EQ(memoryDevice(wrong, both), std::nullopt) << wrong;
}

} // namespace
