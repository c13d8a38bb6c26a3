// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions: every use of one is timed in the graph around it, whoever made
// either, and the program's graphs stay as they are. Where that cannot be: ChildrenInPlaceTest.cu.

#include <gtest/gtest.h>

#include <ostream>

#include "support/ChildGraphs.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class Children : public ::testing::Test {
protected:
  void TearDown() override {
    EXPECT_TRUE(flush()); // the replays of one test are no other's
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
    EXPECT_EQ(before_.not_instantiated, losses().not_instantiated);
    EXPECT_EQ(before_.not_mirrored + notMirrored_, losses().not_mirrored);
    EXPECT_EQ(before_.incomplete + incomplete_, losses().incomplete);
    EXPECT_EQ(before_.not_launched, losses().not_launched);
  }

  /// Regions "short" and "long", or so.
  cudaGraph_t child(const char *first = "short", const char *second = "long") {
    return capture(stream_, [&] {
      {
        GRAPHPROF_SCOPE(1, "{}", on_stream(stream_), first);
        shortWork(stream_);
      }
      GRAPHPROF_SCOPE(2, "{}", on_stream(stream_), second);
      longWork(stream_);
    });
  }
  static cudaGraph_t created() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphCreate(&graph, 0));
    return graph;
  }
  static cudaGraphNode_t addKernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> behind) {
    cudaKernelNodeParams kernel{};
    kernel.func = shortKernel();
    kernel.gridDim = kernel.blockDim = dim3(1);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cuda::cudaGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &kernel));
    return node;
  }
  void launch(cudaGraphExec_t exec, int times = 1) {
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
  }

  TestStream stream_;
  Losses before_ = losses();
  std::uint64_t notMirrored_ = 0, incomplete_ = 0; // expected
};

TEST_F(Children, EachUseIsTimed) {
  Recorder recorder;
  const cudaGraph_t inner = child(), graph = created();
  const cudaGraphNode_t first = addChild(graph, {}, inner);
  cudaGraphNode_t between = nullptr;
  {
    GRAPHPROF_SCOPE(3, "between", on_capture());
    between = addKernel(graph, {first});
  }
  const cudaGraphNode_t second = addChild(graph, {between}, inner);
  EXPECT_EQ(3u, nodeCount(graph));
  for (const cudaGraphNode_t node : {first, second})
    EXPECT_EQ(2u, nodeCount(heldBy(node)));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 3);
  const std::vector<Seen> seen = recorder.all();
  const std::vector<std::string> once = {"short", "long", "between", "short", "long"};
  std::vector<std::string> thrice;
  for (int i = 0; i < 3; ++i)
    thrice.insert(thrice.end(), once.begin(), once.end());
  EXPECT_EQ(thrice, told(seen));
  expectInOrder(seen);
  EXPECT_EQ(3u, nodeCount(graph));
  destroy({exec}, {graph, inner});
}

// A child whose own begin is a memset, for which no stamp may be waited.
class ChildOfMemset : public Children {
protected:
  void SetUp() override { CUDA_OK(cudaMalloc(&memory_, 1)); }
  void TearDown() override {
    Children::TearDown();
    CUDA_OK(cudaFree(memory_));
  }
  cudaGraph_t ofMemset() {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(3, "set", on_stream(stream_));
      CUDA_OK(cudaMemsetAsync(memory_, 0, 1, stream_));
    });
  }
  // The regions of a graph of these children, one behind the other.
  std::vector<std::string> regionsOf(const std::vector<cudaGraph_t> &children) {
    Recorder recorder;
    const cudaGraph_t graph = created();
    std::vector<cudaGraphNode_t> behind;
    for (const cudaGraph_t child : children)
      behind = {addChild(graph, behind, child)};
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec);
    const std::vector<std::string> regions = told(recorder.all());
    destroy({exec}, {graph});
    return regions;
  }

  void *memory_ = nullptr;
};

TEST_F(ChildOfMemset, IsCountedWhereAReplayBeginsWithIt) {
  const cudaGraph_t first = ofMemset();
  incomplete_ = withEvents() ? 0 : 1;
  EXPECT_EQ(std::vector<std::string>(1 - incomplete_, "set"), regionsOf({first}));
  destroy({}, {first});
}

