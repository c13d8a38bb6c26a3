// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Node mode (GRAPHPROF_NODES=1): every kernel, copy, memset and host function of every graph is
// timed, without an annotation, wherever the graph came from.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>

#include "support/Newer.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

// Before the library reads it.
[[maybe_unused]] const int nodeMode = setenv("GRAPHPROF_NODES", "1", 0);

using Nodes = std::vector<cudaGraphNode_t>;
using Names = std::vector<std::string>;

cudaKernelNodeParams running(void *kernel) {
  cudaKernelNodeParams params{};
  params.func = kernel;
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  return params;
}

cudaGraphNode_t add(cudaGraph_t graph, void *kernel, const Nodes &behind = {}) {
  const cudaKernelNodeParams params = running(kernel);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaSuccess,
            cuda::cudaGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &params));
  return node;
}

// What a test says of a record: kernels by the end of their names, in which compilers differ.
std::string shortName(const std::string &name) {
  for (const char *kernel : {"graphprofTestShortWork", "graphprofTestLongWork"})
    if (name.ends_with(kernel))
      return kernel + 13;
  return name;
}

class NodeMode : public testing::Test {
protected:
  ~NodeMode() override {
    for (const cudaGraphExec_t exec : execs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t graph : graphs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }
  cudaGraph_t captured(const std::function<void()> &work) {
    return graphs_.emplace_back(capture(stream_, work));
  }
  cudaGraph_t created() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphCreate(&graph, 0));
    return graphs_.emplace_back(graph);
  }
  cudaGraphExec_t exec(cudaGraph_t graph) { return execs_.emplace_back(instantiate(graph)); }
  // The first replay runs cold code.
  void warmUp(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_TRUE(flush());
  }
  // Of `exec`'s next replay.
  std::vector<Seen> replay(cudaGraphExec_t exec) {
    Recorder recorder;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    return recorder.all();
  }
  static Names names(const std::vector<Seen> &records) {
    Names names;
    for (const Seen &seen : records)
      names.push_back(std::string(2 * static_cast<std::size_t>(seen.depth), ' ') +
                      shortName(seen.name));
    return names;
  }
  static std::int64_t endOf(const Seen &seen) { return seen.beginNs + seen.durationNs; }

  TestStream stream_;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

TEST_F(NodeMode, PlainCapturesKernelsAreTimed) {
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    longWork(stream_);
    shortWork(stream_);
  });
  const cudaGraphExec_t runs = exec(graph);
  EXPECT_EQ(3u, nodeCount(graph)) << "the program's graph holds the program's nodes";
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "LongWork", "ShortWork"}), names(seen));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(Kind::Kernel, seen[i].kind);
    EXPECT_EQ(0, seen[i].depth);
    EXPECT_EQ(1u, seen[i].replay);
    EXPECT_FALSE(seen[i].cold);
    if (i > 0) {
      EXPECT_EQ(endOf(seen[i - 1]), seen[i].beginNs) << "neighbours share a boundary";
    }
    EXPECT_EQ(stampsAtBegins() && i < 2 ? Ends::NextBegin : Ends::Completion, seen[i].ends);
  }
  EXPECT_GT(seen[1].durationNs, 3 * seen[0].durationNs);
  EXPECT_GT(seen[1].durationNs, 3 * seen[2].durationNs);
}

// A node begins when the last of those that it waits for ends.
// short -> (long | short, short) -> long
TEST_F(NodeMode, NodeBeginsBehindItsDependencies) {
  TestStream other;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(forked, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(other, forked, 0));
    longWork(stream_);
    shortWork(other);
    shortWork(other);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(joined, other));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, joined, 0));
    longWork(stream_);
  });
  CUDA_OK(cudaEventDestroy(forked));
  CUDA_OK(cudaEventDestroy(joined));
  const cudaGraphExec_t runs = exec(graph);
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ(5u, seen.size());
  const Seen &fork = seen.front(), &join = seen.back();
  EXPECT_EQ("ShortWork", shortName(fork.name));
  EXPECT_EQ("LongWork", shortName(join.name));
  std::int64_t slowestEnd = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    const bool slow = shortName(seen[i].name) == "LongWork";
    if (slow)
      slowestEnd = endOf(seen[i]);
    EXPECT_EQ(slow, seen[i].durationNs > 3 * fork.durationNs)
        << "a branch does not wait for another";
    EXPECT_GE(seen[i].beginNs, endOf(fork));
  }
  std::size_t atNextBegin = 0;
  for (const Seen &node : seen)
    atNextBegin += node.ends == Ends::NextBegin;
  EXPECT_EQ(stampsAtBegins() ? 1U : 0U, atNextBegin) << "what alone is before one kernel";
  EXPECT_EQ(Ends::Completion, fork.ends);
  EXPECT_EQ(Ends::Completion, join.ends);
  EXPECT_LE(slowestEnd, join.beginNs);
  EXPECT_LT(join.beginNs - slowestEnd, fork.durationNs) << "not later than it takes to begin";
  EXPECT_GT(join.durationNs, 3 * fork.durationNs);
  EXPECT_LT(join.durationNs, 30 * fork.durationNs);
}

