// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions around a region, as a Chrome trace names them under PyTorch's key.

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "output/Samples.h"
#include "output/formats/chrome_trace/ChromeTrace.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using graphprof::test::Written;
using testing::ElementsAre;
using testing::Pair;

namespace {

using Json = nlohmann::json;
using Modules = std::multimap<std::string, std::string>; // by the event's name; "-": no such key

Modules modulesIn(const std::string &path) {
  Modules modules;
  const Json trace = Json::parse(contents(path));
  for (const Json &event : trace["traceEvents"])
    if (const std::string category = event.value("cat", "");
        event["ph"] != "f" && event["ph"] != "s" && category != "graphprof_replay" &&
        !category.empty() && category != "cuda_runtime")
      modules.emplace(event["name"], event["args"].value("Module Hierarchy", "-"));
  return modules;
}

Modules modulesOf(const std::vector<Replay> &replays, const std::vector<HostSpan> &spans) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), 1'000);
  for (const Replay &replay : replays)
    EXPECT_EQ(output.write(replay), "");
  EXPECT_EQ(output.writeHost(spans), "");
  EXPECT_EQ(output.close({}), "");
  return modulesIn(folder.file("trace.json"));
}

HostSpan spanOf(HostKind kind, std::string_view name, std::int64_t afterNs, std::int64_t endNs,
                std::uint64_t thread = 5000) {
  HostSpan span;
  span.kind = kind;
  span.name = name;
  span.thread = thread;
  span.begin_ns = Sample::originNs + afterNs;
  span.end_ns = Sample::originNs + endNs;
  return span;
}

TEST(ModuleHierarchy, ModulesAreOuterRegions) {
  // The modules are the regions around a region of a replay.
  Sample first, second(1);
  const auto regions = [](Sample &sample) -> Replay {
    return sample.region("model", 0, 0, 60'000)
        .region("layer \"0\"", 1, 0, 30'000)
        .region("add", 2, 0, 10'000)
        .region("add", 1, 40'000, 10'000)
        .region("head", 0, 60'000, 10'000);
  };
  EXPECT_THAT(modulesOf({regions(first)}, {}),
              ElementsAre(Pair("add", "model.layer \"0\""), Pair("add", "model"), Pair("head", "-"),
                          Pair("layer \"0\"", "model"), Pair("model", "-")));
}

TEST(ModuleHierarchy, NodesHaveNoModules) {
  // Nodes are no modules, and have none.
  Sample sample;
  const Replay replay = sample.region("layer", 0, 0, 60'000)
                            .region("child graph", 1, 0, 50'000)
                            .kind(Kind::Graph)
                            .region("part", 2, 0, 40'000)
                            .region("kernel", 3, 0, 30'000)
                            .kind(Kind::Kernel);
  EXPECT_THAT(modulesOf({replay}, {}), ElementsAre(Pair("child graph", "-"), Pair("kernel", "-"),
                                                   Pair("layer", "-"), Pair("part", "layer")));
}

TEST(ModuleHierarchy, ThreadsRegionsAreModules) {
  // The modules of a thread are what its regions contain.
  const std::vector<HostSpan> spans = {spanOf(HostKind::Region, "inner", 20, 30), // as they ended
                                       spanOf(HostKind::Range, "range", 15, 40),
                                       spanOf(HostKind::Region, "outer", 10, 90),
                                       spanOf(HostKind::Step, "ProfilerStep#0", 0, 100),
                                       spanOf(HostKind::Region, "behind", 95, 97),
                                       spanOf(HostKind::Region, "elsewhere", 20, 30, 5001)};
  EXPECT_THAT(modulesOf({}, spans),
              ElementsAre(Pair("ProfilerStep#0", "-"), Pair("behind", "-"), Pair("elsewhere", "-"),
                          Pair("inner", "outer"), Pair("outer", "-"), Pair("range", "-")));
}

TEST(ModuleHierarchy, RecursionIsBounded) {
  const std::string name(100, 'r');
  std::string around;
  for (int depth = 0; depth < 1'000; ++depth)
    around = modulesInside(around, name);
  EXPECT_LT(around.size(), 5'000U);
  EXPECT_EQ(around.substr(0, 202), name + "." + name + ".");
}

} // namespace
