// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// With two or more GPUs: each graph is timed on its own device, whichever device is current when it
// is captured, instantiated or launched. GRAPHPROF_CLOCK chooses the clock.

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"

namespace graphprof::test {
namespace {

#define OK(call) ASSERT_EQ(cudaSuccess, call)

__global__ void work(unsigned long long *sum, unsigned long long amount) {
  const long long begin = clock64();
  while (clock64() - begin < 20'000)
    ;
  atomicAdd(sum, amount); // streams may run concurrently
}

struct Seen {
  int device;
  std::int64_t beginNs, durationNs;
};

class Devices : public ::testing::Test {
protected:
  void SetUp() override {
    int count = 0;
    OK(cudaGetDeviceCount(&count));
    ASSERT_GE(count, 2) << "this test needs two GPUs";
    for (int device = 0; device < 2; ++device) {
      OK(cudaSetDevice(device));
      OK(cudaStreamCreateWithFlags(&streams_[device], cudaStreamNonBlocking));
      OK(cudaMalloc(&sums_[device], sizeof(unsigned long long)));
      OK(cudaMemset(sums_[device], 0, sizeof(unsigned long long)));
      OK(cudaDeviceSynchronize());
    }
  }

  // Captures a graph while `current` is the current device.
  cudaGraph_t capture(int device, int current) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cudaSetDevice(current));
    EXPECT_EQ(cudaSuccess,
              cuda::cudaStreamBeginCapture(streams_[device], cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; ++i) {
      GRAPHPROF_SCOPE(1, "device {} part {}", on_stream(streams_[device]), device, i);
      EXPECT_EQ(cudaSuccess, cudaSetDevice(device)); // kernels are launched on their own device
      work<<<1, 1, 0, streams_[device]>>>(sums_[device], i + 1);
      EXPECT_EQ(cudaSuccess, cudaSetDevice(current));
    }
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(streams_[device], &graph));
    return graph;
  }

  unsigned long long sum(int device) const {
    unsigned long long sum = 0;
    EXPECT_EQ(cudaSuccess, cudaMemcpy(&sum, sums_[device], sizeof sum, cudaMemcpyDefault));
    return sum;
  }

