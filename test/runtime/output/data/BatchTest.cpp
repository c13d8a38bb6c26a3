// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Batch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/data/Path.h"
#include "output/io/Text.h"

using namespace graphprof;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::string> paths(const Batch &batch) {
  std::vector<std::string> result;
  result.reserve(batch.regions.size());
  for (const Batch::Region &region : batch.regions)
    result.push_back(std::to_string(region.id) + " in " + std::to_string(region.parent) + ": " +
                     region.path);
  return result;
}

std::vector<std::uint64_t> regionsOf(const Batch &batch, std::size_t launch) {
  std::vector<std::uint64_t> result;
  result.reserve(batch.timings.size());
  for (const Batch::Timing &timing : batch.timingsOf(batch.launches[launch]))
    result.push_back(timing.region);
  return result;
}

TEST(Batcher, ReplayedRegionIsKeptOnce) {
  // A region stands in a batch once, however often it is replayed.
  Batcher batcher;
  Batch batch;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Sample sample(i);
    batcher.add(sample.region("layer", 0, 0, 30).region("add", 1, 0, 10).region("add", 1, 10, 10),
                batch);
  }
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: layer", "2 in 1: layer/add"));
  ASSERT_EQ(batch.launches.size(), 3U);
  EXPECT_THAT(regionsOf(batch, 2), ElementsAre(1, 2, 2));
}

// A replay of a part has no records of the nodes before it, which count all the same.
TEST(Batcher, PartSaysPlacesOfItsNodes) {
  Batcher batcher;
  Batch batch;
  const std::vector<std::uint32_t> places = {1, 1, 2, 3, 1};
  Sample sample;
  sample.region("layer", 0, 0, 30);
  sample.region("add", 1, 0, 10).kind(Kind::Kernel).of(2);
  sample.region("add", 1, 10, 10).kind(Kind::Kernel).of(3);
  Replay replay = sample.region("add", 0, 20, 10).kind(Kind::Kernel).of(4);
  replay.places = places;
  batcher.add(replay, batch);
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: layer", "2 in 1: layer/add #2",
                                        "3 in 1: layer/add #3", "4 in 0: add"));
  EXPECT_TRUE(batch.launches[0].replay.places.empty()) << "they are the caller's";
}

// Nodes of one name at one place are numbered in order. A node's path tells its place; its name is
// what it is, so that nodes can be added up by name.
TEST(Batcher, EqualNamesAreNumbered) {
  Batcher batcher;
  Batch batch;
  for (std::uint64_t i = 0; i < 2; ++i) {
    Sample sample(i);
    batcher.add(sample.region("copy", 0, 0, 1)
                    .kind(Kind::Memcpy)
                    .region("layer", 0, 1, 30)
                    .region("copy", 1, 0, 10)
                    .kind(Kind::Memcpy)
                    .region("scale", 1, 10, 10)
                    .kind(Kind::Kernel)
                    .region("copy", 1, 20, 10)
                    .kind(Kind::Memcpy)
                    .region("layer", 0, 31, 30)
                    .region("copy", 1, 31, 10)
                    .kind(Kind::Memcpy)
                    .region("copy", 0, 61, 1)
                    .kind(Kind::Memcpy),
                batch);
  }
  EXPECT_THAT(paths(batch),
              ElementsAre("1 in 0: copy", "2 in 0: layer", "3 in 2: layer/copy",
                          "4 in 2: layer/scale", "5 in 2: layer/copy #2", "6 in 0: copy #2"));
  EXPECT_EQ(batch.regions[4].name, "copy");
  EXPECT_EQ(batch.regions[4].shown(), "copy #2");
  EXPECT_THAT(regionsOf(batch, 1), ElementsAre(1, 2, 3, 4, 5, 2, 3, 6));
}

