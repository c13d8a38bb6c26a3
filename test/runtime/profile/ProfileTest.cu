// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof::profile around a program's loop. Runs on the simulation and on a GPU, with either
// clock. What follows from the order of steps alone is tested in session/CyclesTest.cpp.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include "support/Files.h"
#include "support/Recorder.h"
#include "support/Stderr.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A graph of one region, and its exec.
class Program {
public:
  Program()
      : graph_(capture(stream,
                       [this] {
                         GRAPHPROF_SCOPE(1, "outer", on_stream(stream));
                         shortWork(stream);
                         GRAPHPROF_SCOPE(2, "inner", on_stream(stream));
                         longWork(stream);
                       })),
        exec_(instantiate(graph_)) {}
  ~Program() {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec_));
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph_));
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  void launch() { EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec_, stream)); }

  TestStream stream;

private:
  const cudaGraph_t graph_;
  const cudaGraphExec_t exec_;
};

// The traces that on_trace_ready got.
class Traces {
public:
  std::function<void(const Trace &)> handler() {
    return [this](const Trace &trace) {
      const std::lock_guard lock(mutex_);
      traces_.push_back(trace);
    };
  }
  std::vector<Trace> all() {
    const std::lock_guard lock(mutex_);
    return traces_;
  }

private:
  std::mutex mutex_;
  std::vector<Trace> traces_;
};

// Of the replays in a trace, the numbers.
std::vector<std::uint64_t> replaysOf(const Trace &trace) {
  std::vector<std::uint64_t> numbers;
  for (const Record &record : trace.events())
    if (record.name == "outer")
      numbers.push_back(record.replay);
  return numbers;
}

std::string temporary(const std::string &name) {
  static const Folder folder;
  return folder.file(name);
}

TEST(Profile, CycleGetsItsReplays) {
  // It hands over the replays that were launched in each cycle.
  Program program;
  Traces traces;
  profile_options options;
  options.schedule = schedule(1, 1, 2, 2);
  options.on_trace_ready = traces.handler();
  profile profile(options);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(i, profile.step_num());
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  const std::vector<Trace> seen = traces.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_THAT(replaysOf(seen[0]), ElementsAre(2, 3));
  EXPECT_THAT(replaysOf(seen[1]), ElementsAre(6, 7));
  EXPECT_EQ(1u, seen[0].cycle());
  EXPECT_EQ(2, seen[0].first_step());
  EXPECT_EQ(3, seen[0].last_step());
  EXPECT_EQ(6, seen[1].first_step());
  EXPECT_NE(seen[0].get_trace_id(), seen[1].get_trace_id());
  EXPECT_EQ(2u, profile.trace().cycle()) << "the newest one";
}

TEST(Profile, MeasuresWhatItRecords) {
  Program program;
  profile profile;
  program.launch();
  program.launch();
  EXPECT_TRUE(profile.stop());
  const Events events = profile.events();
  ASSERT_EQ(4u, events.size());
  for (const Record &record : events) {
    EXPECT_TRUE(record.measured());
    EXPECT_NE(Clock::Host, record.clock);
    EXPECT_GT(record.launch_ns, 0);
  }
  EXPECT_EQ("outer", events[0].name);
  EXPECT_EQ("inner", events[1].name);
  EXPECT_EQ(1, events[1].depth);
  EXPECT_GT(events[2].duration_ns, events[3].duration_ns);
  EXPECT_EQ(events[0].launch_ns, events[1].launch_ns);
  EXPECT_LT(events[1].launch_ns, events[2].launch_ns);
}

