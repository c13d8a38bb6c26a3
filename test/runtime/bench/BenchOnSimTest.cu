// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Benchmarks on a device that does as it is told: clocks that sink, memory that is short, calls
// that fail.

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Reading.h"
#include "cudasim/cudasim.h"
#include "graphprof/bench.h"
#include "graphprof/profiler.h"
#include "support/Work.h"

using namespace graphprof;
using graphprof::test::longWork;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

// The pauses that this thread makes, instead of making them.
thread_local std::vector<std::int64_t> *pausesNs = nullptr;

} // namespace

extern "C" int nanosleep(const timespec *time, timespec *left) {
  if (!pausesNs)
    return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  pausesNs->push_back(time->tv_sec * 1'000'000'000 + time->tv_nsec);
  return 0;
}

namespace {

class BenchOnSim : public testing::Test {
protected:
  void SetUp() override {
    cudasim::reset();
    options.cold_l2_cache = false;
    options.dry_run_iters = 1;
    options.repeat_iters = 40;
  }
  void TearDown() override { cudasim::reset(); }

  bench_options options;
};

} // namespace

// Samples at a low clock are discarded and counted. flashinfer PR #2899: clocks sank during the
// run, by 15 %.
TEST_F(BenchOnSim, LowClockSamplesAreDiscarded) {
  // Half the clock from some time on, of 40 replays of 1 ms behind a few others.
  const std::uint64_t changed = cudasim::nowNs() + 30'000'000;
  cudasim::setSmClock([changed](std::uint64_t ns) {
    return (std::min(ns, changed) * 2 + (ns > changed ? ns - changed : 0)) * 99 / 100;
  });
  const bench_result result = bench("sinking", longWork, options);
  EXPECT_GT(result.discarded, 5U);
  EXPECT_EQ(result.times_ms.size() + result.discarded, 40U);
  EXPECT_THAT(result.sm_clock_mhz, testing::Each(testing::Gt(0.75 * 1980)));
}

// Where every sample is at a low clock, all are kept, and that is said. nvbench #231: a throttle
// check that yields nothing.
TEST_F(BenchOnSim, AllLowClockSamplesAreKept) {
  cudasim::setSmClock([](std::uint64_t ns) { return ns; });
  const bench_result result = bench("slow", longWork, options);
  EXPECT_THAT(result.times_ms, SizeIs(40));
  EXPECT_EQ(result.discarded, 0U);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("every sample ran below 1485 MHz")));
}

TEST_F(BenchOnSim, CopiesBeyondMemoryAreFlushed) {
  // Copies that do not fit are refused, or flushed instead.
  float *data = nullptr;
  constexpr std::size_t count = 1 << 20;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&data, count * sizeof(float)));
  cudasim::setFreeMemory(64 << 20);
  const auto reading = [](cudaStream_t stream, DeviceSpan<float> x) {
    test::read(stream, x, x.size(), nullptr);
  };
  const std::tuple arguments(DeviceSpan<float>(data, count));
  options.cold_l2_cache = true;
  const bench_result result = bench("read", reading, arguments, options);
  EXPECT_EQ(result.cold_method, cold_l2::flush);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("are free")));
  options.cold_method = cold_l2::rotation;
  std::size_t isFree = 0, all = 0; // execs have taken of it
  ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&isFree, &all));
  try {
    (void)bench("read", reading, arguments, options);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const bench_error &error) {
    EXPECT_EQ(error.fault(), bench_fault::memory);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(isFree) + " are free"));
  }
}

TEST_F(BenchOnSim, BenchEndsWithoutConvergence) {
  // Without convergence, it ends at its bound.

  // Each replay takes longer than the one before.
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, [](void **) {
    static std::uint64_t ns = 10'000;
    return ns += 500;
  });
  options.stop = bench_stop::median;
  options.relative_precision = 1e-6;
  options.max_time_ms = 50;
  const bench_result result = bench("growing", longWork, options);
  EXPECT_FALSE(result.converged);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("did not converge within 50 ms")));
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, 100'000);
}