TEST(Batcher, IterationNumbersNodesAnew) {
  // Each iteration of a body numbers its nodes anew.
  Batcher batcher;
  Batch batch;
  Sample sample;
  for (std::int64_t iteration = 0; iteration < 2; ++iteration)
    for (int node = 0; node < 2; ++node)
      sample.region("scale", 0, 0, 10).kind(Kind::Kernel).iteration(iteration);
  batcher.add(sample, batch);
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: scale", "2 in 0: scale #2"));
  EXPECT_THAT(regionsOf(batch, 0), ElementsAre(1, 2, 1, 2));
}

// Else regions that nest n deep have paths of n * n names.
TEST(Batcher, PathIsBounded) {
  constexpr int levels = 500;
  const std::string name(100, 'n');
  Batcher batcher;
  Batch batch;
  Sample sample;
  for (int depth = 0; depth < levels; ++depth)
    sample.region(depth == 0           ? "outermost"
                  : depth + 1 < levels ? name.c_str()
                                       : "innermost",
                  depth, 0, 10);
  batcher.add(sample, batch);
  ASSERT_EQ(batch.regions.size(), std::size_t{levels});
  for (const Batch::Region &region : batch.regions)
    EXPECT_LE(region.path.size(), mostPathBytes + 1 + region.name.size());
  EXPECT_EQ(batch.regions[2].path, "outermost/" + name + '/' + name);
  const std::string &innermost = batch.regions.back().path;
  EXPECT_THAT(innermost, testing::StartsWith("outermost/" + name + '/'));
  EXPECT_THAT(innermost, testing::EndsWith("/innermost"));
  EXPECT_NE(innermost.find("/.../"), std::string::npos);
  EXPECT_EQ(innermost.find("/.../"), innermost.rfind("/.../"))
      << "one mark for all that is left out";
}

TEST(Path, CharactersStayWhole) {
  std::string around;
  while (around.size() < 2 * mostPathBytes)
    around += "\u2211"; // three bytes
  const std::string path = pathInside(around, "name");
  EXPECT_EQ(utf8(path), path);
  EXPECT_THAT(path, testing::EndsWith("\u2211/.../name"));
}

TEST(Batcher, KnownLayoutIsNotReread) {
  // A replay of a known layout is not looked at again.
  Batcher batcher;
  Batch batch;
  Sample one, other;
  Replay replay = one.region("a", 0, 0, 10);
  replay.layout = 5;
  batcher.add(replay, batch);
  Replay renamed = other.region("b", 0, 0, 10);
  renamed.layout = 5;
  batcher.add(renamed, batch);
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: a"));
}

