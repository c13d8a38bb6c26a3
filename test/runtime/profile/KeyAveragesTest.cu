// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages of a program that runs: rows for its regions, launches and steps. How rows come
// about is tested in statistics/AveragesTest.cpp.

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const FunctionEventAvg *find(const KeyAverages &rows, const std::string &key) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const FunctionEventAvg &row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

class OfAProgram : public testing::Test {
protected:
  void SetUp() override {
    graph_ = capture(stream_, [this] {
      GRAPHPROF_SCOPE(1, "outer", on_stream(stream_), key("flops", 1e6));
      shortWork(stream_);
      GRAPHPROF_SCOPE(2, "inner", on_stream(stream_));
      longWork(stream_);
    });
    exec_ = instantiate(graph_);
    profile warmUp; // the first replay is cold
    launch();
  }
  void TearDown() override {
    CUDA_OK(cuda::cudaGraphExecDestroy(exec_));
    CUDA_OK(cuda::cudaGraphDestroy(graph_));
  }
  void launch() {
    CUDA_OK(cuda::cudaGraphLaunch(exec_, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }

  TestStream stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(OfAProgram, RegionsLaunchesStepsHaveRows) {
  profile_options options;
  options.schedule = graphprof::schedule(0, 1, 3, 1);
  profile profiler(options);
  for (int i = 0; i < 4; ++i) {
    launch();
    profiler.step();
  }
  EXPECT_TRUE(profiler.stop());
  const KeyAverages rows = profiler.key_averages();
  const FunctionEventAvg *const outer = find(rows, "outer"), *const inner = find(rows, "inner"),
                                *const launches = find(rows, "cudaGraphLaunch"),
                                *const steps = find(rows, "ProfilerStep*");
  ASSERT_TRUE(outer && inner && launches && steps);
  EXPECT_EQ(3, outer->count);
  EXPECT_EQ(3, inner->count);
  EXPECT_EQ(3, launches->count);
  EXPECT_EQ(3, steps->count);
  EXPECT_EQ(3u, outer->series.size());
  EXPECT_NEAR(outer->device_time_total, outer->self_device_time_total + inner->device_time_total,
              1e-6);
  EXPECT_NEAR(outer->device_time_total, launches->device_time_total, 1e-6);
  EXPECT_NEAR(outer->device_time_total, steps->device_time_total, 1e-6);
  EXPECT_EQ(0, launches->self_device_time_total);
  EXPECT_GT(launches->cpu_time_total, 0);
  EXPECT_GT(steps->cpu_time_total, launches->cpu_time_total);
  EXPECT_EQ(0, outer->cpu_time_total) << "captured before";
  EXPECT_LE(outer->min, outer->median);
  EXPECT_LE(outer->median, outer->max);
  EXPECT_GT(outer->replay_percent, 50);
  EXPECT_EQ(3e6, outer->flops);
  table_options byTime;
  byTime.sort_by = "cuda_time_total";
  byTime.statistics = true;
  EXPECT_THAT(rows.table(byTime), AllOf(HasSubstr("Self CUDA time total"), HasSubstr("outer"),
                                        HasSubstr("Total MFLOPs"), HasSubstr("Roofline %")));
}

// How much of its replay a short region is, with ten times its work behind it.
double shareOf(cudaStream_t stream, cudaGraph_t graph) {
  const cudaGraphExec_t exec = instantiate(graph);
  {
    profile warmUp; // the first replay is cold
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
  }
  profile profiler;
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
  EXPECT_TRUE(profiler.stop());
  const KeyAverages rows = profiler.key_averages();
  const FunctionEventAvg *const row = find(rows, "short");
  destroy({exec}, {graph});
  return row ? row->replay_percent : -1;
}

TEST(ReplayPercent, CountsUnannotatedWork) {
  // The percentage is of all that a replay does, annotated or not.
  TestStream stream;
  const auto shortThenLong = [&] {
    {
      GRAPHPROF_SCOPE(1, "short", on_stream(stream));
      shortWork(stream);
    }
    longWork(stream);
  };
  double share = shareOf(stream, capture(stream, shortThenLong));
  EXPECT_GT(share, 0) << "a captured graph";
  EXPECT_LT(share, 50) << "a captured graph";

  share = shareOf(stream, capture(stream, [&] {
                    void *memory = nullptr;
                    EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream));
                    shortThenLong();
                    EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream));
                  }));
  EXPECT_GT(share, 0) << "one that is timed in place";
  EXPECT_LT(share, 50) << "one that is timed in place";
}