TEST_F(NodeMode, EmptyNodeTakesNoTime) {
  const cudaGraph_t graph = created();
  const cudaGraphNode_t first = add(graph, shortKernel()), second = add(graph, longKernel());
  const cudaGraphNode_t both[] = {first, second};
  cudaGraphNode_t empty = nullptr;
  CUDA_OK(cuda::cudaGraphAddEmptyNode(&empty, graph, both, 2));
  add(graph, shortKernel(), {empty});
  const cudaGraphExec_t runs = exec(graph);
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "LongWork", "ShortWork"}), names(seen));
  EXPECT_EQ(endOf(seen[1]), seen[2].beginNs);
}

TEST_F(NodeMode, NodesHaveKinetosNames) {
  // Copies, memsets and host functions have the names of Kineto.

  // So many that each takes longer than stamps may be late on a GPU.
  constexpr std::size_t bytes = std::size_t{16} * 1024 * 1024;
  unsigned char *device = nullptr, *pinned = nullptr;
  CUDA_OK(cudaMalloc(&device, 2 * bytes));
  CUDA_OK(cudaMallocHost(&pinned, bytes));
  int calls = 0;
  const cudaGraph_t graph = captured([&] {
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(device, 1, bytes / 2, stream_));
    EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream_));
    EXPECT_EQ(cudaSuccess,
              cudaMemcpyAsync(device + bytes, device, bytes, cudaMemcpyDeviceToDevice, stream_));
    EXPECT_EQ(cudaSuccess,
              cudaMemcpyAsync(pinned, device, bytes / 4, cudaMemcpyDeviceToHost, stream_));
    EXPECT_EQ(cudaSuccess, cudaLaunchHostFunc(
                               stream_, [](void *count) { ++*static_cast<int *>(count); }, &calls));
  });
  const std::vector<Seen> seen = replay(exec(graph));
  EXPECT_EQ(
      (Names{"Memset (Device)", "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoD (Device -> Device)",
             "Memcpy DtoH (Device -> Pinned)", "host function"}),
      names(seen));
  ASSERT_EQ(5u, seen.size());
  const Kind kinds[] = {Kind::Memset, Kind::Memcpy, Kind::Memcpy, Kind::Memcpy, Kind::Host};
  const std::uint64_t sizes[] = {bytes / 2, bytes, bytes, bytes / 4};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(kinds[i], seen[i].kind);
    EXPECT_GE(seen[i].durationNs, 0) << seen[i].name;
    if (i < 4) {
      ASSERT_EQ(1u, seen[i].context.size());
      EXPECT_EQ("bytes", seen[i].context[0].key());
      EXPECT_EQ(sizes[i], seen[i].context[0].as_unsigned());
    }
  }
  EXPECT_EQ(1, calls) << "the profiled exec does what the program's would";
  CUDA_OK(cudaFree(device));
  CUDA_OK(cudaFreeHost(pinned));
}