  void check(std::size_t each, const Losses &before) {
    ASSERT_TRUE(profiler_.flush());
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(6u, seen_.size());
    for (const auto &[name, records] : seen_) {
      EXPECT_EQ(each, records.size()) << name;
      for (const Seen &record : records) {
        EXPECT_EQ(name[7] - '0', record.device) << name;
        EXPECT_GT(record.durationNs, 5'000) << name;
        EXPECT_LT(record.durationNs, 5'000'000) << name;
      }
    }
    EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
    EXPECT_EQ(before.not_launched, losses().not_launched);
    EXPECT_EQ(before.incomplete, losses().incomplete);
  }

  cudaStream_t streams_[2] = {};
  unsigned long long *sums_[2] = {};
  std::mutex mutex_;
  std::map<std::string, std::vector<Seen>> seen_;
  Profiler profiler_{[this](const Record &record) {
    const std::lock_guard lock(mutex_);
    seen_[std::string(record.name)].push_back({record.device, record.begin_ns, record.duration_ns});
  }};
};

TEST_F(Devices, GraphKeepsItsDevice) {
  // Each graph is timed on its own device, whichever is current.
  const Losses before = losses();
  constexpr int replays = 20;
  for (int device = 0; device < 2; ++device) {
    const int other = 1 - device;
    const cudaGraph_t graph = capture(device, other);
    cudaGraphExec_t exec = nullptr;
    OK(cudaSetDevice(other));
    OK(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    for (int i = 0; i < replays; ++i) {
      OK(cudaSetDevice(i % 2));
      OK(cuda::cudaGraphLaunch(exec, streams_[device]));
    }
    OK(cudaStreamSynchronize(streams_[device]));
    EXPECT_EQ(6ULL * replays, sum(device));
    OK(cuda::cudaGraphExecDestroy(exec));
    OK(cuda::cudaGraphDestroy(graph));
  }
  check(replays, before);
}

TEST_F(Devices, ThreadsUseTheirDevicesAtOnce) {
  const Losses before = losses();
  constexpr int replays = 500;
  const auto use = [&](int device) {
    const cudaGraph_t graph = capture(device, device);
    cudaGraphExec_t exec = nullptr;
    OK(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    for (int i = 0; i < replays; ++i) {
      OK(cuda::cudaGraphLaunch(exec, streams_[device]));
      if (i % 50 == 49)
        OK(cudaStreamSynchronize(streams_[device]));
    }
    OK(cudaStreamSynchronize(streams_[device]));
    EXPECT_EQ(6ULL * replays, sum(device));
    OK(cuda::cudaGraphExecDestroy(exec));
    OK(cuda::cudaGraphDestroy(graph));
  };
  std::thread second(use, 1);
  use(0);
  second.join();
  check(replays, before);
}

TEST_F(Devices, GraphSpansBothDevices) {
  const Losses before = losses();
  cudaEvent_t fork = nullptr, join = nullptr;
  OK(cudaSetDevice(0));
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cuda::cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal));
  OK(cudaEventRecord(fork, streams_[0]));
  OK(cudaSetDevice(1));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  OK(cudaStreamWaitEvent(streams_[1], fork, 0));
  for (int i = 0; i < 3; ++i)
    for (int device = 0; device < 2; ++device) {
      OK(cudaSetDevice(device));
      GRAPHPROF_SCOPE(2, "device {} part {}", on_stream(streams_[device]), device, i);
      work<<<1, 1, 0, streams_[device]>>>(sums_[device], i + 1);
    }
  OK(cudaEventRecord(join, streams_[1]));
  OK(cudaSetDevice(0));
  OK(cudaStreamWaitEvent(streams_[0], join, 0));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  OK(cuda::cudaStreamEndCapture(streams_[0], &graph));
  OK(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
  constexpr int replays = 10;
  for (int i = 0; i < replays; ++i)
    OK(cuda::cudaGraphLaunch(exec, streams_[0]));
  OK(cudaStreamSynchronize(streams_[0]));
  for (int device = 0; device < 2; ++device)
    EXPECT_EQ(6ULL * replays, sum(device));
  ASSERT_TRUE(profiler_.flush());
  const std::lock_guard lock(mutex_);
  std::size_t records = 0;
  for (const auto &[name, all] : seen_)
    for (const Seen &record : all)
      records += record.durationNs > 5'000 && record.durationNs < 5'000'000;
  EXPECT_EQ(6U * replays, records);
  OK(cuda::cudaGraphExecDestroy(exec));
  OK(cuda::cudaGraphDestroy(graph));
}

// Regions outside graphs belong to their stream's device. Each device has its own default stream.
TEST_F(Devices, RegionKeepsStreamsDevice) {
  const Losses before = losses();
  constexpr int rounds = 10;
  for (int i = 0; i < rounds; ++i)
    for (int device = 0; device < 2; ++device) {
      OK(cudaSetDevice(device));
      for (const cudaStream_t stream : {cudaStream_t{}, cudaStreamPerThread, streams_[device]}) {
        GRAPHPROF_SCOPE(2, "device {}", on_stream(stream), device);
        work<<<1, 1, 0, stream>>>(sums_[device], 1);
      }
      GRAPHPROF_SCOPE(2, "device {}", on_stream(streams_[1 - device]), 1 - device); // not current
    }
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    OK(cudaDeviceSynchronize());
    EXPECT_EQ(3ULL * rounds, sum(device));
  }
  ASSERT_TRUE(profiler_.flush());
  const std::lock_guard lock(mutex_);
  for (int device = 0; device < 2; ++device) {
    const std::vector<Seen> &records = seen_["device " + std::to_string(device)];
    EXPECT_EQ(4U * rounds, records.size());
    for (const Seen &record : records) {
      EXPECT_EQ(device, record.device);
      EXPECT_GE(record.durationNs, 0);
    }
  }
  EXPECT_EQ(before.regions_outside_graphs_failed, losses().regions_outside_graphs_failed);
}

} // namespace
} // namespace graphprof::test
