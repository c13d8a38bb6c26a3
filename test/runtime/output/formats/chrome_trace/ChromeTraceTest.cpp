// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Every trace is read back with a strict reader, which refuses bytes that are no UTF-8 too.

#include "output/formats/chrome_trace/ChromeTrace.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "output/Samples.h"
#include "output/formats/chrome_trace/TraceRules.h"

using namespace graphprof;
using graphprof::test::brokenTraceRules;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using graphprof::test::Written;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

constexpr std::size_t plenty = 1'000'000;
using Json = nlohmann::json;

std::string textOf(const Json &value) { return value.get<std::string>(); }

// A trace that was read back.
struct Trace {
  Json document;

  [[nodiscard]] std::vector<const Json *> events(const std::string &key,
                                                 const std::string &value) const {
    std::vector<const Json *> result;
    for (const Json &event : document["traceEvents"])
      if (event.value(key, Json()) == value)
        result.push_back(&event);
    return result;
  }
  [[nodiscard]] const Json &named(const std::string &name) const {
    const auto found = events("name", name);
    EXPECT_THAT(found, SizeIs(1)) << name;
    return *found.at(0);
  }
  // The name of the row that an event stands in.
  [[nodiscard]] std::string row(const Json &event) const {
    for (const Json *meta : events("name", "thread_name"))
      if ((*meta)["pid"] == event["pid"] && (*meta)["tid"] == event["tid"])
        return textOf((*meta)["args"]["name"]);
    return "no row";
  }
};

// Which keeps to every rule, whatever is in it.
Trace traceIn(const std::string &path) {
  const std::string text = contents(path);
  EXPECT_THAT(brokenTraceRules(text), IsEmpty());
  Trace trace;
  trace.document = Json::parse(text);
  return trace;
}

Trace traceOf(const std::vector<Replay> &replays, const Losses &losses = {},
              std::size_t maxRecords = plenty) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), maxRecords);
  for (const Replay &replay : replays)
    EXPECT_EQ(output.write(replay), "");
  EXPECT_EQ(output.close(losses), "");
  EXPECT_THAT(folder.names(), ElementsAre("trace.json"));
  return traceIn(folder.file("trace.json"));
}

// The number of this process in a trace. Small ones, as in a container, are devices'.
int pidInTrace() { return ::getpid() < 1024 ? ::getpid() + 1'000'000 : ::getpid(); }

// A span of thread 5000, "worker", with times relative to the origin.
HostSpan hostSpan(HostKind kind, std::string_view name, std::int64_t afterNs,
                  std::int64_t durationNs) {
  HostSpan span;
  span.kind = kind;
  span.name = name;
  span.thread = 5000;
  span.thread_name = "worker";
  span.begin_ns = Sample::originNs + afterNs;
  span.end_ns = span.begin_ns + durationNs;
  return span;
}

HostSpan hostLaunch(std::uint64_t replay, std::int64_t afterNs) {
  HostSpan span = hostSpan(HostKind::Launch, "cudaGraphLaunch", afterNs, 2'500);
  span.graph = span.exec = 1;
  span.replay = replay;
  return span;
}

Trace traceOf(const std::vector<Replay> &replays, const std::vector<HostSpan> &spans) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), plenty);
  EXPECT_EQ(output.writeHost(spans), "");
  for (const Replay &replay : replays)
    EXPECT_EQ(output.write(replay), "");
  EXPECT_EQ(output.close({}), "");
  return traceIn(folder.file("trace.json"));
}

