// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long regions and nodes over several streams last, on the simulation: it knows how long each
// kernel takes, so each time is exact.

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cudasim/cudasim.h"
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#include "support/Conditionals.h"
#include "support/CopiesAreWhole.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

__global__ void spin(unsigned /*us*/) {}

using testing::ElementsAre;
using testing::Pair;

/// Of regions, in microseconds to two places (an event's time is a float); none: it has no time.
using Times = std::map<std::string, std::optional<double>>;

class Regions : public testing::Test {
protected:
  Regions() {
    cudasim::registerKernel("spin", {sizeof(unsigned)}, nullptr, [](void **params) {
      return std::uint64_t{1000} * *static_cast<unsigned *>(params[0]);
    });
  }
  ~Regions() override {
    for (const cudaEvent_t event : events_)
      EXPECT_EQ(cudaSuccess, cudaEventDestroy(event));
    if (graph_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph_));
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }

  static void work(cudaStream_t stream, unsigned us) { spin<<<1, 32, 0, stream>>>(us); }
  static cudaGraphNode_t kernel(cudaGraph_t graph, unsigned us,
                                const std::vector<cudaGraphNode_t> &behind) {
    void *values[] = {&us};
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void *>(spin);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = values;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cuda::cudaGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &params));
    return node;
  }
  // `stream` goes on behind what is in `other` by now.
  void wait(cudaStream_t stream, cudaStream_t other) {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaSuccess, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    events_.push_back(event);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(event, other));
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(stream, event, 0));
  }
  void forkAll() {
    wait(s1, s0);
    wait(s2, s0);
  }
  void joinAll() {
    wait(s0, s1);
    wait(s0, s2);
  }

  // Of a warm replay of what `work` captures in s0.
  Times captured(const std::function<void()> &work) {
    graph_ = capture(s0, work);
    return replayed(graph_);
  }
  Times replayed(cudaGraph_t graph) {
    const cudaGraphExec_t exec = instantiate(graph);
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, s0));
    EXPECT_TRUE(flush());
    const Losses before = losses();
    Recorder recorder;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, s0));
    Times times;
    nodes.clear();
    for (const Seen &seen : recorder.all()) { // in the order of the capture
      const double us =
          static_cast<double>(std::llround(static_cast<double>(seen.durationNs) / 10)) / 100;
      if (seen.kind == Kind::Region)
        times[seen.name] = seen.durationNs < 0 ? std::nullopt : std::optional(us);
      else
        nodes.push_back(us);
    }
    lost = losses().incomplete - before.incomplete;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    return times;
  }

  TestStream s0, s1, s2;
  // Of the replay: regions without a time that had work; and how long each node took, with
  // GRAPHPROF_NODES=1.
  std::uint64_t lost = 0;
  std::vector<double> nodes;

