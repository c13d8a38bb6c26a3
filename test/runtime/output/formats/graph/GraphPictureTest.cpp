// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/GraphPicture.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "output/Samples.h"
#include "output/formats/graph/GraphText.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::OfReplays;
using graphprof::test::Sample;
using graphprof::test::Written;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t plenty = 1'000'000;
constexpr Site site{"layer {}", "src/model.cu", 12, "forward"};

// copy -> "layer" { kernel -> "add" { kernel } }, and a graph of one node inside the copy's place.
std::shared_ptr<GraphNodes> sampleGraph(std::uint64_t looks = 1) {
  auto graph = std::make_shared<GraphNodes>();
  graph->nodes = {
      {"memcpy", "Memcpy HtoD", {}, GraphNodes::none, GraphNodes::none, GraphNodes::none, {}},
      {"kernel", "gemm<float>", {0}, 0, 2, GraphNodes::none, {}},
      {"kernel", "a\"dd\\", {1}, 1, GraphNodes::none, GraphNodes::none, {}}};
  graph->regions = {{&site, "layer 0", 0},
                    {&site, "add", 1, 0},
                    {nullptr, "gemm<float>", 1, 0, GraphNodes::none, true}};
  graph->looks = looks;
  return graph;
}

Replay replayOf(Sample &sample, std::shared_ptr<GraphNodes> graph) {
  static std::deque<std::vector<Record>> kept;
  Replay replay = sample;
  std::vector<Record> &records = kept.emplace_back(replay.records.begin(), replay.records.end());
  for (std::uint32_t i = 0; i < records.size(); ++i)
    records[i].region = i;
  replay.records = records;
  replay.drawn = std::move(graph);
  return replay;
}