TEST(Batcher, PlaceAndValuesTellRegionsApart) {
  // One name is another region in another place or with other values.
  Batcher batcher;
  Batch batch;
  Sample sample;
  batcher.add(sample.region("a", 0, 0, 10)
                  .region("x", 1, 0, 1)
                  .region("b", 0, 10, 10)
                  .region("x", 1, 10, 1)
                  .region("x", 0, 20, 1)
                  .region("x", 0, 20, 1, Clock::Stamp, {Value(1)})
                  .region("x", 0, 20, 1, Clock::Stamp, {Value(1U)})
                  .region("x", 0, 20, 1, Clock::Stamp, {key("k", 1)})
                  .region("x", 0, 20, 1, Clock::Stamp, {Value("1")})
                  .region("x", 0, 20, 1, Clock::Host)
                  .region("x", 0, 20, 1)
                  .kind(Kind::Kernel),
              batch);
  EXPECT_THAT(regionsOf(batch, 0), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(batch.regions[1].path, "a/x");
  EXPECT_EQ(batch.regions[3].path, "b/x");
  EXPECT_EQ(batch.regions[4].path, "x");
}

TEST(Batcher, KeptDataOutlivesReplay) {
  Batcher batcher;
  Batch batch;
  {
    Sample sample;
    batcher.add(sample.region("mlp 3", 0, 7, 11, Clock::Event, {Value("text"), key("flops", 2.5)})
                    .iteration(4),
                batch);
  }
  const Batch::Region &region = batch.regions.at(0);
  EXPECT_EQ(region.name, "mlp 3");
  ASSERT_EQ(region.context.size(), 2U);
  EXPECT_EQ(region.context[0].as_text(), "text");
  EXPECT_EQ(region.context[1].as_real(), 2.5);
  EXPECT_EQ(region.clock, Clock::Event);
  const Batch::Timing &timing = batch.timings.at(0);
  EXPECT_EQ(timing.beginNs, Sample::originNs + 7);
  EXPECT_EQ(timing.durationNs, 11);
  EXPECT_EQ(timing.iteration, 4);
  EXPECT_THAT(batch.launches.at(0).replay.records, IsEmpty());
}

TEST(Batcher, UnmeasuredHasNoBegin) {
  Batcher batcher;
  Batch batch;
  Sample sample;
  batcher.add(sample.region("a", 0, 5, -1), batch);
  EXPECT_EQ(batch.timings.at(0).beginNs, 0);
  EXPECT_EQ(batch.timings.at(0).durationNs, -1);
}

TEST(Batcher, TooManyRegionsBeginAnew) {
  // With too many regions, a batch begins anew, and says from where.
  constexpr std::size_t most = 3;
  Batcher batcher(most);
  Batch batch;
  for (int i = 0; i < 4; ++i) {
    Sample sample;
    batcher.add(sample.region("r" + std::to_string(i), 0, 0, 1), batch);
  }
  batcher.renew(batch);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.regionsFrom, 1U);
  Sample again;
  batcher.add(again.region("r0", 0, 0, 1), batch);
  EXPECT_THAT(paths(batch), ElementsAre("5 in 0: r0")) << "met as if for the first time";
  batcher.renew(batch);
  EXPECT_EQ(batch.regionsFrom, 5U);
}

TEST(Batcher, KnownRegionsMayStay) {
  // What is known may stay for those who read from now on.
  constexpr std::size_t most = 2;
  Batcher batcher(most);
  Batch batch;
  const auto give = [&](const char *name) {
    batcher.clear(batch);
    Sample sample;
    batcher.add(sample.region(name, 0, 0, 10), batch);
  };
  give("a");
  give("b");
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: a", "2 in 0: b"));
  EXPECT_EQ(batch.launches.size(), 1U);
  EXPECT_EQ(newOf(batch.regions, 1).size(), 2U);
  EXPECT_EQ(newOf(batch.regions, 2).front().id, 2U);
  EXPECT_EQ(newOf(batch.regions, 3).size(), 0U);
  give("c");
  give("d"); // begins anew: who reads this batch may have read the one before
  EXPECT_THAT(paths(batch), ElementsAre("1 in 0: a", "2 in 0: b", "3 in 0: c", "4 in 0: d"));
  batcher.clear(batch);
  EXPECT_EQ(batch.regionsFrom, 4U);
  EXPECT_THAT(paths(batch), ElementsAre("4 in 0: d"));
  EXPECT_EQ(newOf(batch.regions, 3).size(), 1U);
}

// Two kernels, the second behind the first. `looks` tells structures apart.
std::shared_ptr<const GraphNodes> twoNodes(std::uint64_t looks) {
  auto nodes = std::make_shared<GraphNodes>();
  nodes->regions.resize(2);
  nodes->nodes.resize(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    nodes->nodes[i].type = "kernel";
    nodes->nodes[i].timed = i;
  }
  nodes->nodes[1].after = {0};
  nodes->looks = looks;
  return nodes;
}

// A replay of `records` of the two.
void addReplay(Batcher &batcher, Batch &batch, std::uint64_t graph, std::uint64_t looks,
               std::uint32_t records = 2) {
  Sample sample;
  sample.exec(graph, graph);
  std::vector<Record> made;
  for (std::uint32_t i = 0; i < records; ++i)
    sample.region(i == 0 ? "one" : "other", 0, 10 * i, 10).kind(Kind::Kernel);
  Replay replay = sample;
  made.assign(replay.records.begin(), replay.records.end());
  for (std::uint32_t i = 0; i < records; ++i)
    made[i].region = i;
  replay.records = made;
  replay.drawn = twoNodes(looks);
  batcher.add(replay, batch);
}

