// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// On a GPU: device times stay aligned with the host's clock while the two clocks drift. Launches a
// graph onto an idle device for half a minute (or ALIGNMENT_SECONDS). No replay begins
// before its launch, and the shortest time from a launch to its first region stays the same.
// GRAPHPROF_CLOCK chooses the clock. Without the device's timer (event), an event's place on the
// host's axis is known to some microseconds only.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"

namespace graphprof::test {
namespace {

__global__ void work() {
  const long long begin = clock64();
  while (clock64() - begin < 20'000)
    ;
}

std::int64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now); // the clock must not be set during the test
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

TEST(Alignment, ClocksPartAndAlignmentHolds) {
  std::mutex mutex;
  std::vector<std::int64_t> begins;
  bool byTimer = false;
  Profiler profiler([&](const Record &record) {
    const std::lock_guard lock(mutex);
    begins.push_back(record.begin_ns);
    byTimer = record.clock == Clock::Stamp;
  });
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_EQ(cudaSuccess, cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream));
    work<<<1, 1, 0, stream>>>();
  }
  ASSERT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(stream, &graph));
  ASSERT_EQ(cudaSuccess, cuda::cudaGraphInstantiate(&exec, graph, 0ULL));

  constexpr std::int64_t slice = 250'000'000;
  const char *seconds = std::getenv("ALIGNMENT_SECONDS");
  const std::int64_t duration = 1'000'000'000 * (seconds ? std::atoll(seconds) : 30);
  const std::int64_t began = nowNs();
  std::vector<std::int64_t> launches;
  while (nowNs() < began + duration) {
    launches.push_back(nowNs());
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    std::this_thread::sleep_for(std::chrono::microseconds(300)); // as far apart as launches are
  }
  ASSERT_TRUE(profiler.flush());
  ASSERT_EQ(launches.size(), begins.size());

  // Of each quarter of a second. The correction follows a drift late, so each quarter is looked at.
  std::vector<std::int64_t> shortest(duration / slice, INT64_MAX);
  for (std::size_t i = 1; i < launches.size(); ++i) // the first launch is cold
    if (const auto at = static_cast<std::size_t>((launches[i] - began) / slice);
        at < shortest.size())
      shortest[at] = std::min(shortest[at], begins[i] - launches[i]);
  for (std::size_t i = 0; i < shortest.size(); ++i) {
    if (i < 20 || i % 12 == 0)
      std::printf("%5.2f s: a launch takes %lld ns at least\n",
                  static_cast<double>(i * slice) * 1e-9, static_cast<long long>(shortest[i]));
    EXPECT_GT(shortest[i], byTimer ? 0 : -10'000)
        << "a replay began before its launch, in quarter " << i;
    EXPECT_NEAR(static_cast<double>(shortest[0]), static_cast<double>(shortest[i]), 5'000)
        << "in quarter " << i;
  }
}

} // namespace
} // namespace graphprof::test
