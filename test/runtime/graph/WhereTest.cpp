// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/harvest/Whereabouts.h"
#include "process/WhereText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace graphprof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t s = 1'000'000'000, none = ReplayBuffer::unreached;
using Progress = ReplayBuffer::Progress;

Region regionAt(std::string name, int depth, std::uint32_t begin, std::uint32_t end,
                Moment alsoBehind = {}) {
  Region region{};
  region.name = std::move(name);
  region.depth = depth;
  region.begin = begin;
  region.alsoBehind = std::move(alsoBehind);
  region.end = end;
  return region;
}
Region kernelAt(std::string name, int depth, std::uint32_t begin, std::uint32_t end,
                Moment alsoBehind = {}) {
  Region region = regionAt(std::move(name), depth, begin, end, std::move(alsoBehind));
  region.kind = Kind::Kernel;
  return region;
}

// A replay that has begun, with stamps at these seconds.
ReplayInFlight replayOf(std::vector<Region> regions, std::vector<std::int64_t> times,
                        std::vector<StampEdge> edges = {}) {
  auto table = std::make_shared<RegionTable>();
  table->graphNumber = 1;
  table->regions = std::move(regions);
  table->boundaries = static_cast<std::uint32_t>(times.size());
  table->edges = std::move(edges);
  ReplayInFlight replay;
  replay.exec = 2;
  replay.number = 3;
  replay.device = 0;
  replay.stream = 7;
  replay.launchNs = s;
  replay.table = table;
  replay.progress = Progress::Begun;
  for (const std::int64_t time : times)
    replay.times.push_back(time == none ? none : time * s);
  return replay;
}

constexpr StampEdge atEnd = StampEdge::Completion, atBegin = StampEdge::LaunchCompletion;