TEST_F(ChildOfMemset, IsTimedBehindOneThatWaits) {
  const cudaGraph_t first = child(), second = ofMemset();
  EXPECT_EQ((std::vector<std::string>{"short", "long", "set"}), regionsOf({first, second}));
  destroy({}, {first, second});
}

TEST_F(Children, CaptureTakesChildrenInsideRegions) {
  Recorder recorder;
  const cudaGraph_t inner = child();
  const cudaGraph_t graph = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(3, "before", on_stream(stream_));
      shortWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(4, "around", on_stream(stream_));
      addChild(stream_, inner);
    }
    GRAPHPROF_SCOPE(5, "after", on_stream(stream_));
    shortWork(stream_);
  });
  EXPECT_EQ(3u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(10u, seen.size());
  EXPECT_EQ((std::vector<std::string>{"before", "around", "  short", "  long", "after"}),
            told({seen.begin(), seen.begin() + 5}));
  expectInOrder(seen);
  EXPECT_GE(seen[6].durationNs, seen[7].durationNs + seen[8].durationNs);
  EXPECT_GE(seen[9].beginNs, seen[8].beginNs + seen[8].durationNs);
  destroy({exec}, {graph, inner});
}

TEST_F(Children, GraphIsTimedForChildren) {
  // A graph without regions is timed for its children.
  Recorder recorder;
  const cudaGraph_t inner = child();
  const cudaGraph_t captured = capture(stream_, [&] {
    shortWork(stream_);
    addChild(stream_, inner);
    shortWork(stream_);
  });
  const cudaGraph_t built = created();
  addKernel(built, {addChild(built, {}, inner)});
  for (const cudaGraph_t graph : {captured, built}) {
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, 2);
    destroy({exec}, {graph});
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(8u, seen.size());
  expectInOrder(seen);
  destroy({}, {inner});
}

// Regions of a child with event nodes are counted where stamps hang on begins. What is timed in a
// child waits for completion, which is not true beside event nodes.
TEST_F(Children, EventNodesForbidChildTiming) {
  Recorder recorder;
  cudaEvent_t external = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&external, cudaEventDisableTiming));
  const cudaGraph_t innermost = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(1, "short", on_stream(stream_));
      shortWork(stream_);
    }
    CUDA_OK(cudaEventRecordWithFlags(external, stream_, cudaEventRecordExternal));
    GRAPHPROF_SCOPE(2, "long", on_stream(stream_));
    longWork(stream_);
  });
  const cudaGraph_t middle = created();
  addKernel(middle, {addChild(middle, {}, innermost)});
  const cudaGraph_t graph = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(3, "around", on_stream(stream_));
      addChild(stream_, middle);
    }
    GRAPHPROF_SCOPE(4, "after", on_stream(stream_));
    shortWork(stream_);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  std::vector<std::string> once = {"around", "  short", "  long", "after"};
  if (stampsAtBegins()) {
    once = {"around", "after"};
    incomplete_ = 2;
  }
  std::vector<std::string> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(twice, told(seen));
  for (const Seen &record : seen)
    EXPECT_GT(record.durationNs, 0) << record.name;
  CUDA_OK(cudaEventSynchronize(external));
  destroy({exec}, {graph, middle, innermost});
  CUDA_OK(cudaEventDestroy(external));
}

TEST_F(Children, ChildrenMayHoldChildren) {
  Recorder recorder;
  const cudaGraph_t innermost = child();
  const cudaGraph_t middle = capture(stream_, [&] {
    GRAPHPROF_SCOPE(3, "middle", on_stream(stream_));
    addChild(stream_, innermost);
    shortWork(stream_);
  });
  const cudaGraph_t builtMiddle = created();
  {
    GRAPHPROF_SCOPE(4, "built", on_capture());
    addKernel(builtMiddle, {addChild(builtMiddle, {}, innermost)});
  }
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(5, "outer", on_stream(stream_));
    addChild(stream_, middle);
    addChild(stream_, builtMiddle);
    addChild(stream_, middle);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(20u, seen.size());
  EXPECT_EQ(
      (std::vector<std::string>{"outer", "  middle", "    short", "    long", "  built",
                                "    short", "    long", "  middle", "    short", "    long"}),
      told({seen.begin() + 10, seen.end()}));
  for (const std::size_t i : {2U, 5U, 8U, 12U, 15U, 18U}) {
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs) << i;
    EXPECT_GE(seen[i - 1].durationNs, seen[i].durationNs + seen[i + 1].durationNs) << i;
    EXPECT_GE(seen[i].beginNs, seen[i - 1].beginNs) << i;
  }
  destroy({exec}, {graph, builtMiddle, middle, innermost});
}