// It warms up the profiled exec before it records. The first replay that is recorded was not the
// first that the profiled exec ran.
TEST(Profile, WarmsUpProfiledExec) {
  Program program;
  Traces traces;
  profile_options options;
  options.schedule = schedule(1, 1, 1, 1);
  options.on_trace_ready = traces.handler();
  profile profile(options);
  for (int i = 0; i < 4; ++i) {
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  const std::vector<Trace> seen = traces.all();
  ASSERT_EQ(1u, seen.size());
  ASSERT_EQ(2u, seen[0].events().size());
  EXPECT_FALSE(seen[0].events()[0].cold);
}

TEST(Profile, RecordsOnlyWhenWanted) {
  const NobodyElseListens quiet;
  Program program;
  {
    profile_options options;
    options.schedule = schedule(1, 0, 1, 1);
    profile first(options);
    EXPECT_FALSE(recording());
    profile second{profile_options{}, defer_start};
    EXPECT_FALSE(recording());
    second.start();
    EXPECT_TRUE(recording());
    first.step();
    EXPECT_TRUE(second.stop());
    EXPECT_TRUE(recording()) << "for the first one, which is in step 1";
    graphprof::stop();
    EXPECT_FALSE(recording()) << "the program's switch is everybody's";
    graphprof::start();
    EXPECT_TRUE(recording());
    first.step();
    EXPECT_FALSE(recording());
    const Recorder recorder;
    EXPECT_TRUE(recording()) << "a Profiler gets everything";
  }
  EXPECT_FALSE(recording()) << "the program says when";
}

TEST(Profile, RecorderBesideItIsUndisturbed) {
  // A recorder beside it gets everything as before.
  Program program;
  Recorder recorder;
  profile_options options;
  options.schedule = schedule(1, 1, 1, 1);
  profile profile(options);
  for (int i = 0; i < 5; ++i) {
    program.launch();
    profile.step();
  }
  EXPECT_EQ(10u, recorder.all().size());
  EXPECT_TRUE(profile.flush());
  EXPECT_THAT(replaysOf(profile.trace()), ElementsAre(2));
}

TEST(Profile, NumbersItsSteps) {
  Program program;
  profile_options options;
  options.schedule = schedule(0, 1, 2, 1);
  profile profile(options);
  std::vector<std::int64_t> begun;
  for (int i = 0; i < 3; ++i) {
    begun.push_back(current_step());
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  EXPECT_EQ(-1, current_step()) << "stop() ends the last one";
  ASSERT_EQ(4u, profile.events().size());
  EXPECT_EQ(1, profile.events()[0].step);
  EXPECT_EQ(2, profile.events()[2].step);
  EXPECT_EQ(begun[0] + 1, begun[1]) << "the process's";
  EXPECT_EQ(begun[0] + 2, begun[2]);
}

TEST(Profile, TogglesTheDevice) {
  Program program;
  profile profile;
  program.launch();
  profile.toggle_collection_dynamic(false, {ProfilerActivity::CUDA});
  program.launch();
  profile.toggle_collection_dynamic(true, {ProfilerActivity::CUDA});
  program.launch();
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(replaysOf(profile.trace()), ElementsAre(0, 2));
}

TEST(Profile, EagerRegionsBelongToTheirStep) {
  // It records regions outside graphs where they began, though their loop is a region, too.
  TestStream stream;
  Traces traces;
  profile_options options;
  options.schedule = schedule(0, 1, 1);
  options.on_trace_ready = traces.handler();
  profile profile(options);
  {
    GRAPHPROF_SCOPE(1, "loop", on_stream(stream)); // begins in a step that is timed already
    for (int i = 0; i < 4; ++i) {
      {
        GRAPHPROF_SCOPE(2, "iteration {}", on_stream(stream), i);
        shortWork(stream);
      }
      profile.step();
      if (i % 2 == 1) // while the loop is open
        EXPECT_TRUE(profile.flush());
    }
  }
  EXPECT_TRUE(profile.stop());
  const std::vector<Trace> seen = traces.all();
  ASSERT_EQ(2u, seen.size());
  ASSERT_EQ(1u, seen[0].events().size());
  ASSERT_EQ(1u, seen[1].events().size());
  EXPECT_EQ("iteration 1", seen[0].events()[0].name);
  EXPECT_EQ("iteration 3", seen[1].events()[0].name);
}

TEST(Profile, HostTimeServesWithoutDevice) {
  // It takes the host's time where the device's is not wanted.
  const NobodyElseListens quiet;
  TestStream stream;
  Program program;
  profile_options options;
  options.activities = {ProfilerActivity::CPU};
  profile profile(options);
  {
    GRAPHPROF_SCOPE(1, "eager", on_stream(stream));
    shortWork(stream);
  }
  program.launch();
  EXPECT_TRUE(profile.stop());
  ASSERT_EQ(1u, profile.events().size());
  EXPECT_EQ("eager", profile.events()[0].name);
  EXPECT_EQ(Clock::Host, profile.events()[0].clock);
}

TEST(Profile, AccumulatesEventsIfAsked) {
  Program program;
  profile_options options;
  options.schedule = schedule(0, 0, 1);
  options.acc_events = true;
  profile profile(options);
  for (int i = 0; i < 3; ++i) {
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.flush());
  EXPECT_THAT(replaysOf(profile.trace()), ElementsAre(0, 1, 2));
}

TEST(Profile, TracesSayOptionsAsPyTorch) {
  // Traces say how they were made, as PyTorch's do.
  Program program;
  profile_options options;
  options.record_shapes = options.with_stack = options.with_modules = true;
  options.schedule = schedule(0, 0, 1, 2);
  std::vector<std::string> texts;
  options.on_trace_ready = [&](const Trace &trace) {
    const std::string path = temporary("profile-options.json");
    EXPECT_TRUE(trace.export_chrome_trace(path));
    texts.push_back(contents(path));
  };
  profile profile(options);
  for (int step = 0; step < 2; ++step) {
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  ASSERT_THAT(texts, testing::SizeIs(2));
  for (const std::string &text : texts) {
    for (const char *expected :
         {R"("record_shapes":1)", R"("with_stack":1)", R"("with_modules":1)"})
      EXPECT_THAT(text, HasSubstr(expected));
    EXPECT_THAT(text, Not(HasSubstr("with_flops")));
    EXPECT_THAT(text, Not(HasSubstr("profile_memory")));
  }
}

TEST(Profile, TracesSayTheirOptions) {
  // Traces say which of the profile's options were set.
  Program program;
  profile_options options;
  options.profile_memory = options.with_flops = true;
  profile profile(options);
  program.launch();
  EXPECT_TRUE(profile.stop());
  const std::string path = temporary("profile-options.json");
  EXPECT_TRUE(profile.export_chrome_trace(path));
  const std::string text = contents(path);
  EXPECT_THAT(text, HasSubstr(R"("profile_memory":1)"));
  EXPECT_THAT(text, HasSubstr(R"("with_flops":1)"));
  EXPECT_THAT(text, Not(HasSubstr("record_shapes")));
}

TEST(Profile, RecordsSayCopysOverlap) {
  // It says of each record how much of a copy others computed in.
  Program program;
  TestStream loading;
  char *device = nullptr;
  std::vector<char> host(100);
  CUDA_OK(cudaMalloc(&device, host.size()));
  profile_options options;
  options.schedule = schedule(0, 0, 1);
  profile profile(options);
  program.launch();
  CUDA_OK(cuda::cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice, loading));
  CUDA_OK(cuda::cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice,
                                program.stream)); // behind the graph
  CUDA_OK(cudaStreamSynchronize(program.stream));
  EXPECT_TRUE(profile.stop());
  const Events events = profile.events();
  const std::vector<std::int64_t> overlapped = profile.trace().overlapped_ns();
  ASSERT_EQ(events.size(), overlapped.size());
  std::size_t copies = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].name != "h2d") {
      EXPECT_EQ(-1, overlapped[i]) << events[i].name;
      continue;
    }
    ++copies;
    EXPECT_GE(overlapped[i], 0);
    EXPECT_LE(overlapped[i], events[i].duration_ns);
    std::int64_t expected = 0; // the graph is one replay, which outer spans but for its edges
    for (const Record &graph : events)
      if (graph.name == "outer" && graph.stream != events[i].stream)
        expected = std::max<std::int64_t>(std::min(graph.begin_ns + graph.duration_ns,
                                                   events[i].begin_ns + events[i].duration_ns) -
                                              std::max(graph.begin_ns, events[i].begin_ns),
                                          0);
    EXPECT_GE(overlapped[i], expected);
  }
  EXPECT_EQ(2u, copies);
  CUDA_OK(cudaFree(device));
}