TEST(Batcher, GraphIsKeptOnce) {
  // A graph stands in a batch once, with the first replay of all its nodes.
  Batcher batcher;
  Batch batch;
  addReplay(batcher, batch, 1, 7, 1);
  EXPECT_THAT(batch.graphs, IsEmpty()) << "a part does not tell the regions of all nodes";
  addReplay(batcher, batch, 1, 7);
  addReplay(batcher, batch, 1, 7);
  ASSERT_EQ(batch.graphs.size(), 1U);
  EXPECT_EQ(batch.graphs[0].id, 1U);
  EXPECT_EQ(batch.graphs[0].number, 1U);
  EXPECT_THAT(batch.graphs[0].regions, ElementsAre(1, 2));
  batcher.renew(batch);
  EXPECT_THAT(batch.graphs, IsEmpty());
  addReplay(batcher, batch, 1, 8);
  ASSERT_EQ(batch.graphs.size(), 1U) << "an update gave it other nodes";
  EXPECT_EQ(batch.graphs[0].id, 2U);
  EXPECT_EQ(batch.graphs[0].like, 0U);
}

TEST(Batcher, UntimedNodesAreThere) {
  // As of a graph that is timed in place: pictures show them.
  Batcher batcher;
  Batch batch;
  auto nodes = std::make_shared<GraphNodes>();
  nodes->nodes.resize(2);
  nodes->nodes[1].after = {0};
  nodes->regions.resize(2);
  nodes->looks = 1;
  for (std::uint64_t graph = 1; graph <= 2; ++graph) {
    Sample sample;
    Replay replay = sample.exec(graph, graph).region("solve", 0, 0, 10);
    replay.drawn = nodes;
    batcher.add(replay, batch);
    batcher.add(replay, batch);
  }
  ASSERT_EQ(batch.graphs.size(), 2U);
  EXPECT_EQ(batch.graphs[0].nodes->nodes.size(), 2U);
  EXPECT_EQ(batch.graphs[0].regions, (std::vector<std::uint64_t>{1, 0})) << "one has not run yet";
  EXPECT_EQ(batch.graphs[1].like, batch.graphs[0].id);
}

TEST(Batcher, RecapturedGraphRefersToFirst) {
  // A graph that is captured again says only which it is like.
  Batcher batcher;
  Batch batch;
  addReplay(batcher, batch, 1, 7);
  addReplay(batcher, batch, 2, 7);
  ASSERT_EQ(batch.graphs.size(), 2U);
  EXPECT_EQ(batch.graphs[1].number, 2U);
  EXPECT_EQ(batch.graphs[1].like, 1U);
  EXPECT_EQ(batch.graphs[1].nodes, batch.graphs[0].nodes);
}

TEST(Batcher, ForgottenGraphsComeAgain) {
  // Graphs of regions that are forgotten come again.
  constexpr std::size_t most = 2;
  Batcher batcher(most);
  Batch batch;
  addReplay(batcher, batch, 1, 7);
  Sample sample;
  batcher.add(sample.region("third", 0, 0, 10), batch);
  batcher.renew(batch);
  addReplay(batcher, batch, 1, 7);
  ASSERT_EQ(batch.graphs.size(), 1U);
  EXPECT_EQ(batch.graphs[0].like, 0U);
  EXPECT_THAT(batch.graphs[0].regions, ElementsAre(4, 5));
}

void add(const HostSample &sample, Batcher &batcher, Batch &batch) {
  for (const HostSpan &span : sample.spans())
    batcher.add(span, batch);
}

std::vector<std::string> acts(const Batch &batch) {
  std::vector<std::string> result;
  result.reserve(batch.acts.size());
  for (const Batch::Act &act : batch.acts)
    result.push_back(std::to_string(act.id) + " " + act.name);
  return result;
}