TEST_F(Children, DestroyedChildStaysTimed) {
  // What becomes of the child later does not matter.
  Recorder recorder;
  const cudaGraph_t inner = child(), graph = created();
  addChild(graph, {}, inner);
  CUDA_OK(cuda::cudaGraphDestroy(inner));
  const cudaGraphExec_t exec = instantiate(graph);
  destroy({}, {graph});
  launch(exec, 2);
  EXPECT_EQ((std::vector<std::string>{"short", "long", "short", "long"}), told(recorder.all()));
  destroy({exec}, {});
}

TEST_F(Children, BuiltChildKeepsItsState) {
  // A built child is what it was when it was added.
  Recorder recorder;
  const cudaGraph_t inner = created(), graph = created();
  cudaGraphNode_t last = nullptr;
  {
    GRAPHPROF_SCOPE(3, "one", on_capture());
    last = addKernel(inner, {});
  }
  const cudaGraphNode_t first = addChild(graph, {}, inner);
  {
    GRAPHPROF_SCOPE(4, "two", on_capture());
    addKernel(inner, {last});
  }
  addChild(graph, {first}, inner);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"one", "one", "two", "one", "one", "two"}), told(seen));
  expectInOrder(seen);
  destroy({exec}, {graph, inner});
}

// One exec of the child and one of the graph around it: each writes to its own times.
TEST_F(Children, ChildMayBeLaunchedAlone) {
  Recorder recorder;
  const cudaGraph_t inner = child(), graph = created();
  const cudaGraphExec_t alone = instantiate(inner);
  launch(alone);
  addChild(graph, {addKernel(graph, {})}, inner);
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 4; ++i) {
    launch(exec);
    launch(alone);
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(18u, seen.size());
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    EXPECT_EQ("short", seen[i].name);
    EXPECT_EQ("long", seen[i + 1].name);
    EXPECT_EQ(seen[i].exec, seen[i + 1].exec);
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
  }
  destroy({exec, alone}, {graph, inner});
}

TEST_F(Children, ClonesAndUpdatesKeepChildren) {
  Recorder recorder;
  const cudaGraph_t inner = child(), other = child("short 2", "long 2");
  const auto parent = [&](cudaGraph_t of) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(3, "around", on_stream(stream_));
      shortWork(stream_);
      addChild(stream_, of);
    });
  };
  const cudaGraph_t graph = parent(inner), next = parent(other), built = created();
  addChild(built, {}, inner);
  cudaGraph_t clone = nullptr, builtClone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, graph));
  CUDA_OK(cuda::cudaGraphClone(&builtClone, built));
  for (const cudaGraph_t each : {clone, builtClone}) {
    const cudaGraphExec_t exec = instantiate(each);
    launch(exec);
    destroy({exec}, {});
  }
  EXPECT_EQ((std::vector<std::string>{"around", "  short", "  long", "short", "long"}),
            told(recorder.all()));

  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, next, &info));
  launch(exec);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(11u, seen.size());
  EXPECT_EQ(
      (std::vector<std::string>{"around", "  short", "  long", "around", "  short 2", "  long 2"}),
      told({seen.begin() + 5, seen.end()}));
  EXPECT_FALSE(seen.back().cold) << "the same exec";
  destroy({exec}, {clone, builtClone, built, next, graph, other, inner});
}

