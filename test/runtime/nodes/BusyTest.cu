// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Busy times: from a kernel's begin to its own end, and the gap behind it, on a device that begins
// kernels some time after what they wait for has ended.

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "cudasim/cudasim.h"
#include "support/Recorder.h"
#include "support/Work.h"

__global__ void busyShort() {}
__global__ void busyMiddle() {}
__global__ void busyLong() {}

namespace graphprof::test {
namespace {

// Before the library reads it.
[[maybe_unused]] const int nodeMode = setenv("GRAPHPROF_NODES", "1", 0);

constexpr std::int64_t shortNs = 800, middleNs = 2'100, longNs = 4'400, gapNs = 950;

struct Figures {
  std::int64_t busyNs = -1, gapNs = -1, durationNs = -1;
  std::uint32_t replays = 0;
};

class Busy : public testing::Test {
protected:
  void SetUp() override {
    cudasim::setLaunchGap(gapNs);
    cudasim::setKernelDuration(busyShort, shortNs);
    cudasim::setKernelDuration(busyMiddle, middleNs);
    cudasim::setKernelDuration(busyLong, longNs);
  }
  void TearDown() override { EXPECT_TRUE(set_recording_terms({})); }

  // The last figures of each record, by name and number.
  std::map<std::string, Figures> launched(cudaGraph_t graph, int times) {
    std::mutex mutex;
    std::map<std::string, Figures> last;
    const Profiler profiler([&](const Record &record) {
      const std::lock_guard lock(mutex);
      last[std::string(record.name) + " " + std::to_string(record.region)] = {
          record.busy_ns, record.gap_ns, record.duration_ns, record.busy_replays};
    });
    launchAndDestroy(graph, times);
    const std::lock_guard lock(mutex);
    return last;
  }
  void launchAndDestroy(cudaGraph_t graph, int times) {
    cudaGraphExec_t exec = nullptr;
    CUDA_OK(cuda::cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
    EXPECT_TRUE(flush());
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
  // In a region, and one more kernel behind it.
  cudaGraph_t chain() {
    return capture(stream_, [this] {
      {
        GRAPHPROF_SCOPE(1, "all", on_stream(stream_));
        busyShort<<<1, 32, 0, stream_>>>();
        busyLong<<<1, 32, 0, stream_>>>();
        busyMiddle<<<1, 32, 0, stream_>>>();
        busyShort<<<1, 32, 0, stream_>>>();
      }
      busyLong<<<1, 32, 0, stream_>>>();
    });
  }
  const TestStream stream_, side_;
};

std::int64_t lengthOf(const std::string &name) {
  return name.find("busyShort") != std::string::npos    ? shortNs
         : name.find("busyMiddle") != std::string::npos ? middleNs
                                                        : longNs;
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

TEST_F(Busy, IsNotKnownWithoutParts) {
  for (const auto &[name, figure] : launched(chain(), 100)) {
    EXPECT_EQ(-1, figure.busyNs) << name;
    EXPECT_EQ(-1, figure.gapNs) << name;
    EXPECT_EQ(0U, figure.replays) << name;
  }
}

TEST_F(Busy, IsNotKnownAfterFewReplays) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  for (const auto &[name, figure] : launched(chain(), 30))
    EXPECT_EQ(-1, figure.busyNs) << name;
}

} // namespace
} // namespace graphprof::test