TEST_F(NodeMode, NodesStandInTheirRegions) {
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    {
      GRAPHPROF_SCOPE(1, "layer", on_stream(stream_));
      shortWork(stream_);
      {
        GRAPHPROF_SCOPE(2, "attention", on_stream(stream_));
        longWork(stream_);
        shortWork(stream_);
      }
      {
        GRAPHPROF_SCOPE(3, "nothing", on_stream(stream_));
      }
      shortWork(stream_);
    }
    longWork(stream_);
  });
  EXPECT_EQ(6u, nodeCount(graph));
  const cudaGraphExec_t runs = exec(graph);
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "layer", "  ShortWork", "  attention", "    LongWork",
                   "    ShortWork", "  nothing", "  ShortWork", "LongWork"}),
            names(seen));
  EXPECT_EQ(Kind::Region, seen[1].kind);
  EXPECT_EQ(Kind::Kernel, seen[2].kind);
  EXPECT_EQ(seen[3].beginNs, seen[4].beginNs) << "a region begins where its first node does";
  EXPECT_EQ(endOf(seen[3]), endOf(seen[5]));
  EXPECT_EQ(endOf(seen[1]), endOf(seen[7]));
  EXPECT_EQ(seen[3].durationNs, seen[4].durationNs + seen[5].durationNs);
}

// Regions on two branches that run beside each other.
TEST_F(NodeMode, BranchIsOfOwnRegion) {
  TestStream other;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(forked, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(other, forked, 0));
    {
      GRAPHPROF_SCOPE(1, "slow", on_stream(stream_));
      longWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(2, "quick", on_stream(other));
      shortWork(other);
      shortWork(other);
    }
    EXPECT_EQ(cudaSuccess, cudaEventRecord(joined, other));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, joined, 0));
    shortWork(stream_);
  });
  CUDA_OK(cudaEventDestroy(forked));
  CUDA_OK(cudaEventDestroy(joined));
  EXPECT_EQ((Names{"ShortWork", "slow", "  LongWork", "quick", "  ShortWork", "  ShortWork",
                   "ShortWork"}),
            names(replay(exec(graph))));
}

// Streams that take part in a capture of `main`.
class Branches {
public:
  explicit Branches(cudaStream_t main) : main(main) {}
  ~Branches() {
    for (const cudaEvent_t event : events_)
      EXPECT_EQ(cudaSuccess, cudaEventDestroy(event));
  }
  // `stream` goes on behind what is in `other` by now.
  void wait(cudaStream_t stream, cudaStream_t other) {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaSuccess, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    events_.push_back(event);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(event, other));
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamWaitEvent(stream, event));
  }
  cudaStream_t main;
  TestStream first, second;

private:
  std::vector<cudaEvent_t> events_;
};

// What a region waits for is not in it. What a region's stream waited for comes before its end, as
// its own nodes do.
TEST_F(NodeMode, AwaitedNodesStandOutside) {
  Branches on(stream_);
  const cudaGraph_t graph = captured([&] {
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream_));
    on.wait(on.first, stream_);
    {
      GRAPHPROF_SCOPE(2, "up 0", on_stream(stream_));
      longWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(3, "v 1", on_stream(on.first));
      on.wait(on.first, stream_);
      shortWork(on.first);
    }
    on.wait(stream_, on.first);
  });
  EXPECT_EQ((Names{"outer", "  up 0", "    LongWork", "  v 1", "    ShortWork"}),
            names(replay(exec(graph))));
}

// What another stream adds, and is joined in a region, is in it. It was added while the region was
// open, and the region's stream waits for it.
TEST_F(NodeMode, JoinedNodesStandInside) {
  Branches on(stream_);
  const cudaGraph_t graph = captured([&] {
    on.wait(on.first, stream_);
    {
      GRAPHPROF_SCOPE(1, "side", on_stream(on.first));
      shortWork(on.first);
      longWork(stream_);
      on.wait(on.first, stream_);
      shortWork(on.first);
    }
    on.wait(stream_, on.first);
  });
  const Names seen = names(replay(exec(graph)));
  EXPECT_EQ((std::multiset<std::string>{"side", "  LongWork", "  ShortWork", "  ShortWork"}),
            std::multiset<std::string>(seen.begin(), seen.end()));
}

TEST_F(NodeMode, ForkedNodesStandInside) {
  // What a region forks and joins is in it.
  Branches on(stream_);
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    for (int i = 0; i < 2; ++i) { // the second time, the branches have been there
      GRAPHPROF_SCOPE(1, "layer {}", on_stream(stream_), i);
      on.wait(on.first, stream_);
      on.wait(on.second, on.first); // a fork of a fork
      {
        GRAPHPROF_SCOPE(2, "inner", on_stream(on.second));
        longWork(on.second);
      }
      shortWork(on.second);
      on.wait(on.first, on.second);
      on.wait(stream_, on.first);
    }
    shortWork(stream_);
  });
  EXPECT_EQ((Names{"ShortWork", "layer 0", "  inner", "    LongWork", "  ShortWork", "layer 1",
                   "  inner", "    LongWork", "  ShortWork", "ShortWork"}),
            names(replay(exec(graph))));
}

