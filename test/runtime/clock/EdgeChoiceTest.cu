// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a boundary's timing node hangs on, by what the graph around it is: graph/timing/Edges.h.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "clock/Devices.h"
#include "clock/StampClock.h"
#include "clock/StampLayout.h"
#include "graph/timing/Boundaries.h"
#include "graph/timing/Edges.h"
#include "graph/timing/Rebuild.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using enum StampEdge;
using Kinds = std::vector<StampEdge>;

class ChosenEdges : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph_, 0));
  }
  void TearDown() override { EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph_)); }

  cudaGraphNode_t kernel(const Nodes &behind, unsigned blocks = 8, unsigned threads = 128) {
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(threads);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cudaGraphAddKernelNode(&node, graph_, behind.data(), behind.size(), &params));
    return node;
  }
  cudaGraphNode_t memset(const Nodes &behind) {
    static char target;
    cudaMemsetParams params{};
    params.dst = &target;
    params.elementSize = params.width = params.height = 1;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cudaGraphAddMemsetNode(&node, graph_, behind.data(), behind.size(), &params));
    return node;
  }
  cudaGraphNode_t event(const Nodes &behind) {
    cudaEvent_t recorded = nullptr;
    EXPECT_EQ(cudaSuccess, cudaEventCreate(&recorded));
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cudaGraphAddEventRecordNode(&node, graph_, behind.data(), behind.size(), recorded));
    return node;
  }
  cudaGraphNode_t eventWait(const Nodes &behind) {
    cudaEvent_t waited = nullptr;
    EXPECT_EQ(cudaSuccess, cudaEventCreate(&waited));
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cudaGraphAddEventWaitNode(&node, graph_, behind.data(), behind.size(), waited));
    return node;
  }
  cudaGraphNode_t programmatic(cudaGraphNode_t before) {
    const cudaGraphNode_t node = kernel({});
    const cudaGraphEdgeData data = {
        cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};
    EXPECT_EQ(cudaSuccess, cudaGraphAddDependencies(graph_, &before, &node, &data, 1));
    return node;
  }

  // Of the root, and of boundaries behind each of `frontiers`, in their order.
  TimingEdges chosen(const std::vector<Nodes> &frontiers, EdgeSupport support = everything,
                     OwnEnds ends = OwnEnds::None) {
    const Shape shape(graph_);
    Boundaries boundaries(shape);
    for (const Nodes &behind : frontiers)
      boundaries.want(frontier(behind));
    return chooseEdges(shape, boundaries.number(), support, *devices_.current(), ends);
  }
  Kinds kinds(const std::vector<Nodes> &frontiers, EdgeSupport support = everything) {
    Kinds kinds;
    for (const BoundaryEdge &boundary : chosen(frontiers, support).boundaries)
      kinds.push_back(boundary.edge);
    return kinds;
  }
  // The places of the nodes that wait for timing nodes once the graph is rebuilt with a boundary
  // behind each of its nodes.
  std::vector<std::size_t> waitingInRebuilt() {
    StampClock clock(devices_, 0);
    EXPECT_TRUE(clock.prepare());
    const Shape shape(graph_);
    Boundaries boundaries(shape);
    for (const driver::Node node : shape.created())
      boundaries.want({node});
    const auto &numbered = boundaries.number();
    const TimingEdges edges = chooseEdges(shape, numbered, everything, *devices_.current());
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
    const Rebuild::Children children;
    const Rebuild::KernelTwins twins;
    Rebuild rebuild(clock, *devices_.current(), shape, numbered, edges, children, twins, graph);
    EXPECT_TRUE(rebuild.run());
    std::vector<std::size_t> waiting;
    for (std::size_t place = 0; place < rebuild.twins().size(); ++place) {
      std::size_t count = 0;
      EXPECT_EQ(cudaSuccess,
                cudaGraphNodeGetDependencies(rebuild.twins()[place], nullptr, nullptr, &count));
      Nodes before(count);
      std::vector<cudaGraphEdgeData> data(count);
      EXPECT_EQ(cudaSuccess, cudaGraphNodeGetDependencies(rebuild.twins()[place], before.data(),
                                                          data.data(), &count));
      if (std::ranges::any_of(before, [&](driver::Node node) {
            return node == rebuild.root() || std::ranges::count(rebuild.timing(), node) > 0;
          }))
        waiting.push_back(place);
    }
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
    return waiting;
  }
  unsigned multiprocessors() {
    return static_cast<unsigned>(devices_.current()->properties().numSms);
  }

  static constexpr EdgeSupport everything{true, true, true, {}};
  Devices devices_;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(ChosenEdges, LoneFollowerTellsItsBegin) {
  // A kernel that alone follows tells its begin.
  const auto first = kernel({}), second = kernel({first}), third = kernel({second});
  const auto edges = chosen({{first}, {second}, {third}}).boundaries;
  EXPECT_EQ(LaunchCompletion, edges[0].edge);
  EXPECT_EQ(0U, edges[0].at);
  EXPECT_EQ(LaunchCompletion, edges[1].edge);
  EXPECT_EQ(1U, edges[1].at) << "the kernel behind the boundary";
  EXPECT_EQ(LaunchCompletion, edges[2].edge);
  EXPECT_EQ(SharedWithBegin, edges[3].edge) << "nothing follows";
  EXPECT_EQ(2U, edges[3].at) << "the kernel before the boundary";
}