TEST(Profile, UnrecordableIsSaid) {
  // What it cannot record is said.
  Program program;
  profile_options options;
  options.activities = {ProfilerActivity::CPU, ProfilerActivity::XPU};
  options.use_cuda = true;
  options.experimental_config = ExperimentalConfig();
  graphprof::test::captureStderr();
  profile profile(options);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("nothing is recorded for ProfilerActivity::XPU"));
  EXPECT_THAT(said, HasSubstr("`use_cuda` is deprecated"));
  EXPECT_THAT(said, HasSubstr("`experimental_config` does nothing"));
  program.launch();
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(replaysOf(profile.trace()), ElementsAre(0)) << "use_cuda asked for them";
}

TEST(Profile, ExportsTraceWithMetadata) {
  Program program;
  profile_options options;
  options.custom_trace_id_callback = [] { return "run-7"; };
  profile profile(options, defer_start);
  profile.preset_metadata_json("model", R"({"layers": 2})");
  profile.start();
  EXPECT_EQ("run-7", profile.get_trace_id());
  profile.add_metadata("note", "says \"hello\"");
  graphprof::test::captureStderr();
  profile.add_metadata_json("broken", "{");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("metadata broken is left out"));
  program.launch();
  EXPECT_TRUE(profile.stop());
  const std::string path = temporary("profile-trace.json");
  ASSERT_TRUE(profile.export_chrome_trace(path));
  const std::string text = contents(path);
  for (const char *expected : {R"("trace_id":"run-7")", R"("model":{"layers": 2})",
                               R"("note":"says \"hello\"")", R"("name":"inner")"})
    EXPECT_THAT(text, HasSubstr(expected));
  EXPECT_THAT(text, Not(HasSubstr("broken")));
  cudaDeviceProp device{};
  ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&device, 0));
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  std::ostringstream properties;
  properties << R"("deviceProperties":[{"id":0,"name":")" << device.name << R"(","totalGlobalMem":)"
             << device.totalGlobalMem << R"(,"computeMajor":)" << device.major
             << R"(,"computeMinor":)" << device.minor << R"(,"maxThreadsPerBlock":)"
             << device.maxThreadsPerBlock << R"(,"maxThreadsPerMultiprocessor":)"
             << device.maxThreadsPerMultiProcessor << R"(,"regsPerBlock":)" << device.regsPerBlock
             << R"(,"warpSize":)" << device.warpSize << R"(,"sharedMemPerBlock":)"
             << device.sharedMemPerBlock << R"(,"numSms":)" << device.multiProcessorCount
             << R"(,"regsPerMultiprocessor":)" << device.regsPerMultiprocessor
             << R"(,"sharedMemPerBlockOptin":)" << device.sharedMemPerBlockOptin
             << R"(,"sharedMemPerMultiprocessor":)" << device.sharedMemPerMultiprocessor
             << R"(,"clockRateKhz":)" << attribute(cudaDevAttrClockRate)
             << R"(,"memoryClockRateKhz":)" << attribute(cudaDevAttrMemoryClockRate)
             << R"(,"memoryBusWidth":)" << attribute(cudaDevAttrGlobalMemoryBusWidth) << "}]";
  EXPECT_THAT(text, HasSubstr(properties.str()));
}