TEST_F(Children, ChangesOfChildrensNodesAreRepeated) {
  Recorder recorder;
  unsigned char *bytes = nullptr;
  CUDA_OK(cudaMallocHost(&bytes, 1));
  bytes[0] = 0;
  const auto filled = [&](unsigned value) {
    cudaMemsetParams params{};
    params.dst = bytes;
    params.value = value;
    params.elementSize = params.width = params.height = 1;
    return params;
  };
  const cudaGraph_t inner = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "fill", on_stream(stream_));
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(bytes, 1, 1, stream_));
  });
  const cudaGraph_t graph = created();
  const cudaGraphNode_t node = addChild(graph, {addKernel(graph, {})}, inner);
  cudaGraphNode_t memset = nullptr;
  std::size_t one = 1;
  CUDA_OK(cudaGraphGetNodes(heldBy(node), &memset, &one));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(1, bytes[0]);
  const cudaMemsetParams seven = filled(7);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memset, &seven));
  launch(exec);
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(7, bytes[0]);
  EXPECT_EQ((std::vector<std::string>{"fill", "fill"}), told(recorder.all()));
  destroy({exec}, {graph, inner});
  CUDA_OK(cudaFreeHost(bytes));
}

// A graph that holds a copy of another one, whose only node writes 1 to a byte.
struct Apart {
  unsigned char *byte;
  cudaStream_t stream;
  cudaGraph_t original, graph;
  cudaGraphNode_t holder;

  static cudaGraphNode_t only(cudaGraph_t graph) {
    cudaGraphNode_t node = nullptr;
    std::size_t one = 1;
    EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, &node, &one));
    return node;
  }
  [[nodiscard]] cudaGraph_t copy() const { return heldBy(holder); }
  /// Seven to the byte.
  [[nodiscard]] cudaMemsetParams seven() const {
    cudaMemsetParams params{};
    params.dst = byte;
    params.value = 7;
    params.elementSize = params.width = params.height = 1;
    return params;
  }
  void setSeven(cudaGraph_t graph) const {
    const cudaMemsetParams params = seven();
    CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(only(graph), &params));
  }
};
struct EditApart {
  const char *name;
  void (*edit)(const Apart &);
  unsigned char result; ///< that the byte has behind it
};

void PrintTo(const EditApart &edit, std::ostream *out) { *out << edit.name; }

const EditApart editsApart[] = {
    {"OfTheCopy", [](const Apart &apart) { apart.setSeven(apart.copy()); }, 7},
    {"OfTheOriginal", [](const Apart &apart) { apart.setSeven(apart.original); }, 1},
    {"OfTheCopyAndThenAroundIt",
     [](const Apart &apart) {
       apart.setSeven(apart.copy());
       cudaGraphNode_t node = nullptr;
       CUDA_OK(cuda::cudaGraphAddEmptyNode(&node, apart.graph, &apart.holder, 1));
     },
     7},
    {"Removal",
     [](const Apart &apart) { CUDA_OK(cuda::cudaGraphDestroyNode(Apart::only(apart.copy()))); }, 0},
    {"Addition",
     [](const Apart &apart) {
       const cudaGraphNode_t first = Apart::only(apart.copy());
       const cudaMemsetParams params = apart.seven();
       cudaGraphNode_t node = nullptr;
       CUDA_OK(cuda::cudaGraphAddMemsetNode(&node, apart.copy(), &first, 1, &params));
     },
     7},
    {"AdditionByCapture",
     [](const Apart &apart) {
       const cudaGraphNode_t first = Apart::only(apart.copy());
       CUDA_OK(cuda::cudaStreamBeginCaptureToGraph(apart.stream, apart.copy(), &first, nullptr, 1,
                                                   cudaStreamCaptureModeGlobal));
       CUDA_OK(cudaMemsetAsync(apart.byte, 7, 1, apart.stream));
       cudaGraph_t same = nullptr;
       CUDA_OK(cuda::cudaStreamEndCapture(apart.stream, &same));
       EXPECT_EQ(apart.copy(), same);
     },
     7},
    {"AdditionToTheOriginal",
     [](const Apart &apart) {
       const cudaGraphNode_t first = Apart::only(apart.original);
       const cudaMemsetParams params = apart.seven();
       cudaGraphNode_t node = nullptr;
       CUDA_OK(cuda::cudaGraphAddMemsetNode(&node, apart.original, &first, 1, &params));
     },
     1},
};