TEST_F(NodeMode, ForeignJoinTakesNothingAlong) {
  // A join into a third stream takes nothing along.
  Branches on(stream_);
  const cudaGraph_t graph = captured([&] {
    on.wait(on.first, stream_);
    on.wait(on.second, stream_);
    {
      GRAPHPROF_SCOPE(1, "first", on_stream(on.first));
      shortWork(on.first);
    }
    longWork(on.first); // behind the region
    {
      GRAPHPROF_SCOPE(2, "second", on_stream(on.second));
      on.wait(on.second, on.first);
      shortWork(on.second);
    }
    on.wait(stream_, on.second);
  });
  EXPECT_EQ((Names{"first", "  ShortWork", "LongWork", "second", "  ShortWork"}),
            names(replay(exec(graph))));
}

TEST_F(NodeMode, RegionHoldsOnlyItsForks) {
  // A region that ends behind a join holds only what it forked.
  Branches on(stream_);
  const cudaGraph_t graph = captured([&] {
    on.wait(on.first, stream_);
    longWork(on.first); // forked before the region
    {
      GRAPHPROF_SCOPE(1, "joins", on_stream(stream_));
      on.wait(on.second, stream_);
      shortWork(on.second);
      on.wait(stream_, on.first);
      on.wait(stream_, on.second);
    }
    shortWork(stream_);
  });
  const std::vector<Seen> seen = replay(exec(graph));
  const Names all = names(seen);
  EXPECT_EQ((std::multiset<std::string>{"LongWork", "joins", "  ShortWork", "ShortWork"}),
            std::multiset<std::string>(all.begin(), all.end()));
}

TEST_F(NodeMode, BuiltNodesStandInTheirRegions) {
  // A built graph's nodes are of the regions in which they were added.
  const cudaGraph_t graph = created();
  Nodes last = {add(graph, shortKernel())};
  {
    GRAPHPROF_SCOPE(1, "outer", on_capture());
    last = {add(graph, longKernel(), last)};
    {
      GRAPHPROF_SCOPE(2, "inner", on_capture());
      last = {add(graph, shortKernel(), last)};
    }
  }
  add(graph, longKernel(), last);
  const cudaGraphExec_t runs = exec(graph);
  EXPECT_EQ(4u, nodeCount(graph));
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "outer", "  LongWork", "  inner", "    ShortWork", "LongWork"}),
            names(seen));
  EXPECT_EQ(seen[3].durationNs, seen[4].durationNs);
  EXPECT_GT(seen[2].durationNs, 3 * seen[0].durationNs);
}

TEST_F(NodeMode, PlainBuiltGraphIsTimed) {
  // An unannotated graph that is built is timed.
  const cudaGraph_t graph = created();
  add(graph, longKernel(), {add(graph, shortKernel())});
  EXPECT_EQ((Names{"ShortWork", "LongWork"}), names(replay(exec(graph))));
}

TEST_F(NodeMode, ForeignGraphIsTimed) {
  // A graph that other code made is timed.
  cudaGraph_t graph = nullptr;
  CUDA_OK(::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  shortWork(stream_);
  longWork(stream_);
  CUDA_OK(::cudaStreamEndCapture(stream_, &graph));
  graphs_.push_back(graph);
  EXPECT_EQ((Names{"ShortWork", "LongWork"}), names(replay(exec(graph))));
  EXPECT_EQ(2u, nodeCount(graph));
}

TEST_F(NodeMode, NodesBeforeFirstMarkAreTimed) {
  // What a capture held before its first mark is timed too.
  cudaGraph_t graph = nullptr;
  CUDA_OK(::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal)); // by other code
  shortWork(stream_);
  longWork(stream_);
  {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    shortWork(stream_);
  }
  CUDA_OK(cuda::cudaStreamEndCapture(stream_, &graph));
  graphs_.push_back(graph);
  EXPECT_EQ(3u, nodeCount(graph));
  const std::vector<Seen> seen = replay(exec(graph));
  ASSERT_EQ((Names{"ShortWork", "LongWork", "region", "  ShortWork"}), names(seen));
  for (const Seen &each : seen)
    EXPECT_GT(each.durationNs, 0) << each.name;
}

