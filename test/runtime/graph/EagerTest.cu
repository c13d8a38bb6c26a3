// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions outside graphs.

#include <memory>
#include <thread>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

TEST(Eager, EagerRegionUsesEvents) {
  // A region outside a graph is timed with events.
  Recorder recorder;
  TestStream stream;
  for (int i = 0; i < 3; ++i) {
    GRAPHPROF_SCOPE(1, "eager {}", on_stream(stream), i);
    longWork(stream);
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(3u, seen.size());
  EXPECT_EQ("eager 2", seen[2].name);
  for (const Seen &one : seen) {
    EXPECT_EQ(Clock::Event, one.clock);
    EXPECT_EQ(0u, one.graph);
  }
  EXPECT_GT(seen[2].durationNs, halfLongWorkNs());
}

// After a device reset, regions are timed as before. The default stream is another one then, and
// another stream may have the old one's handle.
TEST(Eager, DeviceResetKeepsTiming) {
  Recorder recorder;
  for (int life = 0; life < 2; ++life) {
    cudaStream_t stream = nullptr;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (const cudaStream_t each : {stream, cudaStream_t{}, cudaStreamPerThread}) {
      GRAPHPROF_SCOPE(1, "life {}", on_stream(each), life);
      longWork(each);
    }
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cuda::cudaDeviceReset());
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(6u, seen.size());
  for (const Seen &one : seen)
    EXPECT_GT(one.durationNs, halfLongWorkNs()) << one.name;
}

// A region that is open over a device reset has no end. Its stream and events are gone when it
// ends: the driver crashes where it is handed them.
TEST(Eager, DeviceResetCostsOpenRegion) {
  Recorder recorder;
  const std::uint64_t without = losses().regions_outside_graphs_failed;
  {
    cudaStream_t stream = nullptr;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream));
    {
      GRAPHPROF_SCOPE(2, "ended", on_stream(stream));
      longWork(stream);
    }
    CUDA_OK(cuda::cudaDeviceReset());
    TestStream next;
    {
      GRAPHPROF_SCOPE(3, "next life", on_stream(next));
      longWork(next);
    }
    CUDA_OK(cudaStreamSynchronize(next));
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(3u, seen.size());
  EXPECT_EQ(-1, seen[0].durationNs);
  EXPECT_EQ(-1, seen[1].durationNs);
  EXPECT_GT(seen[2].durationNs, halfLongWorkNs());
  EXPECT_EQ(without + 2, losses().regions_outside_graphs_failed);
}

TEST(Eager, NestedRegionsArriveOutermostFirst) {
  // Nested regions arrive together, outermost first.
  Recorder recorder;
  TestStream stream;
  {
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream));
    GRAPHPROF_SCOPE(2, "inner", on_stream(stream));
    shortWork(stream);
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ("outer", seen[0].name);
  EXPECT_EQ("inner", seen[1].name);
  EXPECT_EQ(1, seen[1].depth);
}

TEST(Eager, OpenRegionHoldsBackFew) {
  // A region that stays open holds back a bounded number of others.
  Recorder recorder;
  TestStream stream;
  constexpr std::size_t inner = 5000;
  {
    GRAPHPROF_SCOPE(1, "the whole loop", on_stream(stream));
    for (std::size_t i = 0; i < inner; ++i) {
      GRAPHPROF_SCOPE(2, "turn", on_stream(stream));
    }
    EXPECT_GT(recorder.all().size(), inner / 2) << "most have arrived though the loop is open";
  }
  EXPECT_EQ(inner + 1, recorder.all().size());
}

TEST(Eager, UnorderedRegionsAreTimed) {
  // Regions closed out of order are each timed.
  Recorder recorder;
  TestStream stream;
  static const Site first{"first", __FILE__, __LINE__, __func__};
  static const Site second{"second", __FILE__, __LINE__, __func__};
  auto outer = std::make_unique<Scope>(first, on_stream(stream));
  auto inner = std::make_unique<Scope>(second, on_stream(stream));
  shortWork(stream);
  outer.reset();
  longWork(stream);
  inner.reset();
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ("first", seen[0].name);
  EXPECT_GE(seen[0].durationNs, 0);
  EXPECT_GT(seen[1].durationNs, seen[0].durationNs);
}

TEST(Eager, RegionClosedElsewhereHasNoTime) {
  // A region closed on another thread has no time, and holds nothing back.
  Recorder recorder;
  TestStream stream;
  for (const StreamRef ref : {StreamRef(stream), on_capture()}) {
    static const Site site{"wanders", __FILE__, __LINE__, __func__};
    auto wandering = std::make_unique<Scope>(site, ref);
    std::thread([&] { wandering.reset(); }).join();
    GRAPHPROF_SCOPE(1, "next", on_stream(stream));
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  for (const Seen &one : seen)
    EXPECT_EQ(one.name == "next", one.durationNs >= 0) << one.name;
}

TEST(Eager, EndedThreadsRegionHasNoTime) {
  // A region that is open when its thread ends has no time.
  Recorder recorder;
  TestStream stream;
  std::unique_ptr<Scope> open;
  static const Site site{"left open", __FILE__, __LINE__, __func__};
  std::thread([&] { open = std::make_unique<Scope>(site, on_stream(stream)); }).join();
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(1u, seen.size());
  EXPECT_LT(seen[0].durationNs, 0);
}

TEST(Eager, StreamlessRegionHasHostTime) {
  // Without a stream, a region has a host time.
  Recorder recorder;
  {
    GRAPHPROF_SCOPE(1, "somewhere", on_capture());
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(1u, seen.size());
  EXPECT_EQ(Clock::Host, seen[0].clock);
}

TEST(Eager, IdleRecordsNothing) {
  // While idle, nothing is recorded, and arguments may be anything.
  Recorder recorder;
  TestStream stream;
  stop();
  {
    GRAPHPROF_SCOPE(1, "idle", on_stream(stream));
  }
  start();
  EXPECT_TRUE(recorder.all().empty());
}

TEST(Eager, ArgumentsAreEvaluatedOnce) {
  Recorder recorder;
  TestStream stream;
  int evaluated = 0;
  {
    GRAPHPROF_SCOPE(1, "counted {}", on_stream(stream), ++evaluated);
  }
  EXPECT_EQ(1, evaluated);
  EXPECT_EQ((std::vector<std::string>{"counted 1"}), recorder.names());
}

} // namespace
} // namespace graphprof::test
