// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kernels of known lengths in a chain and in branches, on a device that begins kernels some time
// after what they wait for has ended; and what records say of how long they were busy. Only one
// source of a program may include this.

#ifndef GRAPHPROF_TEST_RUNTIME_NODES_BUSYFIXTURE_H
#define GRAPHPROF_TEST_RUNTIME_NODES_BUSYFIXTURE_H

#include <cstdint>
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

constexpr std::int64_t shortNs = 800, middleNs = 2'100, longNs = 4'400, gapNs = 950;

struct Figures {
  std::int64_t busyNs = -1, gapNs = -1, durationNs = -1;
  std::uint32_t replays = 0;
  GapCause cause = GapCause::Unknown;
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
          record.busy_ns, record.gap_ns, record.duration_ns, record.busy_replays, record.gap_cause};
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

inline std::int64_t lengthOf(const std::string &name) {
  return name.find("busyShort") != std::string::npos    ? shortNs
         : name.find("busyMiddle") != std::string::npos ? middleNs
                                                        : longNs;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_RUNTIME_NODES_BUSYFIXTURE_H