private:
  std::vector<cudaEvent_t> events_;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(Regions, StreamlessRegionLastsItsWork) {
  // A region without a stream lasts as long as what is added in it.
  const Times times = captured([&] {
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "solo", on_capture());
      work(s0, 400);
    }
    work(s0, 50);
    forkAll(); // work on a stream that was forked before, and is joined behind it
    {
      GRAPHPROF_SCOPE(1, "side", on_capture());
      work(s1, 300);
    }
    joinAll();
    work(s0, 50);
    forkAll(); // each stream has work of its own before it and behind it
    work(s1, 350);
    {
      GRAPHPROF_SCOPE(1, "side middle", on_capture());
      work(s1, 250);
    }
    work(s1, 150);
    work(s0, 900);
    joinAll();
    work(s0, 50);
    forkAll(); // two beside each other
    {
      GRAPHPROF_SCOPE(1, "overlap a", on_capture());
      work(s1, 500);
    }
    {
      GRAPHPROF_SCOPE(1, "overlap b", on_capture());
      work(s2, 300);
    }
    joinAll();
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "outer", on_capture());
      work(s0, 400);
      {
        GRAPHPROF_SCOPE(2, "inner", on_capture());
        work(s0, 300);
      }
    }
    work(s0, 50);
    forkAll(); // the inner one beside longer work of the outer one
    {
      GRAPHPROF_SCOPE(1, "outer 2", on_capture());
      work(s0, 600);
      {
        GRAPHPROF_SCOPE(2, "inner 2", on_capture());
        work(s1, 200);
      }
    }
    joinAll();
    work(s0, 50);
    forkAll();
    {
      GRAPHPROF_SCOPE(1, "split", on_capture());
      work(s0, 200);
      work(s1, 600);
      work(s2, 400);
    }
    joinAll();
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "fork inside", on_capture());
      forkAll();
      work(s0, 200);
      work(s1, 500);
      joinAll();
    }
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "join behind", on_capture());
      forkAll();
      work(s0, 250);
      work(s2, 450);
    }
    joinAll();
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "relay", on_capture());
      work(s0, 150);
      wait(s1, s0);
      work(s1, 150);
      wait(s2, s1);
      work(s2, 150);
      wait(s0, s2);
    }
    work(s0, 50);
  });
  EXPECT_THAT(times, ElementsAre(Pair("fork inside", 500), Pair("inner", 300), Pair("inner 2", 200),
                                 Pair("join behind", 450), Pair("outer", 700), Pair("outer 2", 600),
                                 Pair("overlap a", 500), Pair("overlap b", 300), Pair("relay", 450),
                                 Pair("side", 300), Pair("side middle", 250), Pair("solo", 400),
                                 Pair("split", 600)));
  EXPECT_EQ(0U, lost);
}

TEST_F(Regions, StreamlessRegionSpansItsNodes) {
  // A region without a stream begins with the first of its nodes, and ends with the last.
  const Times times = captured([&] {
    forkAll();
    work(s1, 30);
    work(s2, 20);
    work(s0, 100);
    {
      GRAPHPROF_SCOPE(1, "later", on_capture()); // from 20 on in s2, to 120 in s0
      work(s0, 20);
      work(s1, 40);
      work(s2, 50);
    }
    work(s1, 10);
    work(s0, 10);
    {
      GRAPHPROF_SCOPE(1, "waits first", on_capture()); // the wait is not in it
      wait(s0, s2);
      work(s0, 7);
    }
    joinAll();
  });
  EXPECT_THAT(times, ElementsAre(Pair("later", 100), Pair("waits first", 7)));
}

TEST_F(Regions, EmptyRegionHasNoTime) {
  // Without work, a region has no time, and nothing is lost.
  const Times times = captured([&] {
    work(s0, 50);
    {
      GRAPHPROF_SCOPE(1, "empty", on_capture());
    }
    {
      GRAPHPROF_SCOPE(1, "empty, of a stream", on_stream(s0));
    }
    work(s0, 50);
    forkAll();
    work(s1, 10);
    {
      GRAPHPROF_SCOPE(1, "empty between streams", on_capture());
    }
    {
      GRAPHPROF_SCOPE(1, "joins", on_capture());
      joinAll();
    }
    work(s0, 50);
  });
  EXPECT_THAT(times,
              ElementsAre(Pair("empty", std::nullopt), Pair("empty between streams", std::nullopt),
                          Pair("empty, of a stream", std::nullopt), Pair("joins", std::nullopt)));
  EXPECT_EQ(0U, lost);
}

TEST_F(Regions, ForeignWorkHasNoTime) {
  // A region of a stream with work elsewhere only has no time, and is counted.
  const Times times = captured([&] {
    work(s0, 50);
    forkAll();
    {
      GRAPHPROF_SCOPE(1, "elsewhere", on_stream(s0));
      work(s1, 300);
    }
    {
      GRAPHPROF_SCOPE(1, "own", on_stream(s1));
      work(s1, 200);
      work(s0, 100);
    }
    joinAll();
    work(s0, 50);
  });
  EXPECT_THAT(times, ElementsAre(Pair("elsewhere", std::nullopt), Pair("own", 200)));
  EXPECT_EQ(1U, lost);
}