TEST_F(ChosenEdges, EndSharesLastKernelsNode) {
  // The end is read where the last kernel's begin is.
  const auto only = kernel({});
  EXPECT_EQ((Kinds{LaunchCompletion, SharedWithBegin}), kinds({{only}}));
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}),
            kinds({{only}}, EdgeSupport{true, true, false, {}}))
      << "a device without such a node";
  const auto next = kernel({only});
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}), kinds({{next}}))
      << "nothing hangs on the begin of the last kernel";
}

TEST_F(ChosenEdges, SharedEndIsNoKernels) {
  // An end of several is no kernel's own.
  const auto first = kernel({}), left = kernel({first}), right = kernel({first});
  EXPECT_EQ((Kinds{LaunchCompletion, Completion, Completion}), kinds({{first}, {left, right}}));
}

TEST_F(ChosenEdges, UnsupportedDeviceWaitsForCompletion) {
  // Without support, everything waits for completion.
  const auto first = kernel({}), second = kernel({first});
  EXPECT_EQ((Kinds{Completion, Completion, Completion}), kinds({{first}, {second}}, {}));
}

TEST_F(ChosenEdges, ForkWaitsForCompletion) {
  const auto first = kernel({});
  kernel({first});
  kernel({first});
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}), kinds({{first}}));
}

TEST_F(ChosenEdges, JoinWaitsForCompletion) {
  const auto first = kernel({}), left = kernel({first}), right = kernel({first});
  kernel({left, right});
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}), kinds({{left, right}}));
  EXPECT_EQ((Kinds{LaunchCompletion, Completion, Completion}),
            kinds({{left}, {right}, {left, right}}))
      << "where both have their own, it is the later of them";
}

TEST_F(ChosenEdges, BeginUnknownBehindNonKernel) {
  // Behind what is no kernel, nothing tells its begin until the next boundary.
  const auto first = kernel({}), fill = memset({first}), second = kernel({fill});
  kernel({second});
  EXPECT_EQ((Kinds{LaunchCompletion, SharedWithBegin, Completion, LaunchCompletion}),
            kinds({{first}, {fill}, {second}}));
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}), kinds({{second}}))
      << "the root's stamp is in an earlier piece of the graph";
}

TEST_F(ChosenEdges, SeveralBeginningsAreRoots) {
  const auto first = kernel({});
  kernel({});
  EXPECT_EQ((Kinds{Completion, Completion}), kinds({{first}}));
}

TEST_F(ChosenEdges, FullGridTellsNoBegin) {
  constexpr unsigned threads = 1024;
  const auto first = kernel({});
  const auto nearlyFull = kernel({first}, 2 * multiprocessors() - 1, threads);
  const auto full = kernel({nearlyFull}, 2 * multiprocessors(), threads);
  kernel({full}, 1000 * multiprocessors(), threads);
  EXPECT_EQ((Kinds{LaunchCompletion, SharedWithBegin, WaitsBeside, Completion}),
            kinds({{first}, {nearlyFull}, {full}}))
      << "the nearly full one leaves room, but no time";
  EXPECT_EQ((Kinds{LaunchCompletion, Completion, Completion, Completion}),
            kinds({{first}, {nearlyFull}, {full}}, EdgeSupport{true, true, false, {}}))
      << "a device without such nodes";
}