TEST_F(NodeMode, UpdateTellsWhatRunsNow) {
  const cudaGraph_t first = captured([&] {
    shortWork(stream_);
    shortWork(stream_);
  });
  const cudaGraph_t second = captured([&] {
    shortWork(stream_);
    longWork(stream_);
  });
  const cudaGraphExec_t runs = exec(first);
  EXPECT_EQ((Names{"ShortWork", "ShortWork"}), names(replay(runs)));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(runs, second, &info));
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "LongWork"}), names(seen));
  EXPECT_GT(seen[1].durationNs, 3 * seen[0].durationNs);
}

TEST_F(NodeMode, ChangedNodeHasNewName) {
  // A node of an exec has the name of its new kernel.
  const cudaGraph_t graph = created(), other = created();
  const cudaGraphNode_t node = add(graph, shortKernel());
  add(graph, shortKernel(), {node});
  add(other, longKernel(), {add(other, longKernel())});
  const cudaGraphExec_t runs = exec(graph);
  EXPECT_EQ((Names{"ShortWork", "ShortWork"}), names(replay(runs)));
  cudaKernelNodeParams params = running(longKernel());
  CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(runs, node, &params));
  EXPECT_EQ((Names{"LongWork", "ShortWork"}), names(replay(runs)));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(runs, other, &info));
  EXPECT_EQ((Names{"LongWork", "LongWork"}), names(replay(runs)));
  cudaGraphNodeParams whole{};
  whole.type = cudaGraphNodeTypeKernel;
  whole.kernel.func = shortKernel();
  whole.kernel.gridDim = whole.kernel.blockDim = dim3(1);
  CUDA_OK(cuda::cudaGraphExecNodeSetParams(runs, node, &whole));
  EXPECT_EQ((Names{"ShortWork", "LongWork"}), names(replay(runs)));
}

TEST_F(NodeMode, ChangedCopyHasNoSize) {
  // Of an exec's changed copy, it is not said how much it moves.
  unsigned char *device = nullptr;
  CUDA_OK(cudaMalloc(&device, 64));
  const cudaGraph_t graph = created();
  cudaMemsetParams params{};
  params.dst = device;
  params.elementSize = params.height = 1;
  params.width = 64;
  cudaGraphNode_t node = nullptr;
  CUDA_OK(cuda::cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params));
  const cudaGraphExec_t runs = exec(graph);
  std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"Memset (Device)"}), names(seen));
  EXPECT_EQ(1u, seen[0].context.size());
  params.width = 32;
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(runs, node, &params));
  seen = replay(runs);
  ASSERT_EQ((Names{"Memset (Device)"}), names(seen));
  EXPECT_EQ(0u, seen[0].context.size());
  CUDA_OK(cudaFree(device));
}

TEST_F(NodeMode, EditedNodeHasNewName) {
  // A node that was changed after the capture has its new name.
  const cudaGraph_t graph = captured([&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    shortWork(stream_);
  });
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  CUDA_OK(cudaGraphGetNodes(graph, &node, &count));
  const cudaKernelNodeParams params = running(longKernel());
  CUDA_OK(cuda::cudaGraphKernelNodeSetParams(node, &params));
  EXPECT_EQ((Names{"region", "  LongWork"}), names(replay(exec(graph))));
}

TEST_F(NodeMode, ClonesNodesAreTimed) {
  const cudaGraph_t graph = captured([&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    shortWork(stream_);
  });
  const cudaGraph_t bare = captured([&] { longWork(stream_); });
  cudaGraph_t clone = nullptr, bareClone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, graph));
  CUDA_OK(cuda::cudaGraphClone(&bareClone, bare));
  graphs_.insert(graphs_.end(), {clone, bareClone});
  EXPECT_EQ((Names{"region", "  ShortWork"}), names(replay(exec(clone))));
  EXPECT_EQ((Names{"LongWork"}), names(replay(exec(bareClone))));
}