TEST(ReplayPercent, IsOfAllStreams) {
  TestStream stream, other;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const double share = shareOf(stream, capture(stream, [&] {
                                 EXPECT_EQ(cudaSuccess, cudaEventRecord(forked, stream));
                                 EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(other, forked));
                                 longWork(other);
                                 EXPECT_EQ(cudaSuccess, cudaEventRecord(joined, other));
                                 {
                                   GRAPHPROF_SCOPE(1, "short", on_stream(stream));
                                   shortWork(stream);
                                 }
                                 EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(stream, joined));
                               }));
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 50);
  CUDA_OK(cudaEventDestroy(forked));
  CUDA_OK(cudaEventDestroy(joined));
}

TEST_F(OfAProgram, MemoryBelongsToOpenRegions) {
  // Memory is that of the regions, steps and ranges that were open.
  void *kept = nullptr, *early = nullptr, *pinned = nullptr, *pooled = nullptr, *foreign = nullptr;
  CUDA_OK(cuda::cudaMalloc(&early, 500));
  profile_options options;
  options.schedule = graphprof::schedule(0, 1, 1, 1);
  options.profile_memory = true;
  profile profiler(options);
  profiler.step();
  range_push("load");
  {
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream_));
    CUDA_OK(cuda::cudaMalloc(&kept, 1000));
    {
      GRAPHPROF_SCOPE(2, "inner", on_stream(stream_));
      CUDA_OK(cuda::cudaMallocHost(&pinned, 4096));
      CUDA_OK(cuda::cudaMallocAsync(&pooled, 300, stream_));
      CUDA_OK(cuda::cudaFree(early));
    }
  }
  range_pop();
  std::thread([&] { CUDA_OK(cuda::cudaMalloc(&foreign, 64)); }).join();
  profiler.step();
  EXPECT_TRUE(profiler.stop());
  CUDA_OK(cuda::cudaFreeHost(pinned));
  CUDA_OK(cuda::cudaFreeAsync(pooled, stream_));
  CUDA_OK(cuda::cudaFree(kept));
  CUDA_OK(cuda::cudaFree(foreign));

  const KeyAverages rows = profiler.key_averages();
  const auto memoryOf = [&](const std::string &key) -> std::vector<std::int64_t> {
    const FunctionEventAvg *const row = find(rows, key);
    if (!row)
      return {};
    return {row->cpu_memory_usage, row->self_cpu_memory_usage, row->device_memory_usage,
            row->self_device_memory_usage};
  };
  using Bytes = std::vector<std::int64_t>;
  EXPECT_EQ((Bytes{4096, 4096, -200, -200}), memoryOf("inner"));
  EXPECT_EQ((Bytes{4096, 0, 800, 1000}), memoryOf("outer"));
  EXPECT_EQ((Bytes{4096, 0, 800, 0}), memoryOf("load"));
  EXPECT_EQ((Bytes{4096, 0, 800, 0}), memoryOf("ProfilerStep*"));
  EXPECT_EQ((Bytes{0, 0, 64, 64}), memoryOf("[memory]")) << "of a thread that marks nothing";
  table_options byMemory;
  byMemory.sort_by = "self_cuda_memory_usage";
  const std::string table = rows.table(byMemory);
  EXPECT_THAT(table, AllOf(HasSubstr("Self CPU Mem      CUDA Mem"), HasSubstr("4.00 KB")));
  EXPECT_LT(table.find(" outer "), table.find(" inner "));
}

TEST_F(OfAProgram, NoMemoryColumnsUnasked) {
  // Without profile_memory, the table has no columns of memory.
  void *memory = nullptr;
  profile profiler;
  CUDA_OK(cuda::cudaMalloc(&memory, 64));
  EXPECT_TRUE(profiler.stop());
  CUDA_OK(cuda::cudaFree(memory));
  EXPECT_EQ(nullptr, find(profiler.key_averages(), "[memory]"));
  EXPECT_THAT(profiler.key_averages().table(), Not(HasSubstr("Mem")));
}

TEST_F(OfAProgram, SourcePlacesAreStack) {
  profile profiler;
  launch();
  EXPECT_TRUE(profiler.stop());
  const KeyAverages rows = profiler.key_averages(false, 5);
  const FunctionEventAvg *const inner = find(rows, "inner");
  ASSERT_TRUE(inner);
  ASSERT_EQ(2u, inner->stack.size()) << "its own, and that of the region around it";
  EXPECT_THAT(inner->stack[0], HasSubstr("KeyAveragesTest.cu("));
  EXPECT_THAT(profiler.key_averages(false, 5).table(), HasSubstr("Source Location"));
}

} // namespace
} // namespace graphprof::test