TEST_F(ChosenEdges, KernelWithoutTimeTellsNoBegin) {
  // With more than 20 warps on each multiprocessor a younger block may have to wait.
  const auto first = kernel({}), idle = kernel({first}, multiprocessors() - 1, 1024),
             calm = kernel({idle}, 5 * multiprocessors()),
             busy = kernel({calm}, 6 * multiprocessors());
  kernel({busy});
  EXPECT_EQ((Kinds{LaunchCompletion, LaunchCompletion, LaunchCompletion, SharedWithBegin,
                   LaunchCompletion}),
            kinds({{first}, {idle}, {calm}, {busy}}));
}

TEST_F(ChosenEdges, NothingStaysBesideBranches) {
  // A kernel of another branch may need the room, and this one may wait for it.
  const auto first = kernel({}), left = kernel({first}), right = kernel({first}),
             full = kernel({left}, 1000 * multiprocessors(), 1024);
  kernel({full, right});
  EXPECT_EQ((Kinds{LaunchCompletion, Completion}), kinds({{left}}));
}

TEST_F(ChosenEdges, OwnEndsAreReadWhereBeginIsKnown) {
  const auto first = kernel({}), busy = kernel({first}, 6 * multiprocessors()),
             full = kernel({busy}, 1000 * multiprocessors(), 1024), last = kernel({full});
  const std::vector<Nodes> all = {{first}, {busy}, {full}, {last}};
  EXPECT_EQ(
      (Kinds{LaunchCompletion, SharedWithBegin, WaitsBeside, LaunchCompletion, SharedWithBegin}),
      kinds(all));
  EXPECT_EQ(LaunchCompletion, chosen(all, everything, OwnEnds::SecondHalf).boundaries[3].edge);
  EXPECT_EQ(Completion, chosen(all, everything, OwnEnds::FirstHalf).boundaries[3].edge)
      << "of the kernel that leaves no room";
}

TEST_F(ChosenEdges, SmallBlocksMayCrowdOutStamp) {
  // Small blocks may leave room for more of them, but not for a stamp.
  const auto first = kernel({});
  const auto roomy = kernel({first}, 14 * multiprocessors());
  const auto crowded = kernel({roomy}, 15 * multiprocessors());
  EXPECT_EQ(WaitsBeside, chosen({{roomy}}).boundaries[1].edge);
  const auto nearly = kernel({crowded}, 15 * multiprocessors() - 1);
  EXPECT_EQ(Completion, chosen({{crowded}}).boundaries[1].edge)
      << "128 threads are left on each multiprocessor";
  kernel({nearly}, 15 * multiprocessors());
  EXPECT_EQ(WaitsBeside, chosen({{nearly}}).boundaries[1].edge) << "or 256 on one";
}

TEST_F(ChosenEdges, StampWaitsBehindEarlyFollower) {
  // Behind a kernel whose follower begins early, a stamp waits on the device.
  const auto first = kernel({}), second = programmatic(first), third = kernel({second});
  const auto edges = chosen({{first}, {second}, {third}}).boundaries;
  EXPECT_EQ(Completion, edges[0].edge) << "the first kernel's own edge is programmatic";
  EXPECT_EQ(Programmatic, edges[1].edge);
  EXPECT_EQ(0U, edges[1].at) << "the kernel before the boundary";
  EXPECT_EQ(LaunchCompletion, edges[2].edge) << "the third has no such edge";
}

TEST_F(ChosenEdges, EarlyFollowerWithoutSupportCompletes) {
  // Where a stamp cannot wait on the device, it waits for completion, and never for the launch.
  const auto first = kernel({}), second = programmatic(first);
  EXPECT_EQ((Kinds{Completion, Completion, Completion}),
            kinds({{first}, {second}}, EdgeSupport{true, false, false, {}}))
      << "what begins the replay has such an edge too";
}

TEST_F(ChosenEdges, EventNodesAreLookedThrough) {
  // Event nodes are looked through, and what follows waits.
  const auto first = kernel({}), record = event({first}), second = kernel({record});
  const TimingEdges edges = chosen({{first}, {second}, {record}});
  EXPECT_TRUE(edges.isJoined);
  ASSERT_EQ(3U, edges.boundaries.size()) << "behind the event node is behind the first kernel";
  EXPECT_EQ(LaunchCompletion, edges.boundaries[1].edge);
  EXPECT_EQ(2U, edges.boundaries[1].at);
  const auto wait = eventWait({second});
  kernel({wait});
  const TimingEdges behindWait = chosen({{wait}});
  EXPECT_EQ(LaunchCompletion, behindWait.boundaries[1].edge);
  EXPECT_EQ(4U, behindWait.boundaries[1].at);
}

