// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Busy times: from a kernel's begin to its own end, and the gap behind it.

#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>

#include "graphprof/capi.h"
#include "nodes/BusyFixture.h"

namespace graphprof::test {
namespace {

// Before the library reads it.
[[maybe_unused]] const int nodeMode = setenv("GRAPHPROF_NODES", "1", 0);

template <class Struct> Struct sized() {
  Struct made{};
  made.size = sizeof made;
  return made;
}

TEST_F(Busy, IsKernelsOwnTimeInChain) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  const auto figures = launched(chain(), 200);
  ASSERT_EQ(6U, figures.size());
  for (const auto &[name, figure] : figures) {
    if (name.starts_with("all")) {
      EXPECT_EQ(2 * shortNs + middleNs + longNs, figure.busyNs) << "the sum over its nodes";
      EXPECT_EQ(4 * gapNs, figure.gapNs);
      continue;
    }
    EXPECT_EQ(lengthOf(name), figure.busyNs) << name;
    EXPECT_GE(figure.replays, 5U) << name;
    if (name.ends_with("5"))
      EXPECT_EQ(-1, figure.gapNs) << "nothing begins behind the last one";
    else
      EXPECT_EQ(gapNs, figure.gapNs) << name;
  }
}

// Beside kernels that leave a stamp room, but no time, or neither, a stamp waits for the kernel
// before them.
TEST_F(Busy, IsKernelsOwnTimeWhereFewStampsFit) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  int count = 0;
  CUDA_OK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  const auto multiprocessors = static_cast<unsigned>(count);
  const cudaGraph_t graph = capture(stream_, [&] {
    busyShort<<<1, 32, 0, stream_>>>();
    busyLong<<<6 * multiprocessors, 128, 0, stream_>>>(); // no time
    busyMiddle<<<6 * multiprocessors, 128, 0, stream_>>>();
    busyShort<<<1, 32, 0, stream_>>>();
    busyLong<<<1000 * multiprocessors, 1024, 0, stream_>>>(); // no room
    busyMiddle<<<1, 32, 0, stream_>>>();
    busyShort<<<1, 32, 0, stream_>>>();
  });
  std::size_t known = 0;
  for (const auto &[name, figure] : launched(graph, 300)) {
    if (figure.busyNs < 0)
      continue;
    ++known;
    EXPECT_EQ(lengthOf(name), figure.busyNs) << name;
    EXPECT_TRUE(figure.gapNs == -1 || figure.gapNs == gapNs) << name << ' ' << figure.gapNs;
  }
  EXPECT_EQ(7U, known);
}

TEST_F(Busy, IsKernelsOwnTimeInBranches) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream_, [&] {
    busyShort<<<1, 32, 0, stream_>>>();
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side_, fork, 0));
    for (const cudaStream_t lane :
         {static_cast<cudaStream_t>(stream_), static_cast<cudaStream_t>(side_)}) {
      busyMiddle<<<1, 32, 0, lane>>>();
      busyLong<<<1, 32, 0, lane>>>();
      busyShort<<<1, 32, 0, lane>>>();
    }
    CUDA_OK(cudaEventRecord(join, side_));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    busyMiddle<<<1, 32, 0, stream_>>>();
  });
  const auto figures = launched(graph, 200);
  std::size_t known = 0;
  for (const auto &[name, figure] : figures)
    if (figure.busyNs >= 0) {
      ++known;
      EXPECT_EQ(lengthOf(name), figure.busyNs) << name;
      EXPECT_TRUE(figure.gapNs == -1 || figure.gapNs == gapNs) << name << ' ' << figure.gapNs;
    }
  EXPECT_GE(known, 4U) << "those behind another kernel of their lane";
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

TEST_F(Busy, GapHasItsCause) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  for (const auto &[name, figure] : launched(chain(), 200))
    if (figure.gapNs >= 0)
      EXPECT_EQ(GapCause::Launch, figure.cause) << name;
    else
      EXPECT_EQ(GapCause::Unknown, figure.cause) << name << ": nothing follows";
}