// A region of which it is not known what it contains has no time, and is counted. Forks that are
// not seen.
TEST_F(Regions, UnknownContentHasNoTime) {
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const Times times = captured([&] {
    work(s0, 50);
    CUDA_OK(cudaEventRecord(fork, s0));
    CUDA_OK(cudaStreamWaitEvent(s1, fork, 0));
    {
      GRAPHPROF_SCOPE(1, "hidden", on_capture());
      work(s1, 300);
    }
    {
      GRAPHPROF_SCOPE(1, "seen", on_capture());
      work(s0, 200);
    }
    CUDA_OK(cudaEventRecord(join, s1));
    CUDA_OK(cudaStreamWaitEvent(s0, join, 0));
    work(s0, 50);
  });
  EXPECT_EQ(std::nullopt, times.at("hidden"));
  EXPECT_EQ(1U, lost);
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

// In a graph that is timed in place, a region without a stream has no time, and is counted. The
// graph cannot be copied, so it has only the timing nodes of its own stream.
TEST_F(Regions, StreamlessInPlaceHasNoTime) {
  const Times times = captured([&] {
    void *memory = nullptr;
    CUDA_OK(cuda::cudaMallocAsync(&memory, 64, s0));
    work(s0, 50);
    forkAll();
    {
      GRAPHPROF_SCOPE(1, "side", on_capture());
      work(s1, 300);
    }
    {
      GRAPHPROF_SCOPE(1, "short", on_capture());
      work(s0, 100);
      work(s1, 300);
    }
    {
      GRAPHPROF_SCOPE(1, "own", on_capture());
      work(s0, 70);
    }
    joinAll();
    {
      GRAPHPROF_SCOPE(1, "forks", on_capture());
      forkAll();
      work(s0, 100);
      work(s1, 200);
      joinAll();
    }
    work(s0, 50);
    CUDA_OK(cuda::cudaFreeAsync(memory, s0));
  });
  EXPECT_EQ(std::nullopt, times.at("side"));
  EXPECT_EQ(std::nullopt, times.at("short"));
  EXPECT_TRUE(times.at("own"));
  EXPECT_TRUE(times.at("forks"));
  EXPECT_EQ(2U, lost);
}

TEST_F(Regions, OtherThreadsWorkIsOutside) {
  // Another thread's work of another stream is not in a region of a stream.
  const Times times = captured([&] {
    work(s0, 50);
    forkAll();
    {
      GRAPHPROF_SCOPE(1, "here", on_stream(s0));
      work(s0, 100);
      std::thread([&] {
        GRAPHPROF_SCOPE(2, "there", on_stream(s1));
        work(s1, 300);
      }).join();
      work(s0, 100);
    }
    joinAll();
    work(s0, 50);
  });
  EXPECT_THAT(times, ElementsAre(Pair("here", 200), Pair("there", 300)));
}

// Regions without a stream last as long in a child graph and in a clone. In a child graph; the
// program's clone is timed by itself.
TEST_F(Regions, ChildAndCloneKeepTimes) {
  const cudaGraph_t child = capture(s0, [&] {
    work(s0, 10);
    forkAll();
    work(s1, 30);
    {
      GRAPHPROF_SCOPE(1, "side", on_capture());
      work(s1, 300);
      work(s2, 20);
    }
    joinAll();
    work(s0, 10);
  });
  cudaGraph_t around = nullptr, clone = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&around, 0));
  cudaGraphNode_t node = nullptr;
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&node, around, nullptr, 0, child));
  EXPECT_THAT(replayed(around), ElementsAre(Pair("side", 330)));
  CUDA_OK(cuda::cudaGraphClone(&clone, child));
  EXPECT_THAT(replayed(clone), ElementsAre(Pair("side", 330)));
  EXPECT_THAT(replayed(child), ElementsAre(Pair("side", 330)));
  for (const cudaGraph_t graph : {around, clone, child})
    CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(Regions, BuiltRegionSpansItsNodes) {
  // A graph that is built begins a region with the first of its nodes.
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = kernel(graph, 100, {});
  {
    GRAPHPROF_SCOPE(1, "both", on_capture());
    const cudaGraphNode_t late = kernel(graph, 50, {first});
    const cudaGraphNode_t early = kernel(graph, 20, {});
    kernel(graph, 10, {late, early});
  }
  EXPECT_THAT(replayed(graph), ElementsAre(Pair("both", 160)));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Layers that fork and join take equally long. What forks and joins in the same way takes as long
// each time.
TEST_F(Regions, LayersTakeEquallyLong) {
  const Times times = captured([&] {
    for (int layer = 0; layer < 4; ++layer) {
      {
        GRAPHPROF_SCOPE(1, "head {}", on_stream(s0), layer);
        work(s0, 1);
      }
      GRAPHPROF_SCOPE(4, "branches {}", on_capture(), layer);
      wait(s1, s0);
      {
        GRAPHPROF_SCOPE(2, "left {}", on_stream(s0), layer);
        work(s0, 4);
      }
      {
        GRAPHPROF_SCOPE(3, "right {}", on_stream(s1), layer);
        work(s1, 5);
      }
      wait(s0, s1);
    }
  });
  for (const auto &[name, us] : times)
    EXPECT_EQ(std::optional<double>(name.starts_with("head")   ? 1
                                    : name.starts_with("left") ? 4
                                                               : 5),
              us)
        << name;
  EXPECT_EQ(16U, times.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(std::vector({1, 4, 5})[i % 3], nodes[i]) << i;
}

// Layers of which only some branches are timed take equally long. Only the whole layers are
// regions, so no branch has a boundary of its own.
TEST_F(Regions, PartlyTimedLayersTakeEquallyLong) {
  const Times times = captured([&] {
    for (int layer = 0; layer < 4; ++layer) {
      {
        GRAPHPROF_SCOPE(1, "layer {}", on_stream(s0), layer);
        forkAll();
        work(s0, 4);
        work(s1, 3);
        {
          GRAPHPROF_SCOPE(2, "longest {}", on_stream(s2), layer);
          work(s2, 6);
        }
        joinAll();
      }
      work(s0, 1);
      GRAPHPROF_SCOPE(3, "next {}", on_stream(s0), layer);
      work(s0, 2);
    }
  });
  for (const auto &[name, us] : times)
    EXPECT_EQ(std::optional<double>(name.starts_with("next") ? 2 : 6), us) << name;
  EXPECT_EQ(12U, times.size());
}

// Layers that an empty node joins take equally long. Empty nodes take no time, so what is behind
// one is behind the branches that it joins.
TEST_F(Regions, EmptyJoinsTakeEquallyLong) {
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  int layer = 0;
  const auto add = [&](const char *name, unsigned us, const std::vector<cudaGraphNode_t> &behind) {
    GRAPHPROF_SCOPE(1, "{} {}", on_capture(), name, layer);
    return kernel(graph, us, behind);
  };
  cudaGraphNode_t before = kernel(graph, 1, {});
  for (; layer < 4; ++layer) {
    const cudaGraphNode_t left = add("left", 4, {before}), right = add("right", 5, {before});
    cudaGraphNode_t join = nullptr, alone = nullptr;
    const cudaGraphNode_t branches[] = {left, right};
    CUDA_OK(cuda::cudaGraphAddEmptyNode(&join, graph, branches, 2));
    const cudaGraphNode_t next = add("next", 1, {join});
    CUDA_OK(cuda::cudaGraphAddEmptyNode(&alone, graph, &next, 1));
    before = add("more", 2, {alone});
  }
  const Times times = replayed(graph);
  for (const auto &[name, us] : times)
    EXPECT_EQ(std::optional<double>(name.starts_with("left")    ? 4
                                    : name.starts_with("right") ? 5
                                    : name.starts_with("next")  ? 1
                                                                : 2),
              us)
        << name;
  EXPECT_EQ(16U, times.size());
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Of the calling thread, so that others on the machine do not count.
std::int64_t cpuNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}
// The lesser of two runs.
std::int64_t cpuNsOf(const std::function<void()> &work) {
  std::int64_t least = INT64_MAX;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t begin = cpuNs();
    work();
    least = std::min(least, cpuNs() - begin);
  }
  return least;
}

// The time to instantiate a dense graph grows with its edges. Each node waits for all before it,
// or for all of the layer before it. What grew with the cube of the nodes took hundreds of times
// as long as the driver does.
TEST_F(Regions, DenseGraphScalesWithEdges) {
  const CopiesUnwatched unwatched;
  constexpr std::size_t layers = 6;
  for (const std::size_t width : {std::size_t{1}, std::size_t{30}}) {
    const std::size_t count = width == 1 ? 200 : layers * width;
    cudaGraph_t graph = nullptr;
    CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
    char target = 0;
    cudaMemsetParams params{};
    params.dst = &target;
    params.elementSize = params.width = params.height = 1;
    std::vector<cudaGraphNode_t> made;
    {
      GRAPHPROF_SCOPE(1, "all", on_capture());
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t layer = i / width * width;
        const std::size_t first = width == 1 ? 0 : layer - std::min(layer, width);
        cudaGraphNode_t node = nullptr;
        CUDA_OK(cuda::cudaGraphAddMemsetNode(&node, graph, made.data() + first, layer - first,
                                             &params));
        made.push_back(node);
      }
    }
    const auto instantiated = [graph](bool timed) {
      cudaGraphExec_t exec = nullptr;
      CUDA_OK(timed ? cuda::cudaGraphInstantiate(&exec, graph, 0ULL)
                    : cudaGraphInstantiate(&exec, graph, 0ULL));
      CUDA_OK(timed ? cuda::cudaGraphExecDestroy(exec) : cudaGraphExecDestroy(exec));
    };
    const std::int64_t plain = cpuNsOf([&] { instantiated(false); });
    EXPECT_LT(cpuNsOf([&] { instantiated(true); }), 60 * plain) << count << " nodes";
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

// A body has only the timing nodes of its own stream.
class RegionsOfBodies : public Conditionals {};

TEST_F(RegionsOfBodies, SeveralStreamsHaveNoTime) {
  // Regions of bodies with work in several streams have no time, and are counted.
  TestStream main, side, branch;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(main, [&] {
    const Node node = addCaptured(main, cudaGraphCondTypeIf, 1, 1);
    captureInto(node.bodies.front(), side, [&] { // in another stream: this one is capturing
      shortWork(side);
      CUDA_OK(cudaEventRecord(fork, side));
      CUDA_OK(cuda::cudaStreamWaitEvent(branch, fork, 0));
      {
        GRAPHPROF_SCOPE(1, "own", on_capture());
        shortWork(side);
      }
      {
        GRAPHPROF_SCOPE(1, "side", on_capture());
        longWork(branch);
      }
      CUDA_OK(cudaEventRecord(join, branch));
      CUDA_OK(cuda::cudaStreamWaitEvent(side, join, 0));
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, main));
  EXPECT_TRUE(flush());
  const std::uint64_t before = losses().incomplete;
  Recorder recorder;
  CUDA_OK(cuda::cudaGraphLaunch(exec, main));
  if (!withEvents()) {
    const std::vector<Seen> seen = recorder.all();
    ASSERT_EQ(2U, seen.size());
    EXPECT_GT(seen[0].durationNs, 0);
    EXPECT_LT(seen[1].durationNs, 0);
    EXPECT_EQ(1U, losses().incomplete - before);
  }
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

} // namespace
} // namespace graphprof::test
