// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Sampled warps in a trace, and the regions that they went through.

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "output/Samples.h"
#include "output/data/Batch.h"
#include "output/formats/chrome_trace/ChromeTrace.h"
#include "output/formats/chrome_trace/TraceRules.h"

using namespace graphprof;
using graphprof::test::brokenTraceRules;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Json = nlohmann::json;
using Spans = std::vector<KernelRun::Span>;

// A run of "product" with the regions "load" and "fetch", which is inside it. Its warps are those
// of `warps`: block, warp, multiprocessor, begin after the origin, duration.
struct TwinRun : KernelRun {
  explicit TwinRun(std::vector<Warp> of) {
    InsideOfKernel inside;
    inside.kernel = "product";
    inside.scopes = {{"load", "a.cu", 1}, {"fetch", "a.cu", 2}};
    kernel = std::make_shared<const InsideOfKernel>(std::move(inside));
    graph = exec = replay = 1;
    device = 0;
    isTwin = true;
    warps = std::move(of);
    for (Warp &warp : warps)
      warp.beginNs += Sample::originNs;
    rows = {{0, none}, {1, 0}};
  }
  TwinRun &with(std::vector<Time> all, Spans of) {
    times = std::move(all);
    spans = std::make_shared<const Spans>(std::move(of));
    return *this;
  }
};

struct Event {
  std::string row, name;
  double ts, dur;
  Json args;
};

// Those of a category, of a trace that keeps to every rule.
std::vector<Event> eventsOf(const std::vector<TwinRun> &runs, const std::string &category,
                            std::size_t maxRecords = 1'000) {
  const Folder folder;
  ChromeTrace trace(folder.file("trace.json"), maxRecords);
  for (const TwinRun &run : runs) {
    Batch batch;
    batch.kernelRuns.push_back(run);
    EXPECT_EQ(trace.write(batch), "");
  }
  EXPECT_EQ(trace.close({}), "");
  const std::string text = contents(folder.file("trace.json"));
  EXPECT_THAT(brokenTraceRules(text), IsEmpty());
  const Json document = Json::parse(text);
  std::vector<Event> events;
  for (const Json &event : document["traceEvents"]) {
    if (event.value("cat", "") != category)
      continue;
    Event &found =
        events.emplace_back(Event{"", event["name"], event["ts"], event["dur"], event["args"]});
    for (const Json &meta : document["traceEvents"])
      if (meta["name"] == "thread_name" && meta["tid"] == event["tid"])
        found.row = meta["args"]["name"];
  }
  return events;
}

std::vector<std::string> rowsOf(const std::vector<Event> &events) {
  std::vector<std::string> rows;
  rows.reserve(events.size());
  for (const Event &event : events)
    rows.push_back(event.row);
  return rows;
}

TEST(TraceWarps, RegionsAreSpansInsideTheirWarps) {
  const std::vector<TwinRun> runs = {
      TwinRun({{4, 0, 7, 100, 900}, {5, 0, 8, 200, 800}})
          .with({{0, 0, 2, 500}, {1, 0, 1, 50}, {0, 1, 1, 300}},
                {{0, 0, 10, 300}, {1, 0, 20, 50}, {0, 0, 500, 200}, {0, 1, 40, 300}})};
  const auto inside = eventsOf(runs, "graphprof_inside");
  std::vector<std::tuple<std::string, std::string, double, double, int>> drawn;
  drawn.reserve(inside.size());
  for (const Event &event : inside)
    drawn.emplace_back(event.row, event.name, event.ts, event.dur, event.args["iteration"]);
  EXPECT_THAT(drawn, ElementsAre(std::tuple("multiprocessor 7", "load", 0.01, 0.3, 0),
                                 std::tuple("multiprocessor 7", "fetch", 0.02, 0.05, 0),
                                 std::tuple("multiprocessor 7", "load", 0.5, 0.2, 1),
                                 std::tuple("multiprocessor 8", "load", 0.14, 0.3, 0)));
  for (const Event &warp : eventsOf(runs, "graphprof_warp"))
    EXPECT_FALSE(warp.args.contains("not_drawn"));
}

// What a file holds, or what has no room, is in the arguments alone.
TEST(TraceWarps, SaysWhatIsNotDrawn) {
  TwinRun part = TwinRun({{0, 0, 0, 0, 900}}).with({{0, 0, 7, 700}}, {{0, 0, 0, 100}});
  TwinRun read = TwinRun({{0, 0, 0, 1'000, 900}}).with({{0, 0, 3, 300}}, {});
  read.spans = nullptr;
  EXPECT_THAT(eventsOf({part, read}, "graphprof_inside"), testing::SizeIs(1));
  const auto warps = eventsOf({part, read}, "graphprof_warp");
  ASSERT_EQ(2U, warps.size());
  EXPECT_EQ(6, warps[0].args["not_drawn"]);
  EXPECT_EQ(3, warps[1].args["not_drawn"]);
  EXPECT_EQ(7, warps[0].args["regions"][0]["iterations"]);
}

// They do not take the room of records, and have a bound of their own.
TEST(TraceWarps, SpansHaveTheirOwnBound) {
  const auto run = [](std::int64_t afterNs) {
    return TwinRun({{0, 0, 0, afterNs, 900}})
        .with({{0, 0, 2, 200}}, {{0, 0, 0, 100}, {0, 0, 100, 100}});
  };
  const std::vector<TwinRun> runs = {run(0), run(1'000), run(2'000), run(3'000)};
  EXPECT_THAT(eventsOf(runs, "graphprof_warp", 4), testing::SizeIs(4));
  EXPECT_THAT(eventsOf(runs, "graphprof_inside", 4), testing::SizeIs(4));
  EXPECT_EQ(2, eventsOf(runs, "graphprof_warp", 4)[2].args["not_drawn"]);
}

TEST(TraceWarps, BlocksOfAMultiprocessorHaveSlots) {
  // The second begins before the first ends, the third when it has ended.
  EXPECT_THAT(
      rowsOf(eventsOf({TwinRun({{0, 0, 3, 0, 500}, {1, 0, 3, 100, 800}, {2, 0, 3, 500, 100}})},
                      "graphprof_warp")),
      ElementsAre("multiprocessor 3", "multiprocessor 3 (2)", "multiprocessor 3"));
}

// Warps of one block stand together, whichever block begins meanwhile.
TEST(TraceWarps, WarpsOfABlockAreRowsOfItsSlot) {
  const std::vector<TwinRun> runs = {TwinRun({{0, 0, 3, 0, 500},
                                              {0, 4, 3, 20, 300},
                                              {1, 0, 3, 10, 500},
                                              {1, 4, 3, 30, 500},
                                              {2, 0, 3, 510, 100},
                                              {2, 4, 3, 520, 100}})
                                         .with({{0, 1, 1, 100}}, {{0, 1, 50, 100}})};
  EXPECT_THAT(rowsOf(eventsOf(runs, "graphprof_warp")),
              ElementsAre("multiprocessor 3, warp 0", "multiprocessor 3, warp 4",
                          "multiprocessor 3 (2), warp 0", "multiprocessor 3 (2), warp 4",
                          "multiprocessor 3, warp 0", "multiprocessor 3, warp 4"));
  EXPECT_THAT(rowsOf(eventsOf(runs, "graphprof_inside")), ElementsAre("multiprocessor 3, warp 4"));
}

} // namespace
