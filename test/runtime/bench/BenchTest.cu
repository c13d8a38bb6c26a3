// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Benchmarks on a GPU and on the simulation alike: what is returned, how coldness comes about, and
// which callables are refused, why.

#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Candidates.h"
#include "Reading.h"
#include "graphprof/bench.h"
#include "graphprof/profiler.h"
#include "graphprof/step.h"
#include "support/Stderr.h"
#include "support/Work.h"

using namespace graphprof;
using graphprof::test::DeviceFloats;
using graphprof::test::few;
using graphprof::test::longWork;
using graphprof::test::megabyte;
using graphprof::test::reading;
using graphprof::test::shortWork;
using graphprof::test::someFloats;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

std::size_t l2Bytes() {
  int bytes = 0;
  EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
  return static_cast<std::size_t>(bytes);
}

// Stamps may be forbidden for the whole run of the tests.
bool byEvents() {
  const char *const clock = std::getenv("GRAPHPROF_CLOCK");
  return clock && std::string(clock) == "event";
}

// The fault that measuring ends with, and its text.
template <class Function>
std::pair<bench_fault, std::string> faultOf(Function &&fn, const bench_options &options = few()) {
  try {
    (void)bench("candidate", std::forward<Function>(fn), options);
  } catch (const bench_error &error) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaSuccess, cudaStreamIsCapturing(cudaStreamLegacy, &status));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize()) << "nothing is being captured any more";
    return {error.fault(), error.what()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

} // namespace

TEST(Bench, ReplayHasTime) {
  // It returns a time of each replay.
  bench_options options = few();
  options.cold_l2_cache = false;
  const std::vector<double> times = bench_gpu_time_with_cudagraph(shortWork, options);
  EXPECT_THAT(times, SizeIs(20));
  EXPECT_THAT(times, Each(testing::AllOf(Gt(0.004), testing::Lt(0.1)))) << "about 10 us, in ms";
}

TEST(Bench, FillsTheGivenTime) {
  // Without numbers, it takes the time it is given.
  bench_options options;
  options.cold_l2_cache = false;
  options.repeat_time_ms = 20;
  const bench_result result = bench("short", shortWork, options);
  const double measuredMs = result.median_ms * result.iterations_within_graph *
                            static_cast<double>(result.times_ms.size());
  EXPECT_GT(measuredMs, 10);
  EXPECT_LT(measuredMs, 40);
  EXPECT_EQ(result.iterations_within_graph, 10);
  EXPECT_GT(result.dry_runs, 10);
}

TEST(Bench, SaysWhatWasCaptured) {
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result result = bench(
      "both",
      [](cudaStream_t stream) {
        shortWork(stream);
        longWork(stream);
      },
      options);
  EXPECT_EQ(result.name, "both");
  EXPECT_EQ(result.node_count, 2U);
  EXPECT_THAT(result.nodes, ElementsAre(HasSubstr("ShortWork"), HasSubstr("LongWork")));
  EXPECT_FALSE(result.cold);
  EXPECT_EQ(result.copies, 1);
  EXPECT_EQ(result.memory_bytes, 0U);
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_LE(result.min_ms, result.low_ms);
  EXPECT_LE(result.low_ms, result.median_ms);
  EXPECT_LE(result.median_ms, result.high_ms);
  EXPECT_LE(result.high_ms, result.max_ms);
}

TEST(Bench, TellsTheSmClock) {
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result result = bench("long", longWork, options);
  EXPECT_THAT(result.sm_clock_mhz, SizeIs(result.times_ms.size()));
  EXPECT_THAT(result.sm_clock_mhz, Each(testing::AllOf(Gt(300), testing::Lt(3500))));
  EXPECT_GT(result.peak_sm_clock_mhz, 300);
}

TEST(Bench, RatesFollowFromTheOptions) {
  bench_options options = few();
  options.cold_l2_cache = false;
  options.bytes = 1000;
  options.flops = 2e6;
  const bench_result result = bench("short", shortWork, options);
  EXPECT_DOUBLE_EQ(result.bytes_per_s, 1000 / (result.median_ms * 1e-3));
  EXPECT_DOUBLE_EQ(result.flops_per_s, 2e6 / (result.median_ms * 1e-3));
}