// A folder's files, with their sizes.
std::vector<std::filesystem::path> filesIn(const std::string &folder) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

TEST(Profile, TensorBoardHandlerWritesTraces) {
  // It writes traces where TensorBoard looks for them.
  Program program;
  const std::string folder = temporary("profile-log");
  std::filesystem::remove_all(folder);
  profile_options options;
  options.schedule = graphprof::schedule(0, 0, 1, 2); // and not what is behind the last step
  options.on_trace_ready = tensorboard_trace_handler(folder + "/runs/{pid}", "worker {rank}");
  {
    profile profile(options);
    program.launch();
    profile.step();
    program.launch();
    profile.step();
  }
  const auto files = filesIn(folder + "/runs/" + std::to_string(getpid()));
  ASSERT_THAT(files, testing::SizeIs(2)) << "one a trace";
  for (const std::filesystem::path &file : files) {
    EXPECT_THAT(file.filename().string(),
                testing::MatchesRegex("worker 0\\.[0-9]+\\.pt\\.trace\\.json"));
    EXPECT_THAT(contents(file.string()), HasSubstr(R"("name":"inner")"));
  }

  std::array<char, 256> host{};
  ASSERT_EQ(0, gethostname(host.data(), host.size() - 1));
  options.schedule = graphprof::schedule(0, 0, 1, 1);
  options.on_trace_ready = tensorboard_trace_handler(folder + "/packed", "", true);
  {
    profile profile(options);
    program.launch();
    profile.step();
  }
  const auto packed = filesIn(folder + "/packed");
  ASSERT_THAT(packed, testing::SizeIs(1));
  const std::string name = packed[0].filename().string();
  EXPECT_THAT(name,
              testing::StartsWith(std::string(host.data()) + "_" + std::to_string(getpid()) + "."));
  EXPECT_THAT(name, testing::EndsWith(".pt.trace.json.gz"));
  EXPECT_THAT(contents(packed[0].string()), testing::StartsWith("\x1f\x8b"));

  graphprof::test::captureStderr();
  tensorboard_trace_handler("/dev/null/log")(Trace(graphprof::profile().trace()));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("nothing was exported: cannot make /dev/null/log: "));
  std::filesystem::remove_all(folder);
}