// Between event nodes, the next kernel joins a stamp, and no other node does. Only kernels wait
// for stamps, and only those that could not start without room for the stamp
// (graph/timing/Joins.h).
TEST_F(ChosenEdges, KernelJoinsStampBetweenEvents) {
  const auto first = kernel({}), second = kernel({first}), fill = memset({second}),
             record = event({fill}), third = kernel({record});
  const TimingEdges edges = chosen({{first}, {second}, {fill}, {third}});
  EXPECT_TRUE(edges.isJoined);
  // Those at the begin and at the end of the third are behind all others.
  const std::vector<std::size_t> joinedBy = {1, 4, 4, Join::nobody, Join::nobody};
  for (std::size_t boundary = 0; boundary < joinedBy.size(); ++boundary)
    EXPECT_EQ(joinedBy[boundary], edges.joins[boundary].by) << boundary;
  EXPECT_TRUE(edges.behindRoot.empty());
}

TEST_F(ChosenEdges, OversizedStampIsNotJoined) {
  // A kernel joins no stamp that needs more than its own blocks.
  const auto first = kernel({}), fill = memset({first}), narrow = kernel({fill}, 8, 64),
             again = memset({narrow}), wide = kernel({again}, 8, 512);
  event({wide});
  const TimingEdges edges = chosen({{first}, {narrow}});
  EXPECT_EQ(2U, edges.joins[1].by);
  EXPECT_EQ(64U, edges.joins[1].threads) << "as many as a block of the kernel that waits";
  EXPECT_EQ(4U, edges.joins[2].by);
  EXPECT_EQ(stampThreads, edges.joins[2].threads);
  EXPECT_EQ(2U, edges.joins[0].by) << "a stamp at a begin is joined by any kernel";
  EXPECT_EQ(stampThreads, edges.joins[0].threads);
}

TEST_F(ChosenEdges, BranchBesideEventsJoinsNothing) {
  // Beside another branch and event nodes, nothing joins a stamp.
  const auto first = kernel({}), left = kernel({first}), right = kernel({first}),
             record = event({left}), last = kernel({record, right});
  const TimingEdges edges = chosen({{first}, {left}, {right}, {last}});
  EXPECT_FALSE(edges.isJoined);
  for (const Join &join : edges.joins)
    EXPECT_EQ(Join::nobody, join.by);
  EXPECT_FALSE(isTrueIn(Shape(graph_), everything));
  EXPECT_TRUE(isTrueIn(Shape(graph_), {})) << "the user asked for stamps at completion";
}

TEST_F(ChosenEdges, EventNodeBranchIsNone) {
  const auto first = kernel({}), record = event({first}), second = kernel({first});
  event({second, record});
  EXPECT_TRUE(isTrueIn(Shape(graph_), everything));
}

TEST_F(ChosenEdges, RootHoldsUpFirstKernels) {
  // The root holds up the kernels with which a graph begins and nothing else.
  kernel({}, 8, 512);
  const auto copied = memset({});
  kernel({copied});
  kernel({}, 8, 96);
  const TimingEdges edges = chosen({});
  EXPECT_EQ((std::vector<std::size_t>{0, 3}), edges.behindRoot);
  EXPECT_EQ(96U, edges.joins[0].threads);
}

TEST_F(ChosenEdges, RootIgnoresDependentKernels) {
  // The root holds up nothing that hangs on a kernel.
  kernel({});
  EXPECT_TRUE(chosen({}).behindRoot.empty());
}

TEST_F(ChosenEdges, RebuiltGraphWaitsAsNeeded) {
  // In the rebuilt graph, only those that join a stamp wait for timing nodes.
  const auto wait = event({}), first = kernel({wait}), fill = memset({first}),
             second = kernel({fill}), record = event({second});
  kernel({record}, 1000 * multiprocessors(), 1024);
  EXPECT_EQ((std::vector<std::size_t>{3, 4, 5}), waitingInRebuilt())
      << "the kernels, and the event node behind one with a stamp at its begin";
  TearDown();
  SetUp();
  const auto begin = kernel({}), left = kernel({begin}), right = kernel({begin});
  event({left});
  kernel({left, right});
  memset({});
  EXPECT_EQ((std::vector<std::size_t>{0}), waitingInRebuilt())
      << "with two branches only what may wait for the root";
}