TEST(ChromeTrace, HasKinetosForm) {
  Sample sample;
  const Trace trace = traceOf({sample.region("add", 0, 0, 1'000)});
  EXPECT_EQ(trace.document["schemaVersion"].get<int>(), 1);
  EXPECT_TRUE(trace.document["deviceProperties"].is_array());
  EXPECT_EQ(textOf(trace.document["displayTimeUnit"]), "ms");
  EXPECT_EQ(trace.document["baseTimeNanoseconds"].get<std::int64_t>(), Sample::originNs - 5'000);
  EXPECT_THAT(textOf(trace.document["traceName"]), testing::EndsWith("/trace.json"));
  const Json &events = trace.document["traceEvents"];
  const Json &last = events[events.size() - 1];
  EXPECT_EQ(textOf(last["name"]), "Record Window End");
  EXPECT_EQ(textOf(last["ph"]), "i");
  EXPECT_EQ(last["ts"].get<double>(), 105.0);
}

TEST(ChromeTrace, RegionIsSpanOfStream) {
  // A region is a span of its device and stream.
  Sample sample(3);
  const Trace trace = traceOf({sample.region("layer 2", 0, 1'500, 12'345, Clock::Stamp,
                                             {Value(2), key("batch", 8), Value("x")})});
  const Json &region = trace.named("layer 2");
  EXPECT_EQ(textOf(region["ph"]), "X");
  EXPECT_EQ(textOf(region["cat"]), "graphprof_region");
  EXPECT_EQ(region["pid"].get<int>(), 0);
  EXPECT_EQ(region["tid"].get<int>(), 7);
  EXPECT_DOUBLE_EQ(region["ts"].get<double>(), 6.5);
  EXPECT_DOUBLE_EQ(region["dur"].get<double>(), 12.345);
  const Json &args = region["args"];
  EXPECT_EQ(args["graph"].get<int>(), 1);
  EXPECT_EQ(args["exec"].get<int>(), 1);
  EXPECT_EQ(args["replay"].get<int>(), 3);
  EXPECT_FALSE(args["cold"].get<bool>());
  EXPECT_EQ(textOf(args["clock"]), "stamp");
  EXPECT_EQ(textOf(args["source"]), "src/model.cu:12");
  EXPECT_EQ(textOf(args["function"]), "forward");
  EXPECT_EQ(args["context"]["0"].get<int>(), 2);
  EXPECT_EQ(args["context"]["batch"].get<int>(), 8);
  EXPECT_EQ(textOf(args["context"]["1"]), "x");
}

TEST(ChromeTrace, SaysDriversIds) {
  Sample known, unknown(1);
  const Trace trace =
      traceOf({known.cudaIds(41, 42).region("a", 0, 0, 1'000), unknown.region("b", 0, 0, 1'000)});
  EXPECT_EQ(trace.named("a")["args"]["cuda_graph"].get<int>(), 41);
  EXPECT_EQ(trace.named("a")["args"]["cuda_exec"].get<int>(), 42);
  EXPECT_FALSE(trace.named("b")["args"].contains("cuda_exec"));
}

TEST(ChromeTrace, CopySaysSpeedAndOverlap) {
  // Copies of steps say how fast they were, and what computed meanwhile.
  Sample graph(0), copy = Sample::outsideGraphs(), region = Sample::outsideGraphs();
  copy.stream(8).copy("h2d", 50'000, 100'000, 1'000'000);
  region.stream(9).region("outside", 0, 90'000, 30'000, Clock::Event);
  const Trace trace = traceOf({copy, graph.region("add", 0, 0, 25'000), region});
  const Json &args = trace.named("h2d")["args"];
  EXPECT_EQ(args["memory bandwidth (GB/s)"], 10);
  EXPECT_EQ(args["overlapped (us)"], 70); // until 100 the graph, until 120 the region
  EXPECT_FALSE(args.contains("source")) << "the library's own region stands in no source file";
  EXPECT_FALSE(trace.named("outside")["args"].contains("overlapped (us)"));
}

TEST(ChromeTrace, NodesHaveKinetosCategories) {
  Sample sample;
  sample.region("layer", 0, 0, 5'000);
  sample.region("gemm<float>", 1, 0, 1'000).kind(Kind::Kernel);
  sample.region("Memcpy HtoD (Pinned -> Device)", 1, 1'000, 1'000, Clock::Stamp, {key("bytes", 64)})
      .kind(Kind::Memcpy);
  sample.region("Memset (Device)", 1, 2'000, 1'000).kind(Kind::Memset);
  sample.region("host function", 1, 3'000, 1'000).kind(Kind::Host);
  sample.region("graph", 1, 4'000, 1'000).kind(Kind::Graph);
  sample.region("never ran", 0, 0, -1).kind(Kind::Kernel);
  const Trace trace = traceOf({sample});
  EXPECT_EQ(textOf(trace.named("layer")["cat"]), "graphprof_region");
  EXPECT_EQ(textOf(trace.named("gemm<float>")["cat"]), "kernel");
  const Json &copy = trace.named("Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(textOf(copy["cat"]), "gpu_memcpy");
  EXPECT_EQ(copy["args"]["bytes"], 64);
  EXPECT_EQ(copy["args"]["memory bandwidth (GB/s)"], 0.064);
  EXPECT_EQ(copy["args"]["stream"], 7);
  EXPECT_FALSE(copy["args"].contains("source")) << "a node stands in no source file";
  EXPECT_EQ(textOf(trace.named("Memset (Device)")["cat"]), "gpu_memset");
  EXPECT_EQ(textOf(trace.named("host function")["cat"]), "graphprof_host");
  EXPECT_EQ(textOf(trace.named("graph")["cat"]), "graphprof_graph");
  EXPECT_EQ(textOf(trace.named("never ran")["cat"]), "kernel");
  EXPECT_EQ(textOf(trace.named("never ran")["ph"]), "i");
}

TEST(ChromeTrace, SaysStepOfLaunch) {
  Sample inStep, outside(1), eager = Sample::outsideGraphs();
  const Trace trace = traceOf({inStep.step(4).region("in step", 0, 0, 1'000),
                               outside.region("outside", 0, 0, 1'000),
                               eager.step(5).region("eager", 0, 0, 1'000, Clock::Event)});
  EXPECT_EQ(trace.named("in step")["args"]["step"].get<int>(), 4);
  EXPECT_EQ(trace.named("graph 1 exec 1 replay 0")["args"]["step"].get<int>(), 4);
  EXPECT_FALSE(trace.named("outside")["args"].contains("step"));
  EXPECT_EQ(trace.named("eager")["args"]["step"].get<int>(), 5);
}

TEST(ChromeTrace, SaysIterationOfBody) {
  // It says which iteration of a body it was.
  Sample sample;
  const Trace trace =
      traceOf({sample.region("loop", 0, 0, 3'000).region("step", 1, 0, 1'000).iteration(12)});
  EXPECT_EQ(trace.named("step")["args"]["iteration"].get<int>(), 12);
  EXPECT_FALSE(trace.named("loop")["args"].contains("iteration"));
}

TEST(ChromeTrace, SaysEndsWithNextBegin) {
  // It says where a record ends with the next begin.
  Sample sample;
  const Trace trace = traceOf({sample.region("gemm", 0, 0, 3'000)
                                   .kind(Kind::Kernel)
                                   .endsWithNext()
                                   .region("relu", 0, 3'000, 1'000)
                                   .kind(Kind::Kernel)});
  EXPECT_EQ(trace.named("gemm")["args"]["ends"].get<std::string>(), "next_begin");
  EXPECT_FALSE(trace.named("relu")["args"].contains("ends"));
}

TEST(ChromeTrace, KernelIsDrawnAsLongAsBusy) {
  // The rest of its time is the gap behind it. A region is drawn as long as it lasted, and so is
  // what ends with its own completion.
  Sample sample;
  const Trace trace = traceOf({sample.region("layer", 0, 0, 9'000)
                                   .endsWithNext()
                                   .busy(4'000, 2'000, 9)
                                   .region("gemm", 1, 0, 3'000)
                                   .kind(Kind::Kernel)
                                   .endsWithNext()
                                   .busy(2'000, 950, 63, GapCause::Launch)
                                   .region("relu", 1, 3'000, 1'000)
                                   .kind(Kind::Kernel)
                                   .endsWithNext()
                                   .busy(1'200, 0, 9)
                                   .region("last", 0, 4'000, 1'000)
                                   .kind(Kind::Kernel)
                                   .busy(700, -1, 9)});
  const Json &gemm = trace.named("gemm");
  EXPECT_DOUBLE_EQ(gemm["dur"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(gemm["args"]["until_next_begin_us"].get<double>(), 3);
  EXPECT_DOUBLE_EQ(gemm["args"]["busy_us"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(gemm["args"]["gap_us"].get<double>(), 0.95);
  EXPECT_EQ(gemm["args"]["gap_cause"].get<std::string>(), "launch");
  EXPECT_EQ(gemm["args"]["busy_replays"].get<int>(), 63);
  EXPECT_DOUBLE_EQ(trace.named("relu")["dur"].get<double>(), 1) << "not longer than it lasted";
  EXPECT_DOUBLE_EQ(trace.named("layer")["dur"].get<double>(), 9);
  EXPECT_DOUBLE_EQ(trace.named("layer")["args"]["busy_us"].get<double>(), 4);
  EXPECT_DOUBLE_EQ(trace.named("last")["dur"].get<double>(), 1);
  EXPECT_FALSE(trace.named("last")["args"].contains("gap_us"));
}

TEST(ChromeTrace, TimesHaveThreeDecimals) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), plenty);
  Sample sample;
  EXPECT_EQ(output.write(sample.region("add", 0, 0, 12'340)), "");
  EXPECT_EQ(output.close({}), "");
  EXPECT_THAT(contents(folder.file("trace.json")), HasSubstr(R"("ts":5.000,"dur":12.340,)"));
}

TEST(ChromeTrace, ArrowLeadsFromLaunchToReplay) {
  Sample first(0), second(1);
  const Trace trace = traceOf({first.cold(), second});
  const auto launches = trace.events("name", "cudaGraphLaunch");
  ASSERT_THAT(launches, SizeIs(2));
  const Json &replay = trace.named("graph 1 exec 1 replay 1");
  EXPECT_EQ(textOf(replay["cat"]), "graphprof_replay");
  EXPECT_DOUBLE_EQ(replay["dur"].get<double>(), 100);
  EXPECT_TRUE(trace.named("graph 1 exec 1 replay 0")["args"]["cold"].get<bool>());

  const auto starts = trace.events("ph", "s"), ends = trace.events("ph", "f");
  ASSERT_THAT(starts, SizeIs(2));
  ASSERT_THAT(ends, SizeIs(2));
  EXPECT_NE((*starts[0])["id"], (*starts[1])["id"]);
  EXPECT_EQ((*starts[1])["id"], (*ends[1])["id"]);
  for (const char *key : {"pid", "tid", "ts"}) {
    EXPECT_EQ((*starts[1])[key], (*launches[1])[key]) << key;
    EXPECT_EQ((*ends[1])[key], replay[key]) << key;
  }
  EXPECT_EQ(textOf((*ends[1])["bp"]), "e");
  EXPECT_EQ(textOf((*ends[1])["cat"]), "ac2g");
  EXPECT_EQ(trace.row(*launches[1]), "graph launches");
}

TEST(ChromeTrace, LaunchHasNoDuration) {
  // A launch has no duration, since none was measured.
  Sample sample;
  const Trace trace = traceOf({sample});
  const Json &launch = trace.named("cudaGraphLaunch");
  EXPECT_EQ(launch["dur"].get<double>(), 0);
  EXPECT_EQ(textOf(launch["args"]["duration"]), "not measured");
}

TEST(ChromeTrace, RowsHaveNamesAndOrder) {
  // Processes and threads have names, labels and an order.
  Sample sample, host = Sample::outsideGraphs();
  const Trace trace =
      traceOf({sample.region("add", 0, 0, 1), host.region("tokenise", 0, 0, 1, Clock::Host)});
  std::set<std::string> rows, labels;
  for (const Json *meta : trace.events("name", "thread_name"))
    rows.insert(textOf((*meta)["args"]["name"]));
  for (const Json *meta : trace.events("name", "process_labels"))
    labels.insert(textOf((*meta)["args"]["labels"]));
  EXPECT_THAT(rows, UnorderedElementsAre("graph launches", "host regions", "stream 7"));
  EXPECT_THAT(labels, UnorderedElementsAre("CPU", "GPU 0"));
  EXPECT_THAT(trace.events("name", "process_name"), SizeIs(2));
  EXPECT_THAT(trace.events("name", "process_sort_index"), SizeIs(2));
  EXPECT_THAT(trace.events("name", "thread_sort_index"), SizeIs(3));
}

// Traces of several processes may be shown as one.
TEST(ChromeTrace, JobsProcessIsLabelledWithRank) {
  graphprof::Run run{"node7", "solver", 4321, 3, 1'700'000'000'000'000'000};
  const auto labels = [&run] {
    const Folder folder;
    const std::string path = folder.file("trace.json");
    Written<ChromeTrace> output(path, plenty, run);
    Sample sample;
    EXPECT_EQ(output.write(sample.region("add", 0, 0, 1)), "");
    EXPECT_EQ(output.close({}), "");
    std::set<std::string> found;
    const Trace trace = traceIn(path);
    for (const Json *meta : trace.events("name", "process_labels"))
      found.insert(textOf((*meta)["args"]["labels"]));
    return found;
  };
  EXPECT_THAT(labels(), UnorderedElementsAre("CPU", "GPU 0"));
  run.inJob = true;
  EXPECT_THAT(labels(), UnorderedElementsAre("CPU, rank 3", "GPU 0, rank 3"));
  run.rank = 0;
  EXPECT_THAT(labels(), UnorderedElementsAre("CPU, rank 0", "GPU 0, rank 0"));
}

TEST(ChromeTrace, HostRegionsStandInProcess) {
  Sample host = Sample::outsideGraphs();
  const Trace trace = traceOf(
      {host.region("step", 0, 0, 9'000, Clock::Host).region("wait", 1, 1'000, 2'000, Clock::Host)});
  EXPECT_EQ(trace.row(trace.named("step")), "host regions");
  EXPECT_EQ(trace.row(trace.named("wait")), "host regions");
  EXPECT_FALSE(trace.named("step")["args"].contains("replay"));
  EXPECT_THAT(trace.events("cat", "graphprof_replay"), IsEmpty());
}

TEST(ChromeTrace, ActsStandInThreadsRow) {
  // What a thread did stands in its row.
  static const Site site{"forward", "src/main.cu", 30, "run"};
  const std::vector<Value> context = {key("rows", 3)};
  HostSpan region = hostSpan(HostKind::Region, "forward", 1'000, 6'000);
  region.site = &site;
  region.context = context.data();
  region.context_size = context.size();
  region.step = 3;
  HostSpan captured = hostSpan(HostKind::Region, "captured", 8'000, 500);
  captured.captured = true;
  HostSpan copy = hostSpan(HostKind::Copy, "h2d", 9'000, 500);
  copy.bytes = 4096;
  // In the order in which they ended.
  const Trace trace =
      traceOf({}, {hostSpan(HostKind::Mark, "now", 2'000, 0),
                   hostSpan(HostKind::Range, "load", 1'500, 2'500), region, captured, copy,
                   hostSpan(HostKind::Step, "ProfilerStep#3", 0, 10'000)});
  const std::map<std::string, std::string> categories = {
      {"forward", "cpu_op"},       {"captured", "cpu_op"},
      {"h2d", "cpu_op"},           {"ProfilerStep#3", "user_annotation"},
      {"load", "user_annotation"}, {"now", "user_annotation"}};
  for (const auto &[name, category] : categories) {
    const Json &event = trace.named(name);
    EXPECT_EQ(textOf(event["cat"]), category) << name;
    EXPECT_EQ(textOf(event["ph"]), name == "now" ? "i" : "X") << name;
    EXPECT_EQ(event["pid"].get<int>(), pidInTrace()) << name;
    EXPECT_EQ(event["tid"].get<int>(), 5000) << name;
    EXPECT_EQ(trace.row(event), "thread 5000 (worker)") << name;
    EXPECT_EQ(event["args"].contains("captured"), name == "captured") << name;
    EXPECT_EQ(event["args"].contains("bytes"), name == "h2d") << name;
    EXPECT_EQ(event["args"].contains("step"), name == "forward") << name;
  }
  const Json &forward = trace.named("forward");
  EXPECT_DOUBLE_EQ(forward["ts"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(forward["dur"].get<double>(), 6.0);
  EXPECT_EQ(textOf(forward["args"]["source"]), "src/main.cu:30");
  EXPECT_EQ(textOf(forward["args"]["function"]), "run");
  EXPECT_EQ(forward["args"]["context"]["rows"].get<int>(), 3);
  EXPECT_EQ(forward["args"]["step"].get<int>(), 3);
  EXPECT_EQ(trace.named("h2d")["args"]["bytes"].get<int>(), 4096);
  EXPECT_EQ(trace.document["baseTimeNanoseconds"].get<std::int64_t>(), Sample::originNs);
  std::vector<std::string> written;
  for (const Json &event : trace.document["traceEvents"])
    if (event["ph"] == "X")
      written.push_back(textOf(event["name"]));
  EXPECT_THAT(written, ElementsAre("ProfilerStep#3", "forward", "load", "captured", "h2d"))
      << "what contains before what it contains";
}

TEST(ChromeTrace, ArrowBeginsAtThreadsLaunch) {
  // An arrow begins at the launch that its thread shows.
  Sample shown(0), notShown(1);
  HostSpan other = hostLaunch(7, 900'000), untimed = hostLaunch(0, 950'000);
  untimed.graph = untimed.exec = 0;
  const Trace trace = traceOf({shown.step(4), notShown}, {hostLaunch(0, -4'000), other, untimed});
  const auto launches = trace.events("name", "cudaGraphLaunch");
  ASSERT_THAT(launches, SizeIs(4));
  const Json &launch = *launches[0];
  EXPECT_EQ(trace.row(launch), "thread 5000 (worker)");
  EXPECT_EQ(textOf(launch["cat"]), "cuda_runtime");
  EXPECT_DOUBLE_EQ(launch["dur"].get<double>(), 2.5);
  EXPECT_EQ(launch["args"]["exec"].get<int>(), 1);
  EXPECT_EQ(launch["args"]["replay"].get<int>(), 0);
  EXPECT_EQ(launch["args"]["step"].get<int>(), 4);
  EXPECT_FALSE(launch["args"].contains("duration"));
  const Json &replay = trace.named("graph 1 exec 1 replay 0");
  EXPECT_EQ(launch["args"]["correlation"], replay["args"]["correlation"]);
  const auto starts = trace.events("ph", "s"), ends = trace.events("ph", "f");
  ASSERT_THAT(starts, SizeIs(2));
  ASSERT_THAT(ends, SizeIs(2));
  EXPECT_EQ((*starts[0])["id"], (*ends[0])["id"]);
  for (const char *key : {"pid", "tid", "ts"}) {
    EXPECT_EQ((*starts[0])[key], launch[key]) << key;
    EXPECT_EQ((*ends[0])[key], replay[key]) << key;
  }

  EXPECT_EQ((*launches[1])["args"]["replay"].get<int>(), 7) << "its replay is not here";
  EXPECT_FALSE((*launches[1])["args"].contains("correlation"));
  EXPECT_FALSE((*launches[2])["args"].contains("exec")) << "of a graph that is not timed";
  EXPECT_EQ(trace.row(*launches[3]), "graph launches") << "no thread shows it";
  EXPECT_EQ((*launches[3])["args"]["replay"].get<int>(), 1);
  EXPECT_EQ((*starts[1])["tid"], (*launches[3])["tid"]);
}

TEST(ChromeTrace, OverlappingHostSpansGetRows) {
  // Spans of a thread that overlap get rows of their own.
  HostSpan first = hostSpan(HostKind::Region, "in the first", 0, 5);
  first.thread = 1; // the main thread of a container: the tid is taken
  HostSpan far = hostSpan(HostKind::Region, "far", 0, 5);
  far.thread = 1'000'000; // where further rows begin
  const Trace trace = traceOf({}, {hostSpan(HostKind::Range, "left", 0, 6'000),
                                   hostSpan(HostKind::Region, "in right", 5'000, 3'000),
                                   hostSpan(HostKind::Range, "right", 4'000, 6'000), first, far});
  EXPECT_EQ(trace.row(trace.named("left")), "thread 5000 (worker)");
  EXPECT_EQ(trace.row(trace.named("right")), "thread 5000 (worker) (2)");
  EXPECT_EQ(trace.row(trace.named("in right")), "thread 5000 (worker) (2)");
  EXPECT_EQ(trace.row(trace.named("in the first")), "thread 1 (worker)");
  EXPECT_EQ(trace.row(trace.named("far")), "thread 1000000 (worker)");
  EXPECT_EQ(trace.named("far")["tid"].get<int>(), 1'000'000);
}

TEST(ChromeTrace, MarkAloneGivesRow) {
  // A thread that only marked has a row, too.
  const Trace trace = traceOf({}, {hostSpan(HostKind::Mark, "now", 2'000, 0)});
  EXPECT_EQ(trace.row(trace.named("now")), "thread 5000 (worker)");
}

TEST(ChromeTrace, HostRegionIsDrawnOnce) {
  // A region with host time only is drawn once.
  static const Site site{"a \"format\" {}", "src/model.cu", 12, "forward"};
  HostSpan span = hostSpan(HostKind::Region, "tokenise", 0, 9'000);
  span.site = &site;
  HostSpan onDevice = hostSpan(HostKind::Region, "eager", 10'000, 2'000);
  onDevice.site = &site;
  Sample host = Sample::outsideGraphs(), other = Sample::outsideGraphs(20'000),
         eager = Sample::outsideGraphs(10'000);
  const Trace trace = traceOf({host.region("tokenise", 0, 0, 9'000, Clock::Host)
                                   .region("not measured", 1, 0, -1, Clock::Host),
                               other.region("tokenise", 0, 0, 9'000, Clock::Host),
                               eager.region("eager", 0, 0, 2'000, Clock::Event)},
                              {span, onDevice});
  const auto regions = trace.events("name", "tokenise");
  ASSERT_THAT(regions, SizeIs(2));
  EXPECT_EQ(trace.row(*regions[0]), "thread 5000 (worker)");
  EXPECT_EQ(trace.row(*regions[1]), "host regions") << "no thread shows it";
  EXPECT_EQ(trace.row(trace.named("not measured")), "thread 5000 (worker)")
      << "in the row of what is around it";
  EXPECT_THAT(trace.events("name", "eager"), SizeIs(2)) << "the device's time and the host's";
}

TEST(ChromeTrace, HostSpansCountAgainstBound) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), 4);
  Sample sample, later(1);
  EXPECT_EQ(output.write(sample.region("add", 0, 0, 1)), "");
  const std::vector<HostSpan> spans(3, hostSpan(HostKind::Region, "span", 0, 5));
  EXPECT_EQ(output.writeHost(spans), "");
  EXPECT_EQ(output.dropped(), 1U);
  EXPECT_EQ(output.write(later.region("late", 0, 0, 1)), "");
  EXPECT_EQ(output.dropped(), 2U);
  EXPECT_EQ(output.close({}), "");
  const Trace trace = traceIn(folder.file("trace.json"));
  EXPECT_THAT(trace.events("name", "span"), SizeIs(2));
  EXPECT_THAT(trace.events("name", "add"), SizeIs(1));
  EXPECT_EQ(trace.document["graphprofDropped"].get<int>(), 2);
}

TEST(ChromeTrace, NestedRegionsShareReplaysRow) {
  Sample sample;
  const Trace trace = traceOf({sample.region("layer", 0, 0, 60'000)
                                   .region("add", 1, 0, 30'000)
                                   .region("part", 2, 0, 30'000)
                                   .region("relu", 1, 30'000, 30'000)
                                   .region("head", 0, 60'000, 40'000)});
  for (const char *name : {"graph 1 exec 1 replay 0", "layer", "add", "part", "relu", "head"})
    EXPECT_EQ(trace.row(trace.named(name)), "stream 7") << name;
}

TEST(ChromeTrace, OverlappingBranchesGetRows) {
  // Parallel branches that overlap get rows of their own.
  Sample sample;
  const Trace trace = traceOf({sample.region("left", 0, 0, 60'000)
                                   .region("left part", 1, 0, 30'000)
                                   .region("right", 0, 20'000, 70'000)
                                   .region("right part", 1, 30'000, 10'000)
                                   .region("third", 0, 10'000, 10'000)});
  EXPECT_EQ(trace.row(trace.named("left")), "stream 7");
  EXPECT_EQ(trace.row(trace.named("left part")), "stream 7");
  EXPECT_EQ(trace.row(trace.named("right")), "stream 7, branch 2");
  EXPECT_EQ(trace.row(trace.named("right part")), "stream 7, branch 2");
  EXPECT_EQ(trace.row(trace.named("third")), "stream 7, branch 2")
      << "it happened during left, not in it";
}

// A replay's regions are in one group of rows. Two launches of different execs, of which one was
// placed by a clock that is far off.
TEST(ChromeTrace, ReplayKeepsItsRowsTogether) {
  Sample first(0), second(0);
  const Trace trace = traceOf({first.region("a", 0, 0, 60'000),
                               second.exec(2, 2)
                                   .span(Sample::originNs + 70'000, Sample::originNs + 300'000)
                                   .region("b", 0, 40'000, 60'000)
                                   .region("branch", 0, 50'000, 60'000)
                                   .region("c", 0, 150'000, 10'000)});
  EXPECT_EQ(trace.row(trace.named("graph 1 exec 1 replay 0")), "stream 7");
  EXPECT_EQ(trace.row(trace.named("a")), "stream 7");
  for (const char *const name : {"graph 2 exec 2 replay 0", "b", "c"})
    EXPECT_EQ(trace.row(trace.named(name)), "stream 7 (2)") << name << ": no row above its replay";
  EXPECT_EQ(trace.row(trace.named("branch")), "stream 7, branch 3");
}

TEST(ChromeTrace, NodeSaysItsPlace) {
  // A node says which of its name it is.
  Sample sample;
  const Trace trace = traceOf({sample.region("scale", 0, 0, 10'000)
                                   .kind(Kind::Kernel)
                                   .region("bias", 0, 10'000, 10'000)
                                   .kind(Kind::Kernel)
                                   .region("scale", 0, 20'000, 10'000)
                                   .kind(Kind::Kernel)});
  std::vector<std::string> places;
  for (const Json *event : trace.events("cat", "kernel"))
    places.push_back((*event)["name"].get<std::string>() + ' ' +
                     std::to_string((*event)["args"].value("place", 1)));
  EXPECT_THAT(places, testing::ElementsAre("scale 1", "bias 1", "scale 2"));
}

TEST(ChromeTrace, FurtherRowsAvoidStreamsTids) {
  Sample left(0), other(0);
  const Trace trace = traceOf({left.region("a", 0, 0, 60'000).region("b", 0, 20'000, 70'000),
                               other.stream(8).region("c", 0, 0, 5)});
  std::set<std::pair<std::int64_t, std::int64_t>> tids;
  for (const Json *meta : trace.events("name", "thread_name"))
    EXPECT_TRUE(tids.emplace((*meta)["pid"].get<std::int64_t>(), (*meta)["tid"].get<std::int64_t>())
                    .second);
  EXPECT_EQ(trace.named("c")["tid"].get<int>(), 8);
  EXPECT_EQ(trace.row(trace.named("b")), "stream 7, branch 2");
}

TEST(ChromeTrace, VastStreamIdGetsSmallTid) {
  Sample sample;
  const Trace trace = traceOf({sample.stream(UINT64_MAX).region("a", 0, 0, 1)});
  EXPECT_LT(trace.named("a")["tid"].get<std::int64_t>(), 1LL << 31);
  EXPECT_EQ(trace.row(trace.named("a")), "stream 18446744073709551615");
}

TEST(ChromeTrace, UnmeasuredIsNote) {
  // What was not measured is a note in the row around it, and no span.
  Sample sample;
  const Trace trace = traceOf({sample.region("layer", 0, 0, -1)
                                   .region("add", 1, 1'000, 5'000)
                                   .region("relu", 1, INT64_MIN / 2, -1)});
  EXPECT_EQ(textOf(trace.named("layer")["ph"]), "i");
  EXPECT_FALSE(trace.named("layer").contains("dur"));
  EXPECT_EQ(textOf(trace.named("relu")["args"]["duration"]), "not measured");
  EXPECT_EQ(trace.row(trace.named("relu")), "stream 7");
  EXPECT_EQ(trace.row(trace.named("add")), "stream 7") << "inside the replay all the same";
}

TEST(ChromeTrace, UnknownSpanIsNotDrawn) {
  Sample sample;
  const Trace trace = traceOf({sample.region("add", 0, 1'000, 5'000).span(INT64_MIN, 7)});
  EXPECT_THAT(trace.events("cat", "graphprof_replay"), IsEmpty());
  EXPECT_THAT(trace.events("ph", "s"), IsEmpty());
  EXPECT_EQ(trace.row(trace.named("add")), "stream 7");
}

TEST(ChromeTrace, NamesComeBackUnchanged) {
  const std::string name = "a \"quoted\" \\ name\n\t\x01 ümlaut";
  Sample sample;
  const Trace trace =
      traceOf({sample.region(name, 0, 0, 1, Clock::Stamp, {key("k\"ey", "v\\alue")})});
  EXPECT_EQ(textOf(trace.named(name)["args"]["context"]["k\"ey"]), "v\\alue");
}

TEST(ChromeTrace, InvalidUtf8DoesNoHarm) {
  // Bytes that are no UTF-8 do not break the trace.
  Sample sample;
  const Trace trace = traceOf({sample.region("bad \xff\xc3 name", 0, 0, 1)});
  EXPECT_THAT(trace.events("name", "bad \xef\xbf\xbd\xef\xbf\xbd name"), SizeIs(1));
}

TEST(ChromeTrace, RegionKeepsItsReplayNumber) {
  std::vector<Sample> samples;
  samples.reserve(50);
  std::vector<Replay> replays;
  replays.reserve(50);
  for (std::uint64_t i = 0; i < 50; ++i)
    replays.push_back(samples.emplace_back(i).region("add", 0, 0, 1'000));
  const Trace trace = traceOf(replays);
  const auto regions = trace.events("name", "add");
  ASSERT_THAT(regions, SizeIs(50));
  for (std::uint64_t i = 0; i < 50; ++i)
    EXPECT_EQ((*regions[i])["args"]["replay"].get<std::uint64_t>(), i);
}

TEST(ChromeTrace, ExcessReplaysAreLeftOut) {
  // Beyond its bound, whole replays are left out and counted.
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"),
                              7); // a replay weighs its records and its own span
  for (std::uint64_t i = 0; i < 4; ++i) {
    Sample sample(i);
    EXPECT_EQ(output.write(sample.region("add", 0, 0, 1).region("relu", 0, 1, 1)), "");
  }
  EXPECT_EQ(output.dropped(), 4U);
  Sample small = Sample::outsideGraphs();
  EXPECT_EQ(output.write(small.region("late", 0, 0, 1, Clock::Host)), "");
  EXPECT_EQ(output.dropped(), 5U) << "no holes: what follows is left out too";
  EXPECT_EQ(output.close({}), "");
  const Trace trace = traceIn(folder.file("trace.json"));
  EXPECT_THAT(trace.events("name", "add"), SizeIs(2));
  EXPECT_EQ(trace.document["graphprofDropped"].get<int>(), 5);
  EXPECT_EQ(textOf(trace.named("graphprof: 5 records beyond the bound of this trace; raise "
                               "GRAPHPROF_MAX_RECORDS")["ph"]),
            "i");
}

TEST(ChromeTrace, SaysWhatWasLost) {
  Losses losses{};
  losses.overrun = 12;
  Sample sample;
  const Trace trace = traceOf({sample}, losses);
  EXPECT_EQ(trace.document["graphprofLosses"]["overrun"].get<int>(), 12);
  const auto said = trace.events("cat", "graphprof_loss");
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(textOf((*said[0])["name"]), HasSubstr("12 replays lost: the ring"));
}

TEST(ChromeTrace, MissingReplaysAreMarked) {
  // It marks the replays that are missing between two.
  Sample first(3), second(4), late(7), later(9), other(20);
  const Trace trace = traceOf({first, second, other.exec(1, 2), late, later});
  const auto gaps = trace.events("cat", "graphprof_missing");
  ASSERT_THAT(gaps, SizeIs(2)) << "none before the first of an exec";
  EXPECT_EQ(textOf((*gaps[0])["name"]), "exec 1: 2 replays without times");
  EXPECT_EQ((*gaps[0])["args"], Json::parse(R"({"exec":1,"first":5,"last":6})"));
  EXPECT_EQ(trace.row(*gaps[0]), "graph launches");
  EXPECT_EQ(textOf((*gaps[1])["name"]), "exec 1: 1 replay without times");
}

TEST(ChromeTrace, ProgramsMetadataIsShown) {
  // It says what the program said of itself.
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), plenty);
  output.metadata("model", R"({"layers":32})");
  output.metadata("note", "\"a\"");
  output.metadata("note", "\"b\"");
  output.metadata("traceEvents", "[]");
  output.metadata("deviceProperties", R"([{"id":0,"name":"a GPU","numSms":132}])");
  Sample sample;
  EXPECT_EQ(output.write(sample), "");
  EXPECT_EQ(output.close({}), "");
  const Trace trace = traceIn(folder.file("trace.json"));
  EXPECT_EQ(trace.document["model"]["layers"].get<int>(), 32);
  EXPECT_EQ(textOf(trace.document["note"]), "b");
  EXPECT_THAT(trace.events("cat", "graphprof_replay"), SizeIs(1)) << "the format's own keys stay";
  EXPECT_EQ(trace.document["deviceProperties"][0]["numSms"].get<int>(), 132);
}

MemoryEvent memoryEvent(std::int64_t afterNs, std::int64_t bytes, std::uint64_t allocated,
                        MemoryKind kind = MemoryKind::Device) {
  MemoryEvent event;
  event.timeNs = Sample::originNs + afterNs;
  event.bytes = bytes;
  event.allocated = allocated;
  event.address = 0x1000;
  event.device = kind == MemoryKind::Host ? -1 : 0;
  event.kind = kind;
  return event;
}

TEST(ChromeTrace, MemoryIsCountedByKind) {
  // Memory is counted by kind for each device, and shown as Kineto does.
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), plenty);
  const std::string path = "decode/attention";
  MemoryEvent first = memoryEvent(3'000, 100, 1100);
  first.path = path;
  first.step = 4;
  EXPECT_EQ(output.memory(memoryEvent(9'000, -100, 1000)), "") << "of another thread";
  EXPECT_EQ(output.memory(first), "");
  EXPECT_EQ(output.memory(memoryEvent(5'000, 20, 20, MemoryKind::Pool)), "");
  EXPECT_EQ(output.memory(memoryEvent(6'000, 7, 7, MemoryKind::Host)), "");
  EXPECT_EQ(output.close({}), "");
  const Trace trace = traceIn(folder.file("trace.json"));

  std::vector<std::string> counters;
  for (const Json *event : trace.events("ph", "C"))
    counters.push_back((*event)["pid"].dump() + " " + (*event)["ts"].dump() + " " +
                       (*event)["args"].dump());
  const std::string process = std::to_string(pidInTrace());
  EXPECT_THAT(counters,
              ElementsAre(process + R"( 0.0 {"host":0})", R"(0 0.0 {"device":1000,"pool":0})",
                          R"(0 0.0 {"device":1100,"pool":0})", R"(0 2.0 {"device":1100,"pool":20})",
                          process + R"( 3.0 {"host":7})", R"(0 6.0 {"device":1000,"pool":20})"));

  const auto events = trace.events("name", "[memory]");
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(trace.row(*events[0]), "memory");
  EXPECT_EQ((*events[0])["args"],
            Json::parse(R"({"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":100,
                            "Total Allocated":1100,"Total Reserved":1100,"kind":"device","path":"decode/attention",
                            "step":4})"));
  EXPECT_EQ((*events[1])["args"]["Total Allocated"].get<int>(), 1120) << "of all kinds";
  EXPECT_EQ((*events[2])["args"]["Device Type"].get<int>(), 0);
  EXPECT_EQ((*events[2])["args"]["Device Id"].get<int>(), -1);
  EXPECT_EQ((*events[3])["args"]["Bytes"].get<int>(), -100);
}

TEST(ChromeTrace, MemoryTakesPartOfBound) {
  const Folder folder;
  Written<ChromeTrace> output(folder.file("trace.json"), 2);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(output.memory(memoryEvent(i, 1, 1)), "");
  EXPECT_EQ(output.dropped(), 3U);
  Sample host = Sample::outsideGraphs();
  EXPECT_EQ(output.write(host.region("late", 0, 0, 1, Clock::Host)), "");
  EXPECT_EQ(output.dropped(), 4U);
}

TEST(ChromeTrace, EmptyTraceIsValid) {
  const Trace trace = traceOf({});
  EXPECT_THAT(trace.events("ph", "X"), IsEmpty());
  EXPECT_EQ(trace.document["baseTimeNanoseconds"].get<std::int64_t>(), 0);
}

TEST(ChromeTrace, MissingFolderShowsEarly) {
  // A folder that is missing shows at the first replay.
  const Folder folder;
  const std::string path = folder.file("missing/trace.json");
  Written<ChromeTrace> output(path, plenty);
  Sample sample;
  EXPECT_EQ(output.write(sample), "cannot write " + path + ": No such file or directory");
  EXPECT_EQ(output.close({}), "cannot write " + path + ": No such file or directory");
}

TEST(ChromeTrace, FullDiskIsFailure) {
  Written<ChromeTrace> output("/dev/full", plenty);
  Sample sample;
  EXPECT_EQ(output.write(sample), "");
  EXPECT_EQ(output.close({}), "cannot write /dev/full: No space left on device");
}

} // namespace