TEST(Bench, RotatedArgumentsAreCold) {
  // Arguments are rotated so that the cache is cold.
  const DeviceFloats data(someFloats);
  bench_options options = few();
  const bench_result cold = bench("cold", reading, std::tuple(data.span()), options);
  options.cold_l2_cache = false;
  const bench_result warm = bench("warm", reading, std::tuple(data.span()), options);
  EXPECT_GT(cold.median_ms, 1.1 * warm.median_ms);
  EXPECT_TRUE(cold.cold);
  EXPECT_EQ(cold.cold_method, cold_l2::rotation);
  EXPECT_EQ(cold.timer, bench_timer::graph);
  EXPECT_EQ(cold.argument_bytes, 4 * megabyte);
  EXPECT_GE(cold.reuse_bytes, 5 * l2Bytes());
  EXPECT_GE(static_cast<std::size_t>(cold.copies) * cold.argument_bytes, 5 * l2Bytes());
  EXPECT_EQ(cold.copies, cold.graphs * cold.iterations_within_graph) << "each copy has its call";
  EXPECT_GE(cold.memory_bytes, 4 * megabyte * static_cast<std::size_t>(cold.copies - 1));
  EXPECT_THAT(cold.warnings, IsEmpty());
}

TEST(Bench, LargeArgumentsNeedNoCopies) {
  const DeviceFloats data(6 * l2Bytes() / sizeof(float));
  const bench_result result = bench("large", reading, std::tuple(data.span()), few());
  EXPECT_TRUE(result.cold);
  EXPECT_EQ(result.cold_method, cold_l2::rotation);
  EXPECT_EQ(result.copies, 1);
  EXPECT_EQ(result.memory_bytes, 0U);
}

// What a callable holds itself is flushed. flashinfer #4468: what a closure holds was silently
// measured warm.
TEST(Bench, HeldDataIsFlushed) {
  const DeviceFloats data(someFloats);
  const auto closure = [&data](cudaStream_t stream) { reading(stream, data.span()); };
  bench_options options = few();
  const bench_result rotated = bench("rotated", reading, std::tuple(data.span()), options);
  const bench_result flushed = bench("flushed", closure, options);
  EXPECT_EQ(flushed.cold_method, cold_l2::flush);
  EXPECT_EQ(flushed.timer, bench_timer::stamps);
  EXPECT_THAT(flushed.warnings, Contains(HasSubstr("cannot be rotated")));
  EXPECT_THAT(flushed.times_ms, SizeIs(20 * 10)) << "each call by itself";
  options.cold_l2_cache = false;
  if (byEvents()) {
    EXPECT_THAT(flushed.warnings, Contains(HasSubstr("timed by CUDA events")));
    return;
  }
  EXPECT_NEAR(flushed.median_ms / rotated.median_ms, 1, 0.35);
  EXPECT_GT(flushed.median_ms, 1.1 * bench("warm", closure, options).median_ms);
}

TEST(Bench, BarePointerIsFlushed) {
  // A bare pointer is flushed, and that is said.
  const DeviceFloats data(someFloats);
  const bench_result result = bench(
      "bare", [](cudaStream_t stream, float *x) { test::read(stream, x, someFloats, nullptr); },
      std::tuple(data.data()), few());
  EXPECT_EQ(result.cold_method, cold_l2::flush);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("DeviceSpan gives them a size")));
}

TEST(Bench, PointerIntoSpanMovesAlong) {
  const DeviceFloats data(someFloats);
  std::vector<std::pair<float *, float *>> seen;
  const bench_result result = bench(
      "inside",
      [&seen](cudaStream_t stream, float *x, float *inside) {
        seen.emplace_back(x, inside);
        test::read(stream, x, someFloats, nullptr);
      },
      std::tuple(data.span(), data.data() + 100), few());
  EXPECT_EQ(result.cold_method, cold_l2::rotation);
  std::size_t moved = 0;
  for (const auto &[x, inside] : seen) {
    EXPECT_EQ(inside, x + 100);
    moved += x != data.data();
  }
  EXPECT_GT(moved, 10U);
}

TEST(Bench, CopiesHoldOriginalsData) {
  const DeviceFloats data(someFloats);
  ASSERT_EQ(cudaSuccess, cudaMemset(data.data(), 0, someFloats * sizeof(float)));
  test::increment(nullptr, data.data(), someFloats);
  ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
  std::vector<const float *> copies;
  std::vector<float> found;
  bench_options options = few();
  options.num_iters_within_graph = 3;
  options.cold_method = cold_l2::rotation;
  (void)bench_gpu_time(
      [&](cudaStream_t, const float *x) {
        float first = 0, last = 0;
        cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
        cudaMemcpy(&last, x + someFloats - 1, sizeof last, cudaMemcpyDeviceToHost);
        copies.push_back(x);
        found.push_back(first);
        found.push_back(last);
      },
      std::tuple(DeviceSpan<const float>(data.data(), someFloats)), options);
  EXPECT_THAT(found, Each(1.0F));
  EXPECT_THAT(copies, Contains(testing::Ne(data.data())));
}