// Folded stacks: the place, and nanoseconds.
std::vector<std::pair<std::string, long>> stacksIn(const profile &profile, const char *metric) {
  const std::string path = temporary("profile-stacks");
  EXPECT_TRUE(profile.export_stacks(path, metric));
  std::istringstream lines(contents(path));
  std::vector<std::pair<std::string, long>> stacks;
  std::string place;
  for (long ns = 0; lines >> place >> ns;)
    stacks.emplace_back(place, ns);
  return stacks;
}

// The first replay is cold, and left out, as in key averages.
TEST(Profile, ExportsFoldedStacks) {
  Program program;
  profile profile;
  program.launch();
  program.launch();
  EXPECT_TRUE(profile.stop());
  const auto stacks = stacksIn(profile, "self_cuda_time_total");
  ASSERT_EQ(2u, stacks.size());
  EXPECT_EQ("outer", stacks[0].first);
  EXPECT_EQ("outer;inner", stacks[1].first);
  long outerNs = 0, innerNs = 0;
  for (const Record &record : profile.trace().events())
    if (!record.cold)
      (record.depth == 0 ? outerNs : innerNs) += record.duration_ns;
  EXPECT_GT(innerNs, 0);
  EXPECT_EQ(innerNs, stacks[1].second) << "to the nanosecond";
  EXPECT_EQ(outerNs - innerNs, stacks[0].second) << "without what is inside";
  EXPECT_DOUBLE_EQ(outerNs * 1e-3, profile.key_averages().self_device_time_total());
}

TEST(Profile, ColdStacksHaveOwnFrame) {
  // Folded stacks of a graph that is launched once are below a frame that says it is cold.
  Program program;
  profile profile;
  program.launch();
  EXPECT_TRUE(profile.stop());
  const auto stacks = stacksIn(profile, "self_cuda_time_total");
  ASSERT_EQ(2u, stacks.size());
  EXPECT_EQ("(cold);outer", stacks[0].first);
  EXPECT_EQ("(cold);outer;inner", stacks[1].first);
  for (const FunctionEventAvg &row : profile.key_averages())
    EXPECT_TRUE(row.cold) << row.key;
}

TEST(Profile, ExportsTheHostsFoldedStacks) {
  Program program;
  profile_options options;
  options.schedule = schedule(0, 1, 2, 1);
  profile profile(options);
  for (int i = 0; i < 3; ++i) {
    GRAPHPROF_SCOPE(1, "on the host", on_capture());
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  long steps = 0, launches = 0;
  for (const auto &[place, ns] : stacksIn(profile, "self_cpu_time_total")) {
    EXPECT_GT(ns, 0) << place;
    steps += place == "ProfilerStep*" ? 1 : 0;
    launches += place == "ProfilerStep*;on_the_host;cudaGraphLaunch" ||
                        place == "ProfilerStep*;cudaGraphLaunch"
                    ? 1
                    : 0;
  }
  EXPECT_EQ(1, steps) << "all in one line";
  EXPECT_GE(launches, 1);
}

// Whatever steps there were before: the process numbers them all, a profile its own.
TEST(Profile, NumbersItsStepsFromZero) {
  Program program;
  for (int i = 0; i < 3; ++i)
    step();
  profile_options options;
  options.schedule = schedule(1, 0, 2, 1);
  profile profile(options);
  for (int i = 0; i < 3; ++i) {
    GRAPHPROF_SCOPE(1, "around", on_stream(program.stream));
    program.launch();
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  std::set<std::int64_t> steps;
  for (const Record &record : profile.trace().events())
    steps.insert(record.step);
  EXPECT_THAT(steps, ElementsAre(1, 2));
  std::set<std::string> names;
  for (const HostSpan &span : profile.trace().host_events())
    if (span.kind == HostKind::Step)
      names.emplace(span.name);
  EXPECT_THAT(names, ElementsAre("ProfilerStep#1", "ProfilerStep#2"));
}

TEST(Profile, EndsItsLastStep) {
  Program program;
  step();
  const std::int64_t before = current_step();
  {
    profile short_one;
    EXPECT_TRUE(short_one.stop());
  }
  EXPECT_EQ(before, current_step()) << "it began before";
  profile profile;
  step();
  program.launch();
  EXPECT_TRUE(profile.stop());
  EXPECT_EQ(-1, current_step());
  const HostEvents events = profile.host_events();
  EXPECT_EQ(1, std::count_if(events.begin(), events.end(), [](const HostSpan &span) {
              return span.kind == HostKind::Step && span.name == "ProfilerStep#1";
            }));
}

// What overlaps is taken from a folded stack once. Two branches beside each other inside a region
// take what they take together, not twice.
TEST(Profile, OverlapIsSubtractedOnce) {
  TestStream stream, other;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "around", on_stream(stream));
    longWork(stream);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(forked, stream));
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(other, forked));
    {
      GRAPHPROF_SCOPE(2, "one", on_stream(stream));
      longWork(stream);
    }
    {
      GRAPHPROF_SCOPE(3, "two", on_stream(other));
      longWork(other);
    }
    EXPECT_EQ(cudaSuccess, cudaEventRecord(joined, other));
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(stream, joined));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  profile profile;
  for (int i = 0; i < 2; ++i) // the first one is cold
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_TRUE(profile.stop());
  const auto stacks = stacksIn(profile, "self_cuda_time_total");
  ASSERT_EQ(3u, stacks.size());
  EXPECT_EQ("around", stacks[0].first);
  EXPECT_GT(stacks[0].second, stacks[1].second / 2) << "the first of its three";
  destroy({exec}, {graph});
  CUDA_OK(cudaEventDestroy(forked));
  CUDA_OK(cudaEventDestroy(joined));
}