TEST_F(Busy, GapBeforeJoinIsDependency) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream_, [&] {
    busyShort<<<1, 32, 0, stream_>>>();
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side_, fork, 0));
    busyMiddle<<<1, 32, 0, stream_>>>();
    busyShort<<<1, 32, 0, stream_>>>();
    busyMiddle<<<1, 32, 0, side_>>>();
    busyLong<<<1, 32, 0, side_>>>();
    CUDA_OK(cudaEventRecord(join, side_));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    busyMiddle<<<1, 32, 0, stream_>>>();
  });
  std::size_t joined = 0;
  for (const auto &[name, figure] : launched(graph, 200)) {
    EXPECT_NE(GapCause::Launch, figure.cause) << name << " is beside another branch";
    if (figure.cause != GapCause::Dependency)
      continue;
    ++joined;
    EXPECT_EQ(-1, figure.gapNs) << name << ": the begin of a join has no stamp";
    EXPECT_TRUE(name.starts_with("busyShort") || name.starts_with("busyLong")) << name;
  }
  EXPECT_EQ(2U, joined);
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

// What the flat interface says of a profile's events and averages.
TEST_F(Busy, FlatInterfaceSaysIt) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  auto options = sized<graphprof_capi_profile_options>();
  graphprof_capi_profile *profile = nullptr;
  graphprof_capi_trace *trace = nullptr;
  graphprof_capi_averages *averages = nullptr;
  ASSERT_EQ(graphprof_capi_ok, graphprof_capi_profile_create(&options, &profile));
  ASSERT_EQ(graphprof_capi_ok, graphprof_capi_profile_start(profile));
  launchAndDestroy(chain(), 200);
  ASSERT_EQ(graphprof_capi_ok, graphprof_capi_profile_stop(profile, 10'000));
  ASSERT_EQ(graphprof_capi_ok, graphprof_capi_profile_trace(profile, &trace));
  std::map<std::string, graphprof_capi_event> last;
  auto event = sized<graphprof_capi_event>();
  for (std::size_t i = 0; graphprof_capi_trace_event(trace, i, &event) == graphprof_capi_ok; ++i)
    last.insert_or_assign(std::string(event.name, event.name_length), event);
  ASSERT_EQ(4U, last.size());
  EXPECT_EQ(middleNs, last.at("busyMiddle").busy_ns);
  EXPECT_EQ(gapNs, last.at("busyMiddle").gap_ns);
  EXPECT_GE(last.at("busyMiddle").busy_replays, 5U);
  EXPECT_EQ(1, last.at("busyMiddle").gap_cause);
  EXPECT_EQ(1, last.at("busyMiddle").ends);
  EXPECT_EQ(-1, last.at("busyLong").gap_ns) << "the last of them";

  // A caller that was compiled before there were such members.
  graphprof_capi_event before{};
  before.size = offsetof(graphprof_capi_event, busy_ns);
  before.busy_ns = 77;
  EXPECT_EQ(graphprof_capi_ok, graphprof_capi_trace_event(trace, 0, &before));
  EXPECT_EQ(77, before.busy_ns);

  ASSERT_EQ(graphprof_capi_ok, graphprof_capi_trace_averages(trace, 0, 0, &averages));
  std::size_t kernels = 0;
  auto row = sized<graphprof_capi_average>();
  for (std::size_t i = 0; i < graphprof_capi_averages_size(averages); ++i) {
    ASSERT_EQ(graphprof_capi_ok, graphprof_capi_averages_row(averages, i, &row));
    const std::string key = row.key;
    if (!key.starts_with("busy"))
      continue;
    ++kernels;
    EXPECT_EQ(1, row.device_time_is_busy) << key;
    EXPECT_DOUBLE_EQ(static_cast<double>(lengthOf(key)) / 1'000, row.device_time) << key;
    EXPECT_DOUBLE_EQ(row.device_time, row.busy_time) << key;
    EXPECT_DOUBLE_EQ(static_cast<double>(gapNs) / 1'000, row.gap_time) << key;
    EXPECT_GE(row.busy_replays, 5) << key;
  }
  EXPECT_EQ(3U, kernels);
  graphprof_capi_averages_release(averages);
  graphprof_capi_trace_release(trace);
  graphprof_capi_profile_destroy(profile);
}

TEST_F(Busy, IsNotKnownWithoutParts) {
  for (const auto &[name, figure] : launched(chain(), 100)) {
    EXPECT_EQ(-1, figure.busyNs) << name;
    EXPECT_EQ(-1, figure.gapNs) << name;
    EXPECT_EQ(0U, figure.replays) << name;
  }
}

TEST_F(Busy, IsNotKnownAfterFewReplays) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  for (const auto &[name, figure] : launched(chain(), 8))
    EXPECT_EQ(-1, figure.busyNs) << name;
}

} // namespace
} // namespace graphprof::test