TEST(Bench, FewBytesAreFlushed) {
  // Few bytes are flushed rather than copied a thousand times.
  const DeviceFloats data(1024);
  const bench_result result = bench("small", reading, std::tuple(data.span()), few());
  EXPECT_EQ(result.cold_method, cold_l2::flush);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("copies of its 4096 bytes")));
}

TEST(Bench, EagerTimesSingleCalls) {
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result result = bench("eager", longWork, options, bench_timer::eager);
  EXPECT_EQ(result.timer, bench_timer::eager);
  EXPECT_THAT(result.times_ms, SizeIs(20));
  EXPECT_THAT(result.times_ms, Each(testing::AllOf(Gt(0.05), testing::Lt(1))));
}

TEST(Bench, StampsTimeCallsInsideGraph) {
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result graph = bench("long", longWork, options);
  const bench_result stamps = bench("long", longWork, options, bench_timer::stamps);
  EXPECT_THAT(stamps.times_ms, SizeIs(20 * 10));
  EXPECT_NEAR(stamps.median_ms / graph.median_ms, 1, 0.1);
}

TEST(Bench, WorkUsesProgramsStream) {
  // The work may go to a stream of the program's own.
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  bench_options options = few();
  options.cold_l2_cache = false;
  options.stream = stream;
  EXPECT_THAT(bench("own", [stream] { shortWork(stream); }, options).times_ms, SizeIs(20));
  EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

TEST(Bench, CallableNeedNotBeCopyable) {
  auto owned = std::make_unique<int>(7);
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result result = bench(
      "owner", [owned = std::move(owned)](cudaStream_t stream) { shortWork(stream); }, options);
  EXPECT_GT(result.median_ms, 0);
}

// What cannot be measured says why. flashinfer-bench #414: nothing captured was "correct".
TEST(Bench, NothingCapturedIsAnError) {
  const auto [fault, text] = faultOf([](cudaStream_t) {});
  EXPECT_EQ(fault, bench_fault::nothing);
  EXPECT_THAT(text, HasSubstr("candidate captured nothing"));
}

TEST(Bench, SynchronisingCallableIsError) {
  EXPECT_EQ(faultOf([](cudaStream_t stream) {
              shortWork(stream);
              cudaStreamSynchronize(stream);
            }).first,
            bench_fault::synchronises);
  EXPECT_EQ(faultOf([](cudaStream_t stream) {
              shortWork(stream);
              cudaDeviceSynchronize();
            }).first,
            bench_fault::synchronises);
}

TEST(Bench, AllocatingCallableIsError) {
  const auto [fault, text] = faultOf([](cudaStream_t stream) {
    void *memory = nullptr;
    cudaMalloc(&memory, 1024);
    shortWork(stream);
    cudaFree(memory);
  });
  EXPECT_EQ(fault, bench_fault::allocates);
  EXPECT_THAT(text, HasSubstr("do that before, once"));
}

TEST(Bench, DefaultStreamIsError) {
  const auto [fault, text] = faultOf([](cudaStream_t stream) {
    shortWork(stream);
    shortWork(nullptr);
  });
  EXPECT_EQ(fault, bench_fault::legacy_stream);
  EXPECT_THAT(text, HasSubstr("default stream"));
}

TEST(Bench, UnjoinedForkIsError) {
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  ASSERT_EQ(cudaSuccess, cudaEventCreate(&event));
  const auto [fault, text] = faultOf([&](cudaStream_t stream) {
    shortWork(stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    shortWork(other);
  });
  EXPECT_EQ(fault, bench_fault::unjoined);
  EXPECT_THAT(text, HasSubstr("does not wait for"));
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}

TEST(Bench, CallableNeedsStream) {
  const auto [fault, text] = faultOf([] {});
  EXPECT_EQ(fault, bench_fault::callable);
  EXPECT_THAT(text, HasSubstr("bench_options::stream"));
}

TEST(Bench, RotatingNothingIsError) {
  bench_options options = few();
  options.cold_method = cold_l2::rotation;
  EXPECT_EQ(faultOf(shortWork, options).first, bench_fault::options);
}

TEST(Bench, SenselessValuesAreErrors) {
  for (void (*const spoil)(bench_options &) :
       {+[](bench_options &o) { o.repeat_iters = 0; },
        +[](bench_options &o) { o.dry_run_iters = -1; },
        +[](bench_options &o) { o.num_iters_within_graph = 0; },
        +[](bench_options &o) { o.min_sm_clock = 2; },
        +[](bench_options &o) { o.relative_precision = 0; }}) {
    bench_options options = few();
    spoil(options);
    EXPECT_EQ(faultOf(shortWork, options).first, bench_fault::options);
  }
}

// pegainfer #569: launches that may begin early let a call overlap the one before.
TEST(Bench, ProgrammaticLaunchesDoNotOverlapCalls) {
  const auto twice = [](cudaStream_t stream, float *data) {
    test::incrementEarly(stream, data, 1024);
    test::incrementEarly(stream, data, 1024);
  };
  const DeviceFloats data(1024);
  bench_options options = few();
  options.cold_l2_cache = false;
  const bench_result result = bench("early", twice, std::tuple(data.span()), options);
  EXPECT_EQ(result.node_count, 2U);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("each waits for the one before")));
}

