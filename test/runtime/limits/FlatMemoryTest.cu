// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// However long a program runs, with an output that keeps nothing graphprof's memory stays as it is:
// every allocation of the process is counted. GRAPHPROF_TEST_RECORDS says how many records; ten
// million take a minute on the simulation.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <malloc.h>

#include "support/Recorder.h"
#include "support/Work.h"

// Where a sanitizer has put its own allocator in the place of the C library's.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace graphprof::test {
namespace {

std::int64_t liveBytes() {
  if (__sanitizer_get_current_allocated_bytes)
    return static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

TEST(Memory, StaysFlatUnderManyRecords) {
  // It stays flat however many records a callback gets.
  constexpr std::size_t parts = 9;
  const char *wanted = std::getenv("GRAPHPROF_TEST_RECORDS");
  const std::uint64_t replays = (wanted ? std::strtoull(wanted, nullptr, 10) : 60'000) / 3;
  ASSERT_GE(replays, 10'000u) << "GRAPHPROF_TEST_RECORDS: 30000 or more";
  std::atomic<std::uint64_t> seen{0};
  const Losses before = losses();
  Profiler profiler([&](const Record &) { ++seen; });
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    for (const char *name : {"a", "b", "c"}) {
      GRAPHPROF_SCOPE(1, "{}", on_stream(stream), name);
      shortWork(stream);
    }
  });
  const cudaGraphExec_t exec = instantiate(graph);
  const std::uint64_t warmUp = replays / 10, part = (replays - warmUp) / parts;
  std::vector<std::int64_t> live;     // behind the warm-up, and behind each part of the rest
  constexpr std::uint64_t most = 100; // replays in flight
  // At first all of them, behind other work, so that on a busy machine no later burst is larger.
  for (std::uint64_t i = 0; i < most; ++i)
    longWork(stream);
  for (std::uint64_t replay = 0; replay < replays; ++replay) {
    if (replay % most == 0 && replay > 0)
      EXPECT_TRUE(profiler.flush());
    if (replay >= warmUp && (replay - warmUp) % part == 0)
      live.push_back(liveBytes());
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  }
  EXPECT_TRUE(profiler.flush());
  live.push_back(liveBytes());
  ASSERT_GT(live.size(), parts);
  ASSERT_GT(live.front(), 0);
  // What is kept of each record grows in each part; what a burst leaves behind, in some: on a busy
  // machine more replays are in flight now and then.
  std::int64_t least = live[1] - live[0];
  for (std::size_t i = 2; i <= parts; ++i)
    least = std::min(least, live[i] - live[i - 1]);
  EXPECT_LT(least, 64 * 1024 / std::int64_t{parts});                         // a byte a record
  EXPECT_LT(live.back() - live.front(), 8 * std::int64_t(replays - warmUp)); // in all, three
  EXPECT_EQ(3 * replays, seen + 3 * (losses().overrun - before.overrun + losses().not_queued -
                                     before.not_queued));
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