std::vector<Region> chain() {
  return {regionAt("step", 0, 0, 4),
          kernelAt("embed", 1, 0, 1),
          regionAt("layer 0", 1, 1, 3),
          kernelAt("gemm", 2, 1, 2),
          kernelAt("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 2, 2, 3),
          kernelAt("add", 1, 3, 4)};
}

TEST(Where, StampAtBeginProvesThatKernelBegan) {
  const Whereabouts where = whereaboutsOf(
      replayOf(chain(), {1, 2, 3, none, none}, {atEnd, atBegin, atBegin, atBegin, atEnd}));
  ASSERT_EQ(1U, where.open.size());
  const OpenWork &open = where.open[0];
  EXPECT_EQ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", open.name);
  EXPECT_THAT(open.within, ElementsAre("step", "layer 0"));
  EXPECT_TRUE(open.hasBegun);
  EXPECT_EQ(3 * s, open.sinceNs);
  EXPECT_EQ(1U, open.behind);
  ASSERT_EQ(1U, open.next.size());
  EXPECT_EQ("add", open.next[0].name);
  ASSERT_TRUE(where.last);
  EXPECT_EQ("gemm", where.last->name);
  EXPECT_EQ(3 * s, where.lastEndNs);
  EXPECT_EQ(std::pair(std::size_t{2}, std::size_t{4}), std::pair(where.ended, where.stamped));
}

TEST(Where, StampBehindEndDoesNotProveThatNextBegan) {
  const Whereabouts where = whereaboutsOf(replayOf(chain(), {1, 2, 3, none, none}));
  ASSERT_EQ(1U, where.open.size());
  EXPECT_FALSE(where.open[0].hasBegun);
  EXPECT_EQ(3 * s, where.open[0].sinceNs);
}

// The stamp at boundary 2 is at the begin of another kernel.
TEST(Where, StampAtBeginOfAnotherKernelIsNotOwn) {
  auto replay = replayOf(chain(), {1, 2, 3, none, none}, {atEnd, atEnd, atBegin, atEnd, atEnd});
  auto table = std::make_shared<RegionTable>(*replay.table);
  int nodes[2] = {};
  table->kernels = {nullptr, nullptr, reinterpret_cast<driver::Node>(&nodes[0]), nullptr, nullptr};
  table->regions[4].node = reinterpret_cast<driver::Node>(&nodes[1]);
  replay.table = table;
  EXPECT_FALSE(whereaboutsOf(replay).open.at(0).hasBegun);
  table->regions[4].node = table->kernels[2];
  EXPECT_TRUE(whereaboutsOf(replay).open.at(0).hasBegun);
}

// embed, then two lanes of one kernel, then a join.
TEST(Where, EachLaneIsTold) {
  const std::vector<Region> lanes = {kernelAt("embed", 0, 0, 1), kernelAt("left", 0, 1, 2),
                                     kernelAt("right", 0, 1, 3), kernelAt("join", 0, 2, 4, {3}),
                                     kernelAt("end", 0, 4, 5)};
  const Whereabouts both = whereaboutsOf(replayOf(lanes, {1, 2, none, none, none, none}));
  ASSERT_EQ(2U, both.open.size());
  EXPECT_EQ("left", both.open[0].name);
  EXPECT_EQ("right", both.open[1].name);
  EXPECT_EQ(2U, both.open[0].behind);
  // The join waits for both: one end is not enough.
  const Whereabouts one = whereaboutsOf(replayOf(lanes, {1, 2, none, 3, none, none}));
  ASSERT_EQ(1U, one.open.size());
  EXPECT_EQ("left", one.open[0].name);
  EXPECT_EQ("right", one.last->name);
  const Whereabouts joined = whereaboutsOf(replayOf(lanes, {1, 2, 4, 3, none, none}));
  ASSERT_EQ(1U, joined.open.size());
  EXPECT_EQ("join", joined.open[0].name);
  EXPECT_EQ(4 * s, joined.open[0].sinceNs);
}

TEST(Where, WithoutNodesRegionsAreTold) {
  const std::vector<Region> regions = {regionAt("step", 0, 0, 3), regionAt("one", 1, 0, 1),
                                       regionAt("two", 1, 1, 2), regionAt("three", 1, 2, 3)};
  const Whereabouts where = whereaboutsOf(replayOf(regions, {1, 2, none, none}));
  EXPECT_FALSE(where.countsNodes);
  ASSERT_EQ(1U, where.open.size());
  EXPECT_EQ("two", where.open[0].name);
  EXPECT_THAT(where.open[0].within, ElementsAre("step"));
  EXPECT_EQ("one", where.last->name);
  EXPECT_EQ("three", where.open[0].next.at(0).name);
}

TEST(Where, NothingIsSaidOfWhatHasNoStamps) {
  auto regions = chain();
  regions[4].isElsewhere = true;       // in another part
  regions[5].end = Region::unfinished; // the capture ended before it
  regions.push_back(regionAt("empty", 1, 0, 4));
  regions.back().isEmpty = true;
  const Whereabouts where = whereaboutsOf(replayOf(regions, {1, 2, 3, none, none}));
  ASSERT_EQ(1U, where.open.size());
  EXPECT_EQ("layer 0", where.open[0].name); // no node of it is known to be open
  EXPECT_EQ(2U, where.stamped);
}

TEST(Where, Text) {
  auto replay = replayOf(chain(), {1, 2, 3, none, none}, {atEnd, atBegin, atBegin, atBegin, atEnd});
  replay.behind = 2;
  EXPECT_EQ("graph 1, exec 2, replay 3, device 0, stream 7: launched 32.000s ago, "
            "1970-01-01 00:00:01.000 UTC\n"
            "  began 30.000s ago, no end seen: kernel ncclDevKernel_AllReduce_Sum_bf16_RING_LL, "
            "in step > layer 0\n"
            "    NCCL's AllReduce: it ends when all ranks of its communicator have come\n"
            "    1 node behind it: kernel add\n"
            "  ended last, 30.000s ago: kernel gemm, in step > layer 0\n"
            "  2 of 4 nodes seen to end\n"
            "  2 later launches of this exec behind it",
            whereText({&replay, 1}, 33 * s));
}

TEST(Where, TextSaysThatStampsNeedRoom) {
  const auto replay =
      replayOf(chain(), {1, 2, none, none, none}, {atEnd, atBegin, atBegin, atBegin, atEnd});
  EXPECT_THAT(
      whereText({&replay, 1}, 33 * s),
      HasSubstr("no end seen: kernel gemm, in step > layer 0\n"
                "    2 nodes behind it: kernel ncclDevKernel_AllReduce_Sum_bf16_RING_LL, ...\n"
                "    if one of them fills the GPU, no stamp finds room, and it may be the "
                "one that hangs\n"));
}

TEST(Where, TextSaysWhatIsNotKnown) {
  const auto textOf = [](const ReplayInFlight &replay) { return whereText({&replay, 1}, 33 * s); };
  auto replay = replayOf(chain(), {1, 2, 3, none, none});
  EXPECT_THAT(textOf(replay), HasSubstr("\n  may have begun, as what it waits for ended 30.000s "
                                        "ago: kernel nccl"));
  replay.take = {.what = Take::What::Part, .part = 2, .parts = 8};
  EXPECT_THAT(textOf(replay), HasSubstr("\n  this replay stamps part 3 of 8 only"));
  replay.take = {.what = Take::What::Bare};
  EXPECT_THAT(textOf(replay),
              HasSubstr("\n  only the begin and the end of this replay are stamped"));
  replay.progress = Progress::NotBegun;
  EXPECT_THAT(textOf(replay), HasSubstr("\n  it has not begun on the device"));
  EXPECT_THAT(textOf(replay), Not(HasSubstr("nccl")));
  replay.progress = Progress::Unknown;
  EXPECT_THAT(textOf(replay), HasSubstr("which could not be read"));
}

TEST(Where, NamesForgeNoLine) {
  auto regions = chain();
  regions[0].name = "step\nexec 9";
  regions[1].name = "embed\033[31m\n";
  const auto replay = replayOf(regions, {1, none, none, none, none});
  EXPECT_THAT(whereText({&replay, 1}, 33 * s), HasSubstr(": kernel embed?[31m?, in step?exec 9\n"));
}

TEST(Where, Json) {
  const auto replay =
      replayOf(chain(), {1, 2, 3, none, none}, {atEnd, atBegin, atBegin, atBegin, atEnd});
  const auto all = nlohmann::json::parse(whereJson({&replay, 1}, 33 * s));
  ASSERT_EQ(1U, all.size());
  const auto &json = all[0];
  EXPECT_EQ(32 * s, json["for_ns"]);
  EXPECT_EQ("add", json["open"][0]["next"][0]["name"]);
  EXPECT_EQ(true, json["open"][0]["begun"]);
  EXPECT_EQ("gemm", json["last"]["name"]);
  EXPECT_FALSE(json.contains("unknown"));
}

TEST(Where, KernelsOfNccl) {
  EXPECT_EQ("AllReduce", ncclOperation("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_EQ("SendRecv", ncclOperation("ncclDevKernel_SendRecv"));
  EXPECT_EQ("AllGather", ncclOperation("ncclKernel_AllGather_RING_LL_Sum_int8_t"));
  EXPECT_EQ("", ncclOperation("gemm"));
}

} // namespace
} // namespace graphprof