// nvbench #310, #240, #136: measurements that contaminate each other, or wait for each other for
// ever.
TEST(Bench, ThreadsMeasureInTurns) {
  bench_options options = few();
  options.cold_l2_cache = false;
  std::vector<bench_result> results(4);
  std::vector<std::thread> threads;
  for (bench_result &result : results)
    threads.emplace_back([&] { result = bench("threads", longWork, options); });
  for (std::thread &thread : threads)
    thread.join();
  for (const bench_result &result : results)
    EXPECT_LT(result.median_ms, 1.2 * results.front().median_ms);
}

TEST(Bench, NestedMeasurementIsError) {
  const auto [fault, text] = faultOf([](cudaStream_t) { (void)bench("inner", shortWork); });
  EXPECT_EQ(fault, bench_fault::options);
  EXPECT_THAT(text, HasSubstr("calls bench() itself"));
  EXPECT_GT(bench("after", shortWork, few()).median_ms, 0);
}

TEST(Bench, CallablesExceptionLeavesNothingOpen) {
  // What the callable throws comes out, and nothing is left open.
  int calls = 0;
  const auto failing = [&calls](cudaStream_t stream) {
    shortWork(stream);
    if (++calls == 5) // the first ones are not captured
      throw std::runtime_error("mine");
  };
  bench_options options = few();
  options.cold_l2_cache = false;
  EXPECT_THROW((void)bench("throws", failing, options), std::runtime_error);
  EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
  EXPECT_GT(bench("after", shortWork, options).median_ms, 0);
}

TEST(Bench, ProgramsErrorIsNotCallables) {
  // Errors of the program's own are not taken for the callable's.
  EXPECT_NE(cudaSuccess, cudaSetDevice(77)); // which leaves a last error
  bench_options options = few();
  options.cold_l2_cache = false;
  EXPECT_GT(bench("fine", shortWork, options).median_ms, 0);
  EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError()) << "which stays the program's to read";
}

TEST(Bench, StopsWhenMedianIsKnown) {
  bench_options options;
  options.cold_l2_cache = false;
  options.dry_run_time_ms = 5;
  options.stop = bench_stop::median;
  options.relative_precision = 0.05;
  const bench_result result = bench("long", longWork, options);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.high_ms - result.low_ms, 0.1 * result.median_ms);
  EXPECT_GE(result.times_ms.size(), 30U);
}

// Outputs get a record of each sample, and of nothing else. What is returned is measured;
// estimates, dry runs and the calls before them are not.
TEST(Bench, SampleGivesOneRecord) {
  for (const bench_timer timer : {bench_timer::graph, bench_timer::eager, bench_timer::stamps}) {
    std::mutex mutex;
    std::vector<Record> records;
    bench_options options = few();
    options.cold_l2_cache = false;
    bench_result result;
    {
      const Profiler profiler([&](const Record &record) {
        const std::lock_guard lock(mutex);
        if (record.name == "recorded {}")
          records.push_back(record);
      });
      const Step step;
      result = bench("recorded {}", shortWork, options, timer);
    }
    ASSERT_THAT(records, SizeIs(result.times_ms.size())) << static_cast<int>(timer);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(records[i].duration_ns), result.times_ms[i] * 1e6, 1);
      EXPECT_FALSE(records[i].cold);
      EXPECT_GE(records[i].step, 0) << "of the step in which it was measured";
    }
  }
}