std::vector<std::string> threads(const Batch &batch) {
  std::vector<std::string> result;
  result.reserve(batch.threads.size());
  for (const Batch::Thread &thread : batch.threads)
    result.push_back(std::to_string(thread.id) + " " + std::to_string(thread.number) + " " +
                     thread.name);
  return result;
}

TEST(Batcher, RepeatedActIsKeptOnce) {
  // What a thread did stands in a batch once, however often it does it.
  Batcher batcher;
  Batch batch;
  EXPECT_TRUE(batch.empty());
  for (int i = 0; i < 2; ++i)
    add(HostSample::ofEveryKind(), batcher, batch);
  EXPECT_FALSE(batch.empty());
  EXPECT_EQ(batch.records(), 14U);
  EXPECT_THAT(acts(batch), ElementsAre("1 h2d", "2 layer 0", "3 cudaGraphLaunch", "4 epoch",
                                       "5 ProfilerStep#3", "6 load \"next\""));
  EXPECT_THAT(threads(batch), ElementsAre("1 7128 main", "2 7130 a worker"));
  const Batch::Span &launch = batch.spans.at(2), &other = batch.spans.at(6);
  EXPECT_EQ(launch.act, 3U);
  EXPECT_EQ(launch.thread, 1U);
  EXPECT_EQ(launch.exec, 1U);
  EXPECT_EQ(launch.replay, 2U);
  EXPECT_EQ(launch.endNs - launch.beginNs, 1'500);
  EXPECT_EQ(other.act, 3U);
  EXPECT_EQ(other.thread, 2U);
  batcher.renew(batch);
  EXPECT_TRUE(batch.empty());
  EXPECT_THAT(batch.acts, IsEmpty());
}

TEST(Batcher, KindAndValuesTellActsApart) {
  // One name is another act of another kind, or with other values, or captured.
  Batcher batcher;
  Batch batch;
  HostSample sample;
  sample.add(HostKind::Region, "a", 0, 1).add(HostKind::Range, "a", 0, 1);
  sample.add(HostKind::Region, "a", 0, 1, {Value(1)}).add(HostKind::Region, "a", 0, 1).captured();
  add(sample, batcher, batch);
  EXPECT_THAT(acts(batch), ElementsAre("1 a", "2 a", "3 a", "4 a"));
}

TEST(Batcher, ReusedThreadIdIsAnotherThread) {
  // A number that the kernel gives again is another thread.
  Batcher batcher;
  Batch batch;
  HostSample sample;
  sample.add(HostKind::Mark, "a", 0, 0).on(7, "first").add(HostKind::Mark, "a", 1, 0).on(7, "next");
  add(sample, batcher, batch);
  EXPECT_THAT(threads(batch), ElementsAre("1 7 first", "2 7 next"));
  EXPECT_EQ(batch.spans.at(1).thread, 2U);
}

TEST(Batcher, TooManyActsBeginAnew) {
  // With too many acts or threads, a batch begins anew, and says from where.
  constexpr std::size_t most = 3;
  Batcher batcher(most);
  Batch batch;
  HostSample sample;
  for (unsigned i = 0; i < most + 2; ++i)
    sample.add(HostKind::Range, "r" + std::to_string(i % (most + 1)), 0, 1)
        .on(100 + i % (most + 1), "t");
  add(sample, batcher, batch);
  EXPECT_THAT(acts(batch), ElementsAre("1 r0", "2 r1", "3 r2", "4 r3", "5 r0"));
  EXPECT_THAT(threads(batch), ElementsAre("1 100 t", "2 101 t", "3 102 t", "4 103 t", "5 100 t"));
  EXPECT_EQ(batch.actsFrom, 1U) << "this batch has those before";
  batcher.renew(batch);
  EXPECT_EQ(batch.actsFrom, 4U);
  EXPECT_EQ(batch.threadsFrom, 4U);
}

} // namespace