TEST(Profile, NoScheduleShowsNoSteps) {
  // Without a schedule there are no steps to show.
  Program program;
  profile profile;
  program.launch();
  profile.step();
  program.launch();
  EXPECT_TRUE(profile.stop());
  program.launch(); // in no step either
  const std::string path = temporary("profile-without-steps");
  ASSERT_TRUE(profile.export_chrome_trace(path));
  EXPECT_THAT(contents(path), Not(HasSubstr("ProfilerStep")));
  for (const Record &record : profile.trace().events())
    EXPECT_EQ(-1, record.step);
  EXPECT_EQ(-1, graphprof::current_step()) << "none is left open";
}

// The numbers in a list of lists of them.
std::vector<std::vector<long long>> pointsIn(const std::string &json) {
  std::vector<std::vector<long long>> points;
  for (std::size_t at = json.find('[', 1); at != std::string::npos; at = json.find('[', at + 1)) {
    std::istringstream numbers(json.substr(at + 1, json.find(']', at) - at - 1));
    points.emplace_back();
    for (long long number = 0; numbers >> number; numbers.ignore())
      points.back().push_back(number);
  }
  return points;
}

// As export_memory_timeline numbers them.
constexpr long long preexisting = 0, create = 1, destroy = 3;

TEST(Profile, EarlierMemoryIsPart) {
  // What lived before a cycle is part of its memory.
  TestStream stream;
  char *before = nullptr, *pool = nullptr;
  constexpr std::size_t bytes = 50'000'000;
  ASSERT_EQ(cudaSuccess, cuda::cudaMalloc(&before, bytes));
  profile_options options;
  options.profile_memory = true;
  profile profile(options);
  ASSERT_EQ(cudaSuccess, cuda::cudaMallocAsync(&pool, 200, stream));
  ASSERT_EQ(cudaSuccess, cuda::cudaFreeAsync(pool, stream));
  EXPECT_TRUE(profile.stop());
  ASSERT_EQ(cudaSuccess, cuda::cudaFree(before));
  const std::string path = temporary("profile-held.raw.json");
  ASSERT_TRUE(profile.export_memory_timeline(path, "cuda"));
  long long heldBytes = 0;
  for (const std::vector<long long> &point : pointsIn(contents(path)))
    heldBytes += point[1] == preexisting ? point[2] : 0;
  EXPECT_GE(heldBytes, static_cast<long long>(bytes));
}