void addSamples(OfReplays<GraphTimes> &times) {
  Sample cold(0), first(1), second(2);
  cold.cold().region("layer 0", 0, 0, 90'000).region("add", 1, 0, 1).region("gemm", 1, 0, 1);
  first.region("layer 0", 0, 0, 50'000).region("add", 1, 0, 20'000).region("gemm", 1, 0, 30'000);
  second.region("layer 0", 0, 0, 60'000).region("add", 1, 0, -1).region("gemm", 1, 0, 30'000);
  for (Sample *sample : {&cold, &first, &second})
    times.add(replayOf(*sample, sampleGraph()));
}

TEST(GraphPicture, JsonHasBusyTimes) {
  OfReplays<GraphTimes> times(plenty);
  for (std::uint64_t i = 1; i <= 2; ++i) {
    Sample sample(i);
    sample.region("layer 0", 0, 0, 50'000).region("add", 1, 0, 20'000);
    sample.region("gemm", 1, 0, 30'000).kind(Kind::Kernel);
    sample.busy(20'000 + static_cast<std::int64_t>(i), 900, 5, GapCause::Launch);
    times.add(replayOf(sample, sampleGraph()));
  }
  const json graphs = json::parse(graphsAsJson(times)).at("graphs");
  const json &regions = graphs[0]["regions"];
  EXPECT_EQ(regions[2]["busy_ns"], 20'002) << "the newest";
  EXPECT_EQ(regions[2]["gap_ns"], 900);
  EXPECT_EQ(regions[2]["gap_cause"], "launch");
  EXPECT_EQ(regions[2]["busy_replays"], 5);
  EXPECT_FALSE(regions[0].contains("busy_ns"));
}

TEST(GraphPicture, JsonHasNodesRegionsTimes) {
  OfReplays<GraphTimes> times(plenty);
  addSamples(times);
  const json graphs = json::parse(graphsAsJson(times)).at("graphs");
  ASSERT_EQ(graphs.size(), 1);
  const json &graph = graphs[0];
  EXPECT_EQ(graph["replays"], 3);
  EXPECT_EQ(graph["cold_replays"], 1);
  EXPECT_EQ(graph["span"]["median_ns"], 100'000);
  const json &layer = graph["regions"][0];
  EXPECT_EQ(layer["name"], "layer 0");
  EXPECT_EQ(layer["file"], "src/model.cu");
  EXPECT_EQ(layer["line"], 12);
  EXPECT_EQ(layer["count"], 2);
  EXPECT_EQ(layer["total_ns"], 110'000);
  EXPECT_EQ(layer["median_ns"], 55'000);
  EXPECT_EQ(layer["percent"], 55.0);
  EXPECT_EQ(graph["regions"][1]["not_measured"], 1);
  EXPECT_EQ(graph["regions"][1]["parent"], 0);
  EXPECT_EQ(graph["regions"][2]["node"], true);
  EXPECT_FALSE(graph["regions"][2].contains("file"));
  EXPECT_EQ(graph["nodes"][1],
            json::parse(R"({"id":1,"type":"kernel","name":"gemm<float>","after":[0],
                            "region":0,"timed":2,"critical":true,"on_path":2,"slack_ns":0})"))
      << "nothing follows it";
}

TEST(GraphPicture, DotHasBoxesAndTimes) {
  // A box for each region and node, with its times.
  OfReplays<GraphTimes> times(plenty);
  addSamples(times);
  const std::string dot = graphsAsDot(times);
  EXPECT_THAT(dot, HasSubstr(R"(label="graph 1: 3 replays, 100.000us in the median")"));
  EXPECT_THAT(dot, HasSubstr(R"(label="layer 0\n55.000us · 55.0%")"));
  EXPECT_THAT(dot, HasSubstr(R"(g0_n1 [label="gemm<float>\n30.000us · 30.0%")"));
  EXPECT_THAT(dot, ContainsRegex("g0_n1 .*penwidth=3")) << "it is on the critical path";
  EXPECT_THAT(dot, HasSubstr(R"(g0_n2 [label="a\"dd\\"])"));
  EXPECT_THAT(dot, HasSubstr("g0_n0 -> g0_n1"));
  const auto at = [&](std::string_view text) { return dot.find(text); };
  EXPECT_LT(at("cluster_g0_r0"), at("cluster_g0_r1")) << "add stands in layer 0";
  EXPECT_LT(at("cluster_g0_r1"), at("g0_n2 ["));
  EXPECT_LT(at("g0_n1 ["), at("g0_n0 [")) << "the copy stands in none";
}

TEST(GraphPicture, EarlyEdgesAreMarked) {
  const std::shared_ptr<GraphNodes> graph = sampleGraph();
  graph->nodes[2].early = {1};
  OfReplays<GraphTimes> times(plenty);
  Sample sample(0);
  sample.region("layer 0", 0, 0, 50'000).region("add", 1, 0, 20'000).region("gemm", 1, 0, 30'000);
  times.add(replayOf(sample, graph));
  const std::string dot = graphsAsDot(times);
  EXPECT_THAT(dot, HasSubstr("g0_n1 -> g0_n2 [arrowhead=empty, style=dotted]\n"));
  EXPECT_THAT(dot, HasSubstr("g0_n0 -> g0_n1\n"));
  const json nodes = json::parse(graphsAsJson(times)).at("graphs")[0]["nodes"];
  EXPECT_EQ(nodes[2]["early"], json::array({1}));
  EXPECT_FALSE(nodes[1].contains("early"));
}

// As in the table: the second of a name, at the same place.
TEST(GraphPicture, NodesOfNameHaveNumbers) {
  // Nodes of one name in one place have numbers.
  auto graph = std::make_shared<GraphNodes>();
  graph->regions = {{&site, "layer 0", 0},
                    {nullptr, "gemm", 1, 0, GraphNodes::none, true},
                    {nullptr, "gemm", 1, 0, GraphNodes::none, true},
                    {nullptr, "gemm", 0, GraphNodes::none, GraphNodes::none, true}};
  for (std::uint32_t timed = 1; timed < 4; ++timed)
    graph->nodes.push_back(
        {"kernel", "gemm", {}, timed < 3 ? 0 : GraphNodes::none, timed, GraphNodes::none, {}});
  graph->looks = 7;
  OfReplays<GraphTimes> times(plenty);
  Sample sample(1);
  times.add(replayOf(sample.region("layer 0", 0, 0, 50'000)
                         .region("gemm", 1, 0, 10'000)
                         .region("gemm", 1, 10'000, 10'000)
                         .region("gemm", 0, 50'000, 10'000),
                     graph));
  const json regions = json::parse(graphsAsJson(times)).at("graphs")[0]["regions"];
  EXPECT_FALSE(regions[1].contains("place"));
  EXPECT_EQ(regions[2]["place"], 2);
  EXPECT_EQ(regions[2]["name"], "gemm");
  EXPECT_FALSE(regions[3].contains("place")) << "another place";
  const std::string dot = graphsAsDot(times);
  EXPECT_THAT(dot, HasSubstr(R"(g0_n0 [label="gemm\n)"));
  EXPECT_THAT(dot, HasSubstr(R"(g0_n1 [label="gemm #2\n)"));
  EXPECT_THAT(dot, HasSubstr(R"(g0_n2 [label="gemm\n)"));
}

// What ran in cold replays only is marked; shares are by the rule of all outputs.
TEST(GraphPicture, ShowsColdWithoutWarm) {
  // Cold replays are shown where there are no others.
  OfReplays<GraphTimes> times(plenty);
  Sample cold(0);
  cold.cold().region("layer 0", 0, 0, 90'000).region("add", 1, 0, 30'000);
  times.add(replayOf(cold, sampleGraph()));
  const json graph = json::parse(graphsAsJson(times)).at("graphs")[0];
  EXPECT_EQ(graph["span"]["cold"], true);
  EXPECT_EQ(graph["regions"][0]["cold"], true);
  EXPECT_EQ(graph["regions"][0]["total_ns"], 90'000);
  EXPECT_EQ(graph["regions"][0]["percent"], 90.0);
  EXPECT_EQ(graph["regions"][1]["percent"], 30.0);
  EXPECT_FALSE(graph["regions"][2].contains("cold")) << "it did not run at all";
  EXPECT_THAT(graphsAsDot(times),
              AllOf(HasSubstr(R"-(label="graph 1: 1 replay, 100.000us in the median (cold)")-"),
                    HasSubstr(R"(label="layer 0\n90.000us (cold) · 90.0%")")));

  Sample warm(1);
  warm.region("layer 0", 0, 0, 50'000);
  times.add(replayOf(warm, sampleGraph()));
  const json both = json::parse(graphsAsJson(times)).at("graphs")[0];
  EXPECT_FALSE(both["span"].contains("cold"));
  EXPECT_FALSE(both["regions"][0].contains("cold"));
  EXPECT_EQ(both["regions"][0]["total_ns"], 50'000);
  EXPECT_EQ(both["regions"][1]["cold"], true) << "in no warm replay";
}

TEST(GraphPicture, ShareIsWithinParents) {
  // No share is larger than that of the region around it.
  OfReplays<GraphTimes> times(plenty);
  for (std::uint64_t i = 0; i < 3; ++i) {
    Sample sample(i);
    sample.region("layer 0", 0, 0, 80'000);
    for (std::int64_t iteration = 0; iteration < 4; ++iteration)
      sample.region("add", 1, iteration * 20'000, 20'000).iteration(iteration);
    if (i == 0)
      sample.cold();
    Replay replay = replayOf(sample, sampleGraph());
    std::vector<Record> records(replay.records.begin(), replay.records.end());
    for (Record &record : records)
      record.region = record.depth == 0 ? 0 : 1;
    replay.records = records;
    times.add(replay);
  }
  const json graph = json::parse(graphsAsJson(times)).at("graphs")[0];
  EXPECT_EQ(graph["regions"][0]["percent"], 80.0);
  EXPECT_EQ(graph["regions"][1]["percent"], 80.0);
  EXPECT_EQ(graph["regions"][1]["count"], 8) << "executions in two warm replays";
}

TEST(GraphPicture, RoundedQuantilesAreMarked) {
  OfReplays<GraphTimes> times(1);
  for (std::uint64_t i = 0; i < 9; ++i) {
    Sample sample(i);
    sample.region("layer 0", 0, 0, 33'000 + static_cast<std::int64_t>(i));
    times.add(replayOf(sample, sampleGraph()));
  }
  const json layer = json::parse(graphsAsJson(times)).at("graphs")[0]["regions"][0];
  EXPECT_EQ(layer["rounded"], true);
  EXPECT_THAT(graphsAsDot(times), HasSubstr("layer 0\\nabout 33."));
}

TEST(GraphPicture, AlikeGraphsAreOne) {
  OfReplays<GraphTimes> times(plenty);
  for (std::uint64_t graph : {1, 1, 2, 3, 3}) {
    Sample sample(graph);
    sample.exec(graph, graph).region("layer 0", 0, 0, 1'000);
    times.add(replayOf(sample, sampleGraph(graph == 3 ? 7 : 1)));
  }
  ASSERT_EQ(times.graphs().size(), 2);
  EXPECT_EQ(times.graphs()[0]->graphs, 2);
  EXPECT_EQ(times.graphs()[0]->replays, 3);
  EXPECT_EQ(times.graphs()[1]->first, 3);
  EXPECT_THAT(graphsAsDot(times),
              AllOf(HasSubstr("2 graphs, 1 to 2: 3 replays"), HasSubstr("graph 3: 2 replays")));
}

TEST(GraphPicture, UndrawnIsCounted) {
  const Folder folder;
  Written<GraphPicture> picture(folder.file("g.dot"), GraphForm::Dot, plenty);
  Sample sample(1);
  EXPECT_EQ(picture.write(sample.region("a", 0, 0, 1).region("b", 0, 0, 1)), "");
  EXPECT_EQ(picture.dropped(), 2);
  EXPECT_EQ(picture.close({}), "");
  EXPECT_THAT(contents(folder.file("g.dot")), AllOf(HasSubstr("digraph"), Not(HasSubstr("->"))));
}

TEST(GraphPicture, EndingSaysForm) {
  EXPECT_EQ(graphFormOf("a.dot"), GraphForm::Dot);
  EXPECT_EQ(graphFormOf("a.json"), GraphForm::Json);
  EXPECT_EQ(graphFormOf("a.svg"), std::nullopt);
}

} // namespace