class ChildrenEditedApart : public Children, public ::testing::WithParamInterface<EditApart> {
protected:
  void SetUp() override {
    CUDA_OK(cudaMallocHost(&byte_, 1));
    *byte_ = 0;
  }
  void TearDown() override {
    before_.incomplete = losses().incomplete;
    before_.not_mirrored = losses().not_mirrored;
    CUDA_OK(cudaFreeHost(byte_));
    Children::TearDown();
  }
  cudaGraph_t setsOne() {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "fill", on_stream(stream_));
      EXPECT_EQ(cudaSuccess, cudaMemsetAsync(byte_, 1, 1, stream_));
    });
  }
  /// An exec of `graph` writes `result`; it is timed, or counted as not timed.
  void expectOf(cudaGraph_t graph, unsigned char result) {
    constexpr int replays = 2;
    const std::size_t recorded = recorder_.all().size();
    const std::uint64_t incomplete = losses().incomplete;
    const cudaGraphExec_t exec = instantiate(graph);
    for (int replay = 0; replay < replays; ++replay) {
      *byte_ = 0;
      launch(exec);
      CUDA_OK(cudaStreamSynchronize(stream_));
      EXPECT_EQ(result, *byte_);
    }
    EXPECT_TRUE(recorder_.all().size() == recorded + replays || incomplete < losses().incomplete);
    destroy({exec}, {});
  }

  Recorder recorder_;
  unsigned char *byte_ = nullptr;
};

// What an exec of the graph around it does, recorded or not, is what the program made of the copy
// that its child node holds.
TEST_P(ChildrenEditedApart, BeforeTheFirstExec) {
  const cudaGraph_t inner = setsOne(), graph = created();
  const cudaGraphNode_t holder = addChild(graph, {addKernel(graph, {})}, inner);
  GetParam().edit({byte_, stream_, inner, graph, holder});
  expectOf(graph, GetParam().result);
  destroy({}, {graph, inner});
}

TEST_P(ChildrenEditedApart, BehindTheFirstExec) {
  const cudaGraph_t inner = setsOne(), graph = created();
  const cudaGraphNode_t holder = addChild(graph, {addKernel(graph, {})}, inner);
  expectOf(graph, 1);
  GetParam().edit({byte_, stream_, inner, graph, holder});
  expectOf(graph, GetParam().result);
  destroy({}, {graph, inner});
}

// Deeper down: the graph around both is not the one that the edited copy is in.
TEST_P(ChildrenEditedApart, InsideChildOfChild) {
  const cudaGraph_t inner = setsOne(), middle = created(), graph = created();
  addChild(middle, {}, inner);
  const cudaGraphNode_t outer = addChild(graph, {addKernel(graph, {})}, middle);
  expectOf(graph, 1);
  GetParam().edit({byte_, stream_, inner, heldBy(outer), Apart::only(heldBy(outer))});
  expectOf(graph, GetParam().result);
  destroy({}, {graph, middle, inner});
}

INSTANTIATE_TEST_SUITE_P(Children, ChildrenEditedApart, ::testing::ValuesIn(editsApart),
                         [](const auto &edit) { return std::string(edit.param.name); });

// What a child holds may be exchanged. A child's child, where the driver takes that.
TEST_F(Children, HeldChildMayBeExchanged) {
  unsigned char *byte = nullptr;
  CUDA_OK(cudaMallocHost(&byte, 1));
  const auto filling = [&](int value) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "fill", on_stream(stream_));
      EXPECT_EQ(cudaSuccess, cudaMemsetAsync(byte, value, 1, stream_));
    });
  };
  Recorder recorder;
  const cudaGraph_t inner = filling(1), other = filling(2), middle = created(), graph = created();
  addChild(middle, {}, inner);
  const cudaGraphNode_t outer = addChild(graph, {}, middle);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = other;
  const bool accepted =
      cuda::cudaGraphNodeSetParams(Apart::only(heldBy(outer)), &params) == cudaSuccess;
  cudaGetLastError();
  *byte = 0;
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(accepted ? 2 : 1, *byte);
  EXPECT_TRUE(recorder.all().size() == 1 || before_.incomplete < losses().incomplete);
  before_.incomplete = losses().incomplete;
  before_.not_mirrored = losses().not_mirrored;
  destroy({exec}, {graph, middle, other, inner});
  CUDA_OK(cudaFreeHost(byte));
}