TEST(Profile, ExportsMemoryTimeline) {
  // It exports when memory was allocated, and where.
  Program program;
  char *before = nullptr, *device = nullptr, *pool = nullptr, *managed = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaSuccess, cuda::cudaMalloc(&before, 4000));
  profile_options options;
  options.profile_memory = true;
  profile profile(options);
  {
    GRAPHPROF_SCOPE(1, "load", on_stream(program.stream));
    ASSERT_EQ(cudaSuccess, cuda::cudaMalloc(&device, 1000));
    GRAPHPROF_SCOPE(2, "<cache>", on_stream(program.stream));
    ASSERT_EQ(cudaSuccess, cuda::cudaMallocAsync(&pool, 200, program.stream));
  }
  ASSERT_EQ(cudaSuccess, cuda::cudaMallocManaged(&managed, 30));
  ASSERT_EQ(cudaSuccess, cuda::cudaMallocHost(&pinned, 5));
  ASSERT_EQ(cudaSuccess, cuda::cudaFree(before));
  ASSERT_EQ(cudaSuccess, cuda::cudaFreeAsync(pool, program.stream));
  EXPECT_NE(cudaSuccess, cuda::cudaFree(device + 1));
  EXPECT_NE(cudaSuccess, cudaGetLastError());
  char *inGraph = nullptr;
  const cudaGraph_t graph = capture(program.stream, [&] {
    GRAPHPROF_SCOPE(3, "captured", on_stream(program.stream));
    ASSERT_EQ(cudaSuccess, cuda::cudaMallocAsync(&inGraph, 64, program.stream));
    ASSERT_EQ(cudaSuccess, cuda::cudaFreeAsync(inGraph, program.stream));
  });
  EXPECT_TRUE(profile.stop());
  ASSERT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  ASSERT_EQ(cudaSuccess, cuda::cudaFree(device)); // no more recorded
  ASSERT_EQ(cudaSuccess, cuda::cudaFree(managed));
  ASSERT_EQ(cudaSuccess, cuda::cudaFreeHost(pinned));

  const std::string path = temporary("profile-memory.raw.json");
  ASSERT_TRUE(profile.export_memory_timeline(path));
  std::vector<std::vector<long long>> seen;
  long long lastNs = 0;
  for (const std::vector<long long> &point : pointsIn(contents(path))) {
    ASSERT_EQ(4u, point.size());
    if (point[1] == preexisting) {
      EXPECT_EQ(-1, point[0]);
    } else {
      EXPECT_LE(lastNs, point[0]);
      lastNs = point[0];
    }
    // Of what was there before there may be more, of other tests'.
    if (point[1] != preexisting || point[2] == 4000)
      seen.push_back({point.begin() + 1, point.end()});
  }
  using Point = std::vector<long long>;
  EXPECT_THAT(seen,
              ElementsAre(Point{preexisting, 4000, 0}, Point{create, 1000, 0},
                          Point{create, 200, 1}, Point{create, 30, 2}, Point{destroy, -4000, 0},
                          Point{destroy, -200, 1}, Point{create, 64, 4}, Point{destroy, -64, 4}));

  ASSERT_TRUE(profile.export_memory_timeline(path, "cpu"));
  const Point last = pointsIn(contents(path)).back();
  EXPECT_THAT(last, ElementsAre(testing::Ge(lastNs - 1'000'000'000), create, 5, 3));

  ASSERT_TRUE(profile.export_memory_timeline(temporary("profile-memory.json"), "cuda"));
  EXPECT_THAT(contents(temporary("profile-memory.json")), testing::StartsWith("[["));
  ASSERT_TRUE(profile.export_memory_timeline(temporary("profile-memory.json.gz")));
  EXPECT_THAT(contents(temporary("profile-memory.json.gz")), testing::StartsWith("\x1f\x8b"));

  ASSERT_TRUE(profile.export_chrome_trace(path));
  EXPECT_THAT(contents(path), HasSubstr(R"("Bytes":64,)"));
  EXPECT_THAT(contents(path), HasSubstr(R"("kind":"graph","path":"captured")"));

  graphprof::test::captureStderr();
  EXPECT_FALSE(profile.export_memory_timeline(path, "gpu"));
  EXPECT_FALSE(profile.export_memory_timeline(path, "cuda:9"));
  EXPECT_FALSE(profile.export_memory_timeline(temporary("profile-memory.html")));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("device gpu must be cpu, cuda, or cuda:NUMBER"));
  EXPECT_THAT(said, HasSubstr("no memory of cuda:9 was allocated or freed"));
  EXPECT_THAT(said, HasSubstr("profile-memory.html must end in .json, .json.gz, .raw.json"));
  EXPECT_THAT(said,
              HasSubstr("GRAPHPROF_MEMORY=1 GRAPHPROF_OUTPUT=run.gprof, and run graphprof html"));
}

TEST(Profile, MemoryIsIgnoredUnasked) {
  // It leaves memory alone unless it is asked for.
  profile profile;
  char *device = nullptr;
  ASSERT_EQ(cudaSuccess, cuda::cudaMalloc(&device, 1000));
  ASSERT_EQ(cudaSuccess, cuda::cudaFree(device));
  EXPECT_TRUE(profile.stop());
  graphprof::test::captureStderr();
  EXPECT_FALSE(profile.export_memory_timeline(temporary("profile-memory.json")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("made without profile_memory"));
}

TEST(Profile, SaysWhatItCannotExport) {
  profile profile;
  EXPECT_TRUE(profile.stop());
  graphprof::test::captureStderr();
  EXPECT_FALSE(profile.export_chrome_trace("/nonexistent/trace.json"));
  EXPECT_FALSE(profile.export_stacks("/nonexistent/stacks"));
  EXPECT_FALSE(profile.export_stacks(temporary("stacks"), "cuda_time"));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("/nonexistent/trace.json: No such file"));
  EXPECT_THAT(said, HasSubstr("/nonexistent/stacks: No such file"));
  EXPECT_THAT(said, HasSubstr("metric cuda_time must be self_cuda_time_total or"));
}

TEST(Profile, TraceOutlivesProfile) {
  Program program;
  std::unique_ptr<Trace> kept;
  {
    profile profile;
    EXPECT_EQ(0u, profile.trace().cycle());
    EXPECT_TRUE(profile.events().empty());
    EXPECT_FALSE(profile.trace().dropped());
    program.launch();
    EXPECT_TRUE(profile.stop());
    kept = std::make_unique<Trace>(profile.trace());
  }
  const Events events = kept->events();
  kept.reset();
  ASSERT_EQ(2u, events.size());
  EXPECT_EQ("inner", events[1].name);
}

TEST(Profile, DestructionAwaitsTraceReady) {
  // It is done with on_trace_ready when it is gone.
  Program program;
  std::atomic<bool> gone{false};
  std::atomic<int> calls{0};
  profile_options options;
  options.schedule = schedule(0, 0, 1);
  options.on_trace_ready = [&](const Trace &) {
    EXPECT_FALSE(gone);
    ++calls;
  };
  {
    profile profile(options);
    for (int i = 0; i < 5; ++i) {
      program.launch();
      profile.step();
    }
  }
  gone = true;
  EXPECT_EQ(6, calls) << "five steps, and the one that it was stopped in";
}

TEST(Profile, SurvivesThrowingTraceReady) {
  Program program;
  profile_options options;
  options.on_trace_ready = [](const Trace &) { throw 42; };
  profile profile(options);
  graphprof::test::captureStderr();
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("on_trace_ready of a profile threw"));
}