TEST(Bench, DryReplaysGiveNoRecords) {
  // Records of stamps are those of the replays that count.
  std::mutex mutex;
  std::vector<std::uint64_t> replays;
  std::vector<std::int64_t> begins;
  bench_options options = few();
  options.cold_l2_cache = false;
  options.num_iters_within_graph = 1;
  {
    const Profiler profiler([&](const Record &record) {
      const std::lock_guard lock(mutex);
      replays.push_back(record.replay);
      begins.push_back(record.begin_ns);
    });
    (void)bench("replays", shortWork, options, bench_timer::stamps);
  }
  ASSERT_THAT(replays, SizeIs(20));
  EXPECT_GE(replays.front(), 5U + 2U) << "behind the estimate and the dry runs";
  for (std::size_t i = 1; i < replays.size(); ++i) {
    EXPECT_GT(replays[i], replays[i - 1]);
    EXPECT_GT(begins[i], begins[i - 1]);
  }
}

TEST(Bench, ReplayGivesOneTime) {
  // Times are one for each replay, also if the cache is flushed.
  const DeviceFloats data(someFloats);
  const auto closure = [&data](cudaStream_t stream) { reading(stream, data.span()); };
  const std::vector<double> replays = bench_gpu_time_with_cudagraph(closure, few());
  EXPECT_THAT(replays, SizeIs(20));
  const bench_result calls = bench("calls", closure, few());
  EXPECT_THAT(calls.times_ms, SizeIs(20 * 10));
  for (const double each : replays)
    EXPECT_NEAR(each / calls.mean_ms, 1, 0.35);
  EXPECT_THAT(bench_gpu_time(closure, few()), SizeIs(20));
}

TEST(Bench, WarningsAreSaidOnce) {
  // Functions that return times say their warnings once.
  bench_options options = few();
  const DeviceFloats data(1024);
  const std::tuple arguments(data.data());
  const auto work = [](cudaStream_t stream, float *) { shortWork(stream); };
  test::captureStderr();
  for (int i = 0; i < 2; ++i) {
    (void)bench_gpu_time_with_cudagraph(work, arguments, options);
    (void)bench_gpu_time(work, arguments, options);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char *const function : {"bench_gpu_time_with_cudagraph", "bench_gpu_time"}) {
    const std::string line =
        std::string("graphprof: ") + function + ": the L2 cache is flushed before each call";
    const std::size_t first = said.find(line);
    EXPECT_NE(first, std::string::npos) << line << "\n" << said;
    EXPECT_EQ(said.find(line, first + 1), std::string::npos) << line << "\n" << said;
  }
}

TEST(Bench, EventsExcludeEagerFlush) {
  // An eager flush is left out of the time by events, not by stamps.
  const bench_result result = bench("eager", shortWork, few(), bench_timer::eager);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("events leave that out of the time")));
  EXPECT_EQ(result.graphs, 0);
}

TEST(Bench, EagerRotatesCopiesWithoutGraphs) {
  const DeviceFloats data(someFloats);
  const bench_result result =
      bench("eager", reading, std::tuple(data.span()), few(), bench_timer::eager);
  EXPECT_EQ(result.cold_method, cold_l2::rotation);
  EXPECT_GT(result.copies, 1);
  EXPECT_EQ(result.graphs, 0);
  EXPECT_EQ(result.dry_runs, 2);
}

TEST(Bench, RunsAskedDryRuns) {
  // It has as many dry runs as asked for.
  const DeviceFloats data(someFloats);
  bench_options options = few();
  for (const int dry : {0, 1, 7}) {
    options.dry_run_iters = dry;
    const bench_result rotated = bench("rotated", reading, std::tuple(data.span()), options);
    EXPECT_GT(rotated.graphs, 1);
    EXPECT_EQ(rotated.dry_runs, dry);
  }
}

TEST(Bench, IneffectiveReplayCountIsReported) {
  // A number of replays that has no effect is said.
  bench_options options = few();
  options.cold_l2_cache = false;
  options.stop = bench_stop::entropy;
  EXPECT_THAT(bench("short", shortWork, options).warnings,
              Contains(HasSubstr("only bench_stop::time counts replays")));
}
