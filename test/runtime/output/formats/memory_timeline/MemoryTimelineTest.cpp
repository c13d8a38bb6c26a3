// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/memory_timeline/MemoryTimeline.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace graphprof;
using testing::HasSubstr;
using testing::Not;

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

TEST(MemoryTimeline, APointIsTimeActionBytesAndCategory) {
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

TEST(MemoryTimeline, WhatWasThereBeforeIsPreexisting) {
  // 1000 bytes were there: 300 of them are freed; of the pool nothing was.
  EXPECT_EQ(raw({event(0, 0x1000, 100, 1100), event(10, 0x9000, -300, 800),
                 event(20, 0x2000, 5, 5, pool)}),
            Json::parse("[[-1,0,300,0],[-1,0,700,0],[0,1,100,0],[10,3,-300,0],[20,1,5,1]]"));
}

// Of kinds of which nothing happened, nobody else says what was there.
TEST(MemoryTimeline, WhatIsHeldAllTheTimeCountsAtThePeak) {
  const std::vector<MemoryHeld> held = {
      {0, device, 4096}, {0, pool, 77}, {1, device, 9}, {-1, host, 5}};
  const std::vector<MemoryEvent> events = {event(0, 0x1000, 1024, 1024, pool)};
  const MemoryTimeline timeline(events, 0, held);
  EXPECT_EQ(timeline.points().size(), 2U) << "the events say it of their kind";
  EXPECT_THAT(timeline.html("app"), HasSubstr("At most 5.00 KiB (5120 bytes)"));
  EXPECT_TRUE(MemoryTimeline(events, 1, held).empty()) << "of a device without events";
}

TEST(MemoryTimeline, ABlockWhereOneIsTakesItsPlace) {
  EXPECT_EQ(raw({event(0, 0x1000, 100, 100), event(10, 0x1000, 40, 40, pool),
                 event(20, 0x1000, -40, 0, pool)}),
            Json::parse("[[0,1,100,0],[10,2,-100,0],[10,2,40,1],[20,3,-40,1]]"));
}

TEST(MemoryTimeline, EventsOfSeveralThreadsComeIntoTheirOrder) {
  EXPECT_EQ(raw({event(30, 0x1000, -100, 0), event(10, 0x1000, 100, 100)}),
            Json::parse("[[10,1,100,0],[30,3,-100,0]]"));
}

TEST(MemoryTimeline, TheOtherFormSaysWhatThereIsFromEachMicrosecondOn) {
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

TEST(MemoryTimeline, ThePageHasThePeakAndWhatWasThereThen) {
  std::vector<MemoryEvent> events = {
      event(0, 0x1000, 3 << 20, (3 << 20) + 512), event(1'000'000, 0x2000, 1 << 20, 1 << 20, pool),
      event(2'500'000, 0x1000, -(3 << 20), 512), event(3'000'000, 0x3000, 77, 589),
      event(4'000'000, 0x9000, -512, 77)};
  events[0].path = "load <weights>";
  events[1].path = "decode/attention";
  events[1].step = 12;
  const std::string page = MemoryTimeline(events, 0).html("app & co");
  EXPECT_THAT(page, HasSubstr("<h1>Memory of app &amp; co on cuda:0</h1>"));
  EXPECT_THAT(page, HasSubstr("At most 4.00 MiB (4194816 bytes), 1.000 ms after the first event."));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">3.00 MiB</td><td>device</td><td>0x1000</td><td></td>"
                              "<td>load &lt;weights&gt;</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">1.00 MiB</td><td>pool</td><td>0x2000</td><td>12</td>"
                              "<td>decode/attention</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">512 B</td><td>device</td><td>0x9000</td><td></td>"
                              "<td>(before the recording)</td>"));
  EXPECT_THAT(page, Not(HasSubstr("0x3000"))) << "it was not there at the peak";
  EXPECT_THAT(page, Not(HasSubstr("://"))) << "it needs no network";
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

// The corners of the plot's areas, by category.
std::vector<std::string> areasOf(const std::string &page) {
  std::vector<std::string> areas;
  const std::string begin = "points=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1))
    areas.push_back(
        page.substr(at + begin.size(), page.find('"', at + begin.size()) - at - begin.size()));
  return areas;
}

TEST(MemoryTimeline, ThePlotGoesInSteps) {
  // Half as much from the middle on: from the top, 10, to the middle of the 370 pixels below.
  const std::vector<std::string> areas = areasOf(
      MemoryTimeline(std::vector<MemoryEvent>{event(0, 0x1000, 50, 50), event(0, 0x2000, 50, 100),
                                              event(1'000, 0x2000, -50, 50),
                                              event(2'000, 0x3000, 0, 50)},
                     0)
          .html("app"));
  ASSERT_EQ(areas.size(), 1u);
  EXPECT_THAT(areas[0],
              testing::StartsWith("90,10.0 91,10.0 91,10.0 644,10.0 644,195.0 645,195.0"));
}

TEST(MemoryTimeline, APlotOfManyEventsStaysSmallAndKeepsItsPeak) {
  std::vector<MemoryEvent> events;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    events.push_back(event(2 * i, 0x1000, i == 31'337 ? 1000 : 10, i == 31'337 ? 1000 : 10));
    events.push_back(event(2 * i + 1, 0x1000, i == 31'337 ? -1000 : -10, 0));
  }
  const std::string page = MemoryTimeline(events, 0).html("app");
  EXPECT_LT(page.size(), 200'000u);
  EXPECT_THAT(areasOf(page).at(0), HasSubstr(",10.0 ")) << "the top";
}

TEST(MemoryTimeline, DevicesAreNamedAsTorchNamesThem) {
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