TEST_F(ChosenEdges, RoomlessKernelBeginsWithStamp) {
  // Between event nodes, a kernel without room begins with the stamp before it.
  const auto full = [this](const Nodes &behind) {
    return kernel(behind, 1000 * multiprocessors(), 1024);
  };
  const auto first = full({}), record = event({first}), second = full({record}),
             third = kernel({second});
  const auto edges = chosen({{first}, {record}, {second}, {third}}).boundaries;
  EXPECT_EQ(BoundaryEdge(), edges[0]) << "it begins the graph";
  ASSERT_EQ(4U, edges.size()) << "behind the event node is behind the first kernel";
  EXPECT_EQ((BoundaryEdge{BeforeSuccessor, 0, 2}), edges[1]);
  EXPECT_EQ((BoundaryEdge{LaunchCompletion, 3}), edges[2]);
  EXPECT_EQ(BoundaryEdge(), edges[3]) << "nothing follows";
  EXPECT_EQ((Kinds{Completion, Completion}), kinds({{first}}, EdgeSupport{true, false, false, {}}))
      << "a device without programmatic edges";
}

TEST_F(ChosenEdges, ReplayBeginsBehindEvent) {
  // A replay that begins with an event begins at the kernel behind it.
  const auto record = event({});
  kernel({record});
  const TimingEdges edges = chosen({});
  EXPECT_EQ(LaunchCompletion, edges.boundaries[0].edge);
  EXPECT_EQ(1U, edges.boundaries[0].at);
}

TEST_F(ChosenEdges, ImpliedEdgeIsNoFork) {
  // An edge that others imply is no fork and no join.
  const auto first = kernel({}), second = kernel({first}), third = kernel({second});
  kernel({first, third});
  EXPECT_EQ((Kinds{LaunchCompletion, LaunchCompletion, LaunchCompletion, LaunchCompletion}),
            kinds({{first}, {second}, {third}}));
}

// Of more than sixteen edges, none is left out. A kernel that waits for each of a chain: all its
// edges but the last are implied.
TEST_F(ChosenEdges, ManyEdgesAreAllKept) {
  const auto behindChainOf = [this](std::size_t kernels) {
    Nodes chain;
    for (std::size_t i = 0; i < kernels; ++i)
      chain.push_back(kernel(chain.empty() ? Nodes() : Nodes{chain.back()}));
    kernel(chain);
    return chosen({{chain.back()}}).boundaries[1].edge;
  };
  EXPECT_EQ(LaunchCompletion, behindChainOf(16));
  TearDown();
  SetUp();
  EXPECT_EQ(Completion, behindChainOf(17));
}

TEST_F(ChosenEdges, EarlyBeginImpliesNothing) {
  // An edge implies nothing where a kernel begins early.
  const auto first = kernel({}), second = programmatic(first), third = kernel({first, second});
  kernel({third});
  EXPECT_EQ((Kinds{Completion, Programmatic, Completion}), kinds({{first}, {second}}))
      << "the third waits for the whole of the first, the second does not";
}

// As NCCL captures its collectives: the first waits for an event of another graph, each records
// one, and each waits for the record of the one before.
TEST_F(ChosenEdges, CollectivesBetweenEventsAreChain) {
  const auto work = kernel({}), wait = event({}), collective = kernel({work, wait}),
             record = event({collective}), scale = kernel({collective}), more = kernel({scale}),
             another = kernel({record, more});
  event({another});
  const auto last = kernel({another});
  const TimingEdges edges = chosen({{work}, {collective}, {scale}, {more}, {another}, {last}});
  EXPECT_TRUE(edges.isJoined);
  const std::vector<std::size_t> begins = {0, 2, 4, 5, 6, 8};
  for (std::size_t boundary = 0; boundary < begins.size(); ++boundary)
    EXPECT_EQ((BoundaryEdge{LaunchCompletion, begins[boundary]}), edges.boundaries[boundary]);
  EXPECT_EQ(Completion, edges.boundaries.back().edge);
}

TEST_F(ChosenEdges, WorkBehindEventIsJoin) {
  const auto work = kernel({}), beside = kernel({work}), record = event({beside}),
             other = kernel({work});
  kernel({other, record});
  EXPECT_EQ(Completion, chosen({{other}}).boundaries[1].edge)
      << "what follows waits for the other kernel, by way of the event";
}

TEST_F(ChosenEdges, OtherEdgesGraphIsBuiltOtherwise) {
  const auto first = kernel({}), second = kernel({first});
  const std::vector<Nodes> frontiers = {{first}, {second}};
  EXPECT_NE(chosen(frontiers).structure(), chosen(frontiers, {}).structure());
  EXPECT_TRUE(chosen(frontiers, {}).kinds().empty());
}

} // namespace
} // namespace graphprof::test