// Every replay is in one trace while threads launch and one steps. Several threads launch while
// one of them steps: each replay is in one trace, or in a step that is not recorded.
TEST(Profile, ReplayIsInOneTrace) {
  constexpr int threads = 3, launches = 200;
  std::mutex mutex;
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> seen;
  const Losses before = losses();
  profile_options options;
  options.activities = {ProfilerActivity::CUDA};
  options.schedule = schedule(0, 0, 1);
  options.on_trace_ready = [&](const Trace &trace) {
    const std::lock_guard lock(mutex);
    for (const Record &record : trace.events())
      if (record.name == "inner")
        seen.insert({record.exec, record.replay});
  };
  profile profile(options);
  std::vector<std::unique_ptr<Program>> programs; // captured one after the other, as CUDA wants it
  for (int thread = 0; thread < threads; ++thread)
    programs.push_back(std::make_unique<Program>());
  std::vector<std::thread> others;
  for (const auto &program : programs)
    others.emplace_back([&program = *program] {
      for (int i = 0; i < launches; ++i) {
        program.launch();
        if (i % 20 == 0)
          flush();
      }
    });
  for (int i = 0; i < 50; ++i) {
    profile.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // a step in which others launch
  }
  for (std::thread &other : others)
    other.join();
  EXPECT_TRUE(profile.stop());
  const Losses after = losses();
  const std::uint64_t lost = after.overrun - before.overrun + after.not_queued - before.not_queued +
                             (after.dropped - before.dropped) / 2;
  EXPECT_EQ(std::uint64_t{threads} * launches, seen.size() + lost);
  for (const auto &one : seen)
    EXPECT_EQ(1u, seen.count(one));
}

} // namespace
} // namespace graphprof::test