TEST_F(NodeMode, LateNodeIsTimed) {
  // What was added after the capture is timed.
  const cudaGraph_t graph = captured([&] { shortWork(stream_); });
  add(graph, longKernel());
  EXPECT_EQ((Names{"ShortWork", "LongWork"}), names(replay(exec(graph))));
}

TEST_F(NodeMode, LateNodeIsInNoRegion) {
  // What was added to a graph with regions is in none.
  const Losses before = losses();
  const cudaGraph_t graph = captured([&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    shortWork(stream_);
  });
  add(graph, longKernel());
  EXPECT_EQ((Names{"region", "  ShortWork", "LongWork"}), names(replay(exec(graph))));
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

TEST_F(NodeMode, ChildGraphIsTimedAsWhole) {
  const cudaGraph_t child = captured([&] {
    shortWork(stream_);
    longWork(stream_);
  });
  const cudaGraph_t parent = created();
  const cudaGraphNode_t first = add(parent, shortKernel());
  cudaGraphNode_t node = nullptr;
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&node, parent, &first, 1, child));
  const cudaGraphExec_t runs = exec(parent);
  warmUp(runs);
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ((Names{"ShortWork", "graph"}), names(seen));
  EXPECT_EQ(Kind::Graph, seen[1].kind);
  EXPECT_GT(seen[1].durationNs, 3 * seen[0].durationNs);
}

TEST_F(NodeMode, MemoryNodesAreNotTimed) {
  // A graph with memory nodes is not timed, and is counted.
  const Losses before = losses();
  void *memory = nullptr;
  const auto allocating = [&](bool withRegion) {
    return captured([&] {
      EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 64, stream_));
      if (withRegion) {
        GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
        shortWork(stream_);
      } else {
        shortWork(stream_);
      }
      EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
    });
  };
  EXPECT_EQ(Names{}, names(replay(exec(allocating(false)))));
  EXPECT_EQ(before.not_instantiated + 1, losses().not_instantiated);
  EXPECT_EQ((Names{"region"}), names(replay(exec(allocating(true)))));
  EXPECT_EQ(before.beyond_limit + 1, losses().beyond_limit) << "the kernel in it";
  EXPECT_EQ(before.not_instantiated + 1, losses().not_instantiated);
}

TEST_F(NodeMode, EmptyGraphIsNoLoss) {
  const Losses before = losses();
  EXPECT_EQ(Names{}, names(replay(exec(created()))));
  EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
}

TEST_F(NodeMode, UnfinishedRegionHoldsLaterNodes) {
  // An unfinished region holds what came after it began.
  std::unique_ptr<Scope> scope;
  static const Site site{"open", __FILE__, __LINE__, "test"};
  const cudaGraph_t graph = captured([&] {
    shortWork(stream_);
    scope = std::make_unique<Scope>(site, on_stream(stream_));
    longWork(stream_);
  });
  const std::vector<Seen> seen = replay(exec(graph));
  scope.reset();
  EXPECT_EQ((Names{"ShortWork", "open", "  LongWork"}), names(seen));
  ASSERT_EQ(3u, seen.size());
  EXPECT_LT(seen[1].durationNs, 0);
  EXPECT_GE(seen[2].durationNs, 0);
}

TEST_F(NodeMode, RecordsHaveTheDriversIds) {
  auto *const idOf = newer<int(cudaGraphNode_t, unsigned *)>("cuGraphNodeGetLocalId");
  const cudaGraph_t graph = created();
  const cudaGraphNode_t first = add(graph, shortKernel());
  const cudaGraphNode_t second = add(graph, shortKernel(), {first});
  const cudaGraphExec_t launched = exec(graph);
  std::vector<std::int64_t> seen;
  {
    Profiler profiler([&](const Record &record) { seen.push_back(record.cuda_node); });
    CUDA_OK(cuda::cudaGraphLaunch(launched, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
    EXPECT_TRUE(flush());
  }
  std::vector<std::int64_t> ids;
  for (const cudaGraphNode_t node : {first, second}) {
    unsigned id = 0;
    EXPECT_EQ(0, idOf ? idOf(node, &id) : 0);
    ids.push_back(idOf ? std::int64_t{id} : -1);
  }
  EXPECT_EQ(ids, seen);
}

} // namespace
} // namespace graphprof::test
