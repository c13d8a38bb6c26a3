// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a trace has of the host: regions, launches, steps and copies, by thread. Runs on the
// simulation and on a GPU, with either clock.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> namesOf(const HostEvents &events) {
  std::vector<std::string> names;
  for (const HostSpan &span : events)
    names.emplace_back(span.name);
  return names;
}

std::vector<HostSpan> ofKind(const HostEvents &events, HostKind kind) {
  std::vector<HostSpan> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [kind](const HostSpan &span) { return span.kind == kind; });
  return found;
}

bool contains(const HostSpan &outer, const HostSpan &inner) {
  return outer.thread == inner.thread && outer.begin_ns <= inner.begin_ns &&
         inner.end_ns <= outer.end_ns;
}

void work(cudaStream_t stream) {
  GRAPHPROF_SCOPE(1, "work", on_stream(stream), key("rows", 3));
  shortWork(stream);
}

TEST(HostSpans, RegionGivesSpanEachTime) {
  // A region is a span each time its thread goes through it.
  TestStream stream;
  profile profile;
  const cudaGraph_t graph = capture(stream, [&] { work(stream); });
  work(stream);
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_THAT(namesOf(events), ElementsAre("work", "work"));
  EXPECT_TRUE(events[0].captured);
  EXPECT_FALSE(events[1].captured);
  for (const HostSpan &span : events) {
    EXPECT_EQ(HostKind::Region, span.kind);
    EXPECT_EQ(static_cast<std::uint64_t>(::gettid()), span.thread);
    EXPECT_GT(span.duration_ns(), 0);
    ASSERT_NE(nullptr, span.site);
    EXPECT_STREQ("work", span.site->name_format);
    ASSERT_EQ(1u, span.context_size);
    EXPECT_EQ("rows", span.context[0].key());
    EXPECT_EQ(0u, span.exec);
  }
  EXPECT_LE(events[0].end_ns, events[1].begin_ns);
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(HostSpans, LaunchNamesItsReplay) {
  // A launch is a span, and names the replay that it launched.
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { work(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream)); // replay 0
  profile profile;
  {
    GRAPHPROF_SCOPE(1, "iteration", on_stream(stream));
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  }
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  const Events records = profile.events();
  ASSERT_THAT(namesOf(events), ElementsAre("iteration", "cudaGraphLaunch", "cudaGraphLaunch"));
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(HostKind::Launch, events[i].kind);
    EXPECT_EQ(i, events[i].replay);
    EXPECT_GT(events[i].duration_ns(), 0);
    EXPECT_TRUE(contains(events[0], events[i]));
    const auto replay = std::find_if(records.begin(), records.end(), [&](const Record &record) {
      return record.exec == events[i].exec && record.replay == events[i].replay;
    });
    ASSERT_NE(records.end(), replay);
    EXPECT_EQ("work", replay->name);
    EXPECT_EQ(events[i].graph, replay->graph);
    EXPECT_LE(replay->launch_ns, events[i].begin_ns);
  }
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(HostSpans, LaunchesShowWithoutDevice) {
  // Launches are shown where the device is not recorded.
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { work(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  profile_options options;
  options.activities = {ProfilerActivity::CPU};
  profile profile(options);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(profile.events(), IsEmpty());
  ASSERT_THAT(namesOf(profile.host_events()), ElementsAre("cudaGraphLaunch"));
  EXPECT_NE(0u, profile.host_events()[0].exec);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(HostSpans, UntimedLaunchHasSpan) {
  // A launch of a graph that is not timed is a span, too.
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { shortWork(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  profile profile;
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_NE(cudaSuccess, cuda::cudaGraphLaunch(nullptr, stream)) << "and none that fails";
  cudaGetLastError();
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_THAT(namesOf(events), ElementsAre("cudaGraphLaunch"));
  EXPECT_EQ(0u, events[0].exec);
  EXPECT_EQ(0u, events[0].graph);
  EXPECT_GT(events[0].duration_ns(), 0);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(HostSpans, StepContainsItsThreadsSpans) {
  // A step contains what its thread did in it.
  TestStream stream;
  profile_options options;
  options.schedule = schedule(1, 1, 2, 1);
  profile profile(options);
  for (int i = 0; i < 6; ++i) {
    work(stream);
    profile.step();
  }
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  const auto step = [&](std::int64_t number) { return "ProfilerStep#" + std::to_string(number); };
  ASSERT_THAT(namesOf(events), ElementsAre(step(2), "work", step(3), "work"));
  for (const std::size_t i : {0, 2}) {
    EXPECT_EQ(HostKind::Step, events[i].kind);
    EXPECT_TRUE(contains(events[i], events[i + 1]));
    EXPECT_EQ(events[i].step, events[i + 1].step);
    EXPECT_EQ(nullptr, events[i].site);
  }
  EXPECT_EQ(0u, profile.trace().dropped());
}

TEST(HostSpans, MarkedStepHasSpan) {
  // A step that is marked is a span of its own.
  profile profile;
  for (int i = 0; i < 2; ++i)
    const Step step;
  EXPECT_TRUE(profile.stop());
  EXPECT_THAT(namesOf(profile.host_events()), ElementsAre("ProfilerStep#0", "ProfilerStep#1"));
}

TEST(HostSpans, CopyCarriesItsBytes) {
  // A copy to the device in a step carries its bytes.
  TestStream stream;
  constexpr std::size_t bytes = 4096;
  std::vector<char> source(bytes);
  void *target = nullptr;
  CUDA_OK(cudaMalloc(&target, bytes));
  profile profile;
  {
    const Step step;
    CUDA_OK(cuda::cudaMemcpyAsync(target, source.data(), bytes, cudaMemcpyHostToDevice, stream));
    EXPECT_NE(cudaSuccess,
              cuda::cudaMemcpyAsync(nullptr, source.data(), bytes, cudaMemcpyHostToDevice, stream))
        << "and one that fails is none";
    cudaGetLastError();
  }
  EXPECT_TRUE(profile.stop());
  const auto copies = ofKind(profile.host_events(), HostKind::Copy);
  ASSERT_EQ(1u, copies.size());
  EXPECT_EQ("h2d", copies[0].name);
  EXPECT_EQ(bytes, copies[0].bytes);
  EXPECT_TRUE(contains(ofKind(profile.host_events(), HostKind::Step).at(0), copies[0]));
  CUDA_OK(cudaFree(target));
}

TEST(HostSpans, ThreadsHaveOwnSpans) {
  // Each thread has spans of its own, under its name.
  TestStream stream;
  profile profile;
  work(stream);
  std::atomic<std::uint64_t> worker{0};
  std::thread([&] {
    pthread_setname_np(pthread_self(), "a worker");
    worker = static_cast<std::uint64_t>(::gettid());
    work(stream);
  }).join(); // its spans outlive it
  EXPECT_TRUE(profile.stop());
  const HostEvents events = profile.host_events();
  ASSERT_EQ(2u, events.size());
  const HostSpan &its = events[0].thread == worker ? events[0] : events[1];
  const HostSpan &mine = events[0].thread == worker ? events[1] : events[0];
  EXPECT_EQ(worker, its.thread);
  EXPECT_EQ("a worker", its.thread_name);
  EXPECT_EQ(static_cast<std::uint64_t>(::gettid()), mine.thread);
  EXPECT_NE("a worker", mine.thread_name);
}

TEST(HostSpans, NoneWithoutCpuActivity) {
  // There are no host spans where the CPU is not recorded.
  TestStream stream;
  profile_options options;
  options.activities = {ProfilerActivity::CUDA};
  profile profile(options);
  work(stream);
  profile.toggle_collection_dynamic(true, {ProfilerActivity::CPU});
  work(stream);
  profile.toggle_collection_dynamic(false, {ProfilerActivity::CPU});
  work(stream);
  EXPECT_TRUE(profile.stop());
  EXPECT_EQ(3u, profile.events().size());
  EXPECT_EQ(1u, profile.host_events().size());
}

TEST(HostSpans, OpenSpanIsInNoCycle) {
  // A span that is still open when its cycle ends is in none.
  TestStream stream;
  const Losses before = losses();
  profile_options options;
  options.activities = {ProfilerActivity::CPU};
  options.schedule = schedule(0, 0, 1, 2);
  options.acc_events = true;
  profile profile(options);
  {
    GRAPHPROF_SCOPE(1, "open", on_stream(stream));
    work(stream);
    profile.step();
    work(stream);
  }
  EXPECT_TRUE(profile.stop());
  const auto regions = ofKind(profile.host_events(), HostKind::Region);
  ASSERT_EQ(2u, regions.size());
  EXPECT_EQ("work", regions[0].name);
  EXPECT_EQ("work", regions[1].name);
  EXPECT_EQ(before.host_spans, losses().host_spans);
}

// Each span that ended before its cycle did is in its trace. Threads that come and go, beside one
// whose regions may end in any cycle or between two.
TEST(HostSpans, EndedSpanIsInItsTrace) {
  constexpr int threads = 4, rounds = 20, regions = 100;
  std::atomic<std::uint64_t> seen{0}, others{0};
  profile_options options;
  options.schedule = schedule(0, 0, 1);
  options.on_trace_ready = [&](const Trace &trace) {
    for (const HostSpan &span : trace.host_events())
      ++(span.name == "counted" ? seen : others);
  };
  profile profile(options);
  std::atomic<bool> done{false};
  std::thread beside([&] {
    while (!done) {
      GRAPHPROF_SCOPE(1, "beside", on_capture()); // one at a time, not as many as there can be
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> workers;
    for (int thread = 0; thread < threads; ++thread)
      workers.emplace_back([] {
        for (int i = 0; i < regions; ++i) {
          GRAPHPROF_SCOPE(1, "counted", on_capture());
        }
      });
    for (std::thread &worker : workers)
      worker.join();
    profile.step();
  }
  done = true;
  beside.join();
  EXPECT_TRUE(profile.stop());
  EXPECT_EQ(std::uint64_t{threads} * rounds * regions, seen);
  EXPECT_GT(others, 0u);
}

} // namespace
} // namespace graphprof::test
