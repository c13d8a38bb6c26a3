// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program's threads did, in the Chrome trace of a profile. Runs on the simulation and on a
// GPU, with either clock.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "output/formats/chrome_trace/TraceRules.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Json = nlohmann::json;

// The events of the trace that a profile exports, which keeps to every rule.
std::vector<Json> exported(profile &profile) {
  const std::string path =
      testing::TempDir() + "host-trace-" + std::to_string(::getpid()) + ".json";
  EXPECT_TRUE(profile.export_chrome_trace(path));
  std::ifstream stream(path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::remove(path.c_str());
  std::vector<std::string> broken = brokenTraceRules(text);
  // A simulated GPU's time is not the host's; without the device's timer, it is known to some
  // microseconds.
  const char *const clock = std::getenv("GRAPHPROF_CLOCK");
  if (text.find("(simulated GPU)") != std::string::npos || (clock && clock == std::string("event")))
    broken.erase(std::remove_if(broken.begin(), broken.end(),
                                [](const std::string &rule) {
                                  return rule.find("ends before it starts") != std::string::npos;
                                }),
                 broken.end());
  EXPECT_THAT(broken, IsEmpty());
  return Json::parse(text)["traceEvents"].get<std::vector<Json>>();
}

std::vector<Json> with(const std::vector<Json> &events, const char *key, const Json &value) {
  std::vector<Json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const Json &event) { return event.value(key, Json()) == value; });
  return found;
}

bool contains(const Json &outer, const Json &inner) {
  const double begin = outer["ts"], end = begin + outer["dur"].get<double>();
  const double innerBegin = inner["ts"], innerEnd = innerBegin + inner.value("dur", 0.0);
  return outer["pid"] == inner["pid"] && outer["tid"] == inner["tid"] &&
         begin <= innerBegin + 1e-4 && innerEnd <= end + 1e-4;
}

struct Program {
  TestStream stream;
  cudaGraph_t graph = capture(stream, [this] {
    GRAPHPROF_SCOPE(1, "inside", on_stream(stream));
    shortWork(stream);
  });
  cudaGraphExec_t exec = instantiate(graph);

  void launch() const { CUDA_OK(cuda::cudaGraphLaunch(exec, stream)); }
  Program() = default;
  ~Program() {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
};

TEST(HostTrace, ArrowLeadsFromStepToReplay) {
  // An arrow leads from the launch in its step to the replay.
  const Program program;
  profile profile;
  for (int step = 0; step < 2; ++step) {
    const Step marked;
    GRAPHPROF_SCOPE(1, "forward", on_capture());
    program.launch();
    mark("launched");
  }
  EXPECT_TRUE(profile.stop());
  const std::vector<Json> events = exported(profile);
  const auto launches = with(events, "name", "cudaGraphLaunch"),
             regions = with(events, "name", "forward"), marks = with(events, "name", "launched"),
             replays = with(events, "cat", "graphprof_replay"), starts = with(events, "ph", "s"),
             ends = with(events, "ph", "f");
  std::vector<Json> steps;
  for (const Json &event : with(events, "cat", "user_annotation"))
    if (event["name"].get<std::string>().find("ProfilerStep#") == 0)
      steps.push_back(event);
  for (const auto &found : {launches, regions, marks, replays, starts, ends, steps})
    ASSERT_THAT(found, SizeIs(2))
        << "each once: of a launch, or a host region, nothing is repeated";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(static_cast<int>(::gettid()), launches[i]["tid"]);
    EXPECT_GT(launches[i]["dur"].get<double>(), 0);
    EXPECT_TRUE(contains(regions[i], launches[i]));
    EXPECT_TRUE(contains(regions[i], marks[i]));
    EXPECT_TRUE(contains(steps[i], regions[i]));
    EXPECT_EQ("cpu_op", regions[i]["cat"]);
    EXPECT_EQ(launches[i]["args"]["step"], regions[i]["args"]["step"]);
    EXPECT_EQ(launches[i]["args"]["correlation"], replays[i]["args"]["correlation"]);
    EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
    EXPECT_EQ(launches[i]["ts"], starts[i]["ts"]);
    EXPECT_EQ(launches[i]["tid"], starts[i]["tid"]);
    EXPECT_EQ(replays[i]["ts"], ends[i]["ts"]);
    EXPECT_EQ(replays[i]["tid"], ends[i]["tid"]);
  }
}

TEST(HostTrace, ThreadHasRow) {
  const Program program;
  profile profile;
  program.launch();
  std::thread([&] {
    const int range = range_push("loading");
    EXPECT_GE(range, 0);
    program.launch();
    range_pop();
  }).join();
  EXPECT_TRUE(profile.stop());
  const std::vector<Json> events = exported(profile);
  const auto launches = with(events, "name", "cudaGraphLaunch"),
             ranges = with(events, "name", "loading");
  ASSERT_THAT(launches, SizeIs(2));
  ASSERT_THAT(ranges, SizeIs(1));
  EXPECT_NE(launches[0]["tid"], launches[1]["tid"]);
  EXPECT_EQ(1, std::count_if(launches.begin(), launches.end(),
                             [&](const Json &launch) { return contains(ranges[0], launch); }));
  for (const Json &launch : launches) {
    const auto names = with(with(events, "name", "thread_name"), "tid", launch["tid"]);
    ASSERT_THAT(names, SizeIs(1));
    EXPECT_EQ(0u, names[0]["args"]["name"].get<std::string>().find("thread " +
                                                                   launch["tid"].dump() + " ("));
  }
}

TEST(HostTrace, LaunchesGetRowWithoutCpu) {
  // Without the CPU, launches have a row of their own.
  const Program program;
  profile_options options;
  options.activities = {ProfilerActivity::CUDA};
  profile profile(options);
  program.launch();
  EXPECT_TRUE(profile.stop());
  const std::vector<Json> events = exported(profile);
  const auto launches = with(events, "name", "cudaGraphLaunch");
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_EQ("not measured", launches[0]["args"]["duration"]);
  const auto names = with(with(events, "name", "thread_name"), "tid", launches[0]["tid"]);
  ASSERT_THAT(names, SizeIs(1));
  EXPECT_EQ("graph launches", names[0]["args"]["name"]);
  EXPECT_THAT(with(events, "ph", "s"), SizeIs(1));
}

} // namespace
} // namespace graphprof::test