// A gate that gives up is said, and not taken for the next measurement's. The host is slower than
// the GPU's patience, however little it enqueues at a time.
TEST_F(BenchOnSim, AbandonedGateIsReported) {
  const std::vector<std::size_t> addresses(3, sizeof(void *));
  cudasim::registerKernel(
      "graphprof_gate", addresses,
      [](void **params, std::uint64_t, std::uint64_t) {
        **static_cast<unsigned long long **>(params[1]) = 1;
      },
      std::uint64_t{1'000});
  const bench_result late = bench("late", longWork, options);
  cudasim::registerKernel("graphprof_gate", addresses, {}, std::uint64_t{1'000});
  EXPECT_THAT(late.times_ms, SizeIs(40));
  EXPECT_THAT(late.warnings, Contains(HasSubstr("the host was slower than the GPU")));
  // It has no gate, and the same memory.
  EXPECT_THAT(bench("eager", longWork, options, bench_timer::eager).warnings, IsEmpty());
}

TEST_F(BenchOnSim, SlowFlushesEndAtBound) {
  // Flushes that take longer than what is timed end at the bound.
  const auto closure = [](cudaStream_t stream) { test::shortWork(stream); };
  options.cold_l2_cache = true;
  options.repeat_iters.reset();
  options.repeat_time_ms = 1000; // of calls of 10 us, each behind a flush of 60
  options.max_time_ms = 100;
  const bench_result result = bench("flushed", closure, options);
  EXPECT_TRUE(result.converged);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("flushing took its time")));
}

TEST_F(BenchOnSim, SlowFlushesEndComparison) {
  // Flushes end a comparison at the bound too.
  const auto closure = [](cudaStream_t stream) { test::shortWork(stream); };
  options.cold_l2_cache = true;
  options.repeat_iters.reset();
  options.repeat_time_ms = 1000;
  options.max_time_ms = 100;
  const bench_comparison found =
      bench_compare({bench_candidate("a", closure), bench_candidate("b", closure)}, options);
  for (const bench_result &each : found.results) {
    EXPECT_TRUE(each.converged);
    EXPECT_THAT(each.warnings, Contains(HasSubstr("flushing took its time")));
  }
}

// Of calls of 10 us, each behind a flush that takes longer, fewer fit than of calls alone.
TEST_F(BenchOnSim, DryRunsCountFlushes) {
  const auto closure = [](cudaStream_t stream) { test::shortWork(stream); };
  options.dry_run_iters.reset();
  options.dry_run_time_ms = 10;
  const int warm = bench("warm", closure, options).dry_runs;
  EXPECT_NEAR(warm, 100, 10);
  options.cold_l2_cache = true;
  const int flushed = bench("flushed", closure, options).dry_runs;
  EXPECT_GE(flushed, 1);
  EXPECT_LT(flushed, warm / 2);
}

// Compared, a candidate runs as often as alone. Three calls to warm up, and replays of ten calls:
// five to estimate, and those asked for.
TEST_F(BenchOnSim, ComparedCandidateRunsAsAlone) {
  std::size_t calls = 0;
  cudasim::registerKernel(
      "graphprofTestLongWork", {}, [&calls](void **, std::uint64_t, std::uint64_t) { ++calls; },
      100'000);
  options.dry_run_iters = 7;
  options.repeat_iters = 11;
  (void)bench("alone", longWork, options);
  EXPECT_EQ(calls, 3 + 10 * (5 + 7 + 11));
  calls = 0;
  (void)bench_compare({bench_candidate("a", longWork), bench_candidate("b", longWork)}, options);
  EXPECT_EQ(calls, 2 * (3 + 10 * (5 + 7 + 11)));
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, 100'000);
}

// Between timed replays it sleeps in proportion to the one before. flashinfer's pause: five times
// the measured time.
TEST_F(BenchOnSim, SleepsInProportionToReplay) {
  options.sleep_after_run = true;
  options.repeat_iters = 4;
  std::vector<std::int64_t> alone, compared;
  pausesNs = &alone;
  const double replayNs = bench("long", longWork, options).median_ms * 10 * 1e6;
  pausesNs = &compared;
  options.repeat_iters = 2; // long, short, short, long
  (void)bench_compare(
      {bench_candidate("long", longWork), bench_candidate("short", test::shortWork)}, options);
  pausesNs = nullptr;
  ASSERT_THAT(alone, SizeIs(3));
  for (const std::int64_t ns : alone)
    EXPECT_NEAR(static_cast<double>(ns) / replayNs, 5, 0.1);
  ASSERT_THAT(compared, SizeIs(3));
  EXPECT_NEAR(static_cast<double>(compared[0]) / replayNs, 5, 0.1);
  EXPECT_NEAR(static_cast<double>(compared[1]) / replayNs, 0.5, 0.1);
  EXPECT_NEAR(static_cast<double>(compared[2]) / replayNs, 0.5, 0.1);
}

TEST_F(BenchOnSim, EntropyStopsComparison) {
  // Entropy is a criterion of comparisons too.
  options.repeat_iters.reset();
  options.relative_precision = 10; // any median is known well enough
  const auto twoOf = [&] {
    return bench_compare({bench_candidate("a", longWork), bench_candidate("b", longWork)}, options);
  };
  options.stop = bench_stop::entropy;
  EXPECT_TRUE(twoOf().results[0].converged) << "equal samples: nothing new comes";
  // Each replay takes longer than the one before: each sample is new.
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, [](void **) {
    static std::uint64_t ns = 10'000;
    return ns += 500;
  });
  options.stop = bench_stop::median;
  EXPECT_TRUE(twoOf().results[0].converged);
  options.stop = bench_stop::entropy;
  options.max_time_ms = 50;
  for (const bench_result &each : twoOf().results) {
    EXPECT_FALSE(each.converged);
    EXPECT_THAT(each.warnings, Contains(HasSubstr("did not converge within 50 ms")));
  }
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, 100'000);
}

TEST_F(BenchOnSim, DiscardedSamplesHaveNoRecords) {
  const std::uint64_t changed = cudasim::nowNs() + 30'000'000;
  cudasim::setSmClock([changed](std::uint64_t ns) {
    return (std::min(ns, changed) * 2 + (ns > changed ? ns - changed : 0)) * 99 / 100;
  });
  std::mutex mutex;
  std::size_t records = 0;
  bench_result result;
  {
    const Profiler profiler([&](const Record &record) {
      const std::lock_guard lock(mutex);
      records += record.name == "sinking";
    });
    result = bench("sinking", longWork, options, bench_timer::stamps);
  }
  EXPECT_GT(result.discarded, 0U);
  EXPECT_EQ(result.times_ms.size() + result.discarded, 40U * 10U);
  EXPECT_EQ(records, result.times_ms.size());
}

TEST_F(BenchOnSim, FailedCallLeavesNothingBehind) {
  for (const char *function :
       {"cuStreamCreateWithPriority", "cuLibraryLoadData", "cuLibraryGetKernel",
        "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
        "cuEventCreate", "cuGraphLaunch", "cuEventRecord", "cuStreamSynchronize",
        "cuEventElapsedTime"}) {
    cudasim::failCall(function, 1, cudaErrorMemoryAllocation);
    EXPECT_THROW((void)bench("failing", longWork, options), bench_error) << function;
    EXPECT_THAT(bench("fine", longWork, options).times_ms, SizeIs(40)) << function;
  }
}

TEST_F(BenchOnSim, L2ForgetsLeastRecentlyUsed) {
  // The L2 cache of the simulation forgets what was used longest ago.
  const auto *const memory = reinterpret_cast<const char *>(0x10000);
  constexpr std::size_t size = 60 << 20;
  EXPECT_EQ(cudasim::useL2(memory, size / 2), size / 2);
  EXPECT_EQ(cudasim::useL2(memory, size / 2), 0U);
  EXPECT_EQ(cudasim::useL2(memory + size, size / 2), size / 2);
  EXPECT_EQ(cudasim::useL2(memory, size / 2), 0U) << "both fit";
  EXPECT_EQ(cudasim::useL2(memory + 2 * size, size / 4), size / 4);
  EXPECT_EQ(cudasim::useL2(memory, size / 2), 0U) << "used last";
  EXPECT_EQ(cudasim::useL2(memory + size, size / 2), size / 4) << "half of it had to leave";
}