TEST_F(Children, ExchangedChildKeepsShape) {
  // An exec's child may be exchanged for one of the same shape.
  Recorder recorder;
  const cudaGraph_t inner = child(), other = child("short 2", "long 2"), graph = created();
  const cudaGraphNode_t node = addChild(graph, {addKernel(graph, {})}, inner);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"short", "long", "short 2", "long 2", "short 2", "long 2"}),
            told(seen));
  ASSERT_EQ(6u, seen.size());
  for (const std::size_t i : {0U, 2U, 4U})
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
  destroy({exec}, {graph, other, inner});
}

// In the graph itself, where the driver takes that; what is timed does the same as what is not.
TEST_F(Children, GraphsChildMayBeExchanged) {
  unsigned char *bytes = nullptr;
  CUDA_OK(cudaMallocHost(&bytes, 1));
  const auto filling = [&](int value, const char *name) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "{}", on_stream(stream_), name);
      shortWork(stream_);
      EXPECT_EQ(cudaSuccess, cudaMemsetAsync(bytes, value, 1, stream_));
    });
  };
  const cudaGraph_t inner = filling(1, "one"), other = filling(2, "two"), built = created();
  cudaGraphNode_t nodes[2];
  const cudaGraph_t captured = capture(stream_, [&] {
    GRAPHPROF_SCOPE(2, "around", on_stream(stream_));
    nodes[0] = addChild(stream_, inner);
  });
  nodes[1] = addChild(built, {}, inner);
  Recorder recorder;
  const cudaGraph_t graphs[2] = {captured, built};
  for (const int i : {0, 1}) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeGraph;
    params.graph.graph = other;
    const bool accepted = cuda::cudaGraphNodeSetParams(nodes[i], &params) == cudaSuccess;
    cudaGetLastError();
    bytes[0] = 0;
    const cudaGraphExec_t exec = instantiate(graphs[i]);
    launch(exec);
    CUDA_OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(accepted ? 2 : 1, bytes[0]);
    EXPECT_EQ(accepted ? "two" : "one", recorder.all().back().name);
    destroy({exec}, {graphs[i]});
  }
  EXPECT_EQ(3u, recorder.all().size());
  destroy({}, {other, inner});
  CUDA_OK(cudaFreeHost(bytes));
}

TEST_F(Children, ExecNodeSetParamsExchangesChildren) {
  Recorder recorder;
  const cudaGraph_t inner = child(), other = child("short 2", "long 2"), graph = created();
  const cudaGraphNode_t node = addChild(graph, {addKernel(graph, {})}, inner);
  const cudaGraphExec_t exec = instantiate(graph);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = other;
  CUDA_OK(cuda::cudaGraphExecNodeSetParams(exec, node, &params));
  launch(exec);
  EXPECT_EQ((std::vector<std::string>{"short 2", "long 2"}), told(recorder.all()));
  destroy({exec}, {graph, other, inner});
}

TEST_F(Children, ForeignRegionsMakeExecUntimed) {
  // An exec whose child gets other regions runs untimed and is counted.
  Recorder recorder;
  const cudaGraph_t inner = child(), graph = created();
  const cudaGraph_t other = capture(stream_, [&] { // two kernels, too, and one region
    GRAPHPROF_SCOPE(1, "both", on_stream(stream_));
    shortWork(stream_);
    longWork(stream_);
  });
  const cudaGraphNode_t node = addChild(graph, {}, inner);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  launch(exec);
  EXPECT_EQ((std::vector<std::string>{"short", "long"}), told(recorder.all()));
  notMirrored_ = 1;
  destroy({exec}, {graph, other, inner});
}

} // namespace
} // namespace graphprof::test
