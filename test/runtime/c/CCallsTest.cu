// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program whose graph calls are made in C: what they tell the library is what the C++ wrappers
// tell it.

#include "c/calls.h"
#include "support/ByteGraphs.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class CCalls : public ByteGraphs {
protected:
  /// In a region named after it.
  void work(int value) {
    GRAPHPROF_SCOPE(1, "set {}", on_stream(stream_), value);
    set(value);
  }
  cudaGraph_t captured(int value) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, runtimeCalls.beginCapture(stream_, cudaStreamCaptureModeGlobal));
    work(value);
    EXPECT_EQ(cudaSuccess, runtimeCalls.endCapture(stream_, &graph));
    return graph;
  }
  // Behind a kernel: a replay may begin with such a child, which waits for the root.
  cudaGraph_t capturedChild(int value) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, runtimeCalls.beginCapture(stream_, cudaStreamCaptureModeGlobal));
    shortWork(stream_);
    work(value);
    EXPECT_EQ(cudaSuccess, runtimeCalls.endCapture(stream_, &graph));
    return graph;
  }
  static cudaGraphExec_t instantiated(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaSuccess, runtimeCalls.instantiate(&exec, graph, 0));
    return exec;
  }
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, runtimeCalls.launch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
};

TEST_F(CCalls, ReplaysAreTimed) {
  // Replays are timed, and the graph is the program's own.
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  EXPECT_EQ(2u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiated(graph);
  CUDA_OK(runtimeCalls.upload(exec, stream_));
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 1"}), recorder.names());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, SwitchingExecsKeepsWorking) {
  // A switch between the pair's execs keeps working.
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  const cudaGraphExec_t exec = instantiated(graph);
  TestStream other;
  stop();
  CUDA_OK(runtimeCalls.launch(exec, stream_));
  start();
  CUDA_OK(runtimeCalls.launch(exec, other)); // the plain one once more, marked
  CUDA_OK(runtimeCalls.launch(exec, stream_));
  EXPECT_EQ(1u, recorder.all().size());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, UpdateReachesBothExecs) {
  Recorder recorder;
  const cudaGraph_t one = captured(1), two = captured(2);
  const cudaGraphExec_t exec = instantiated(one);
  EXPECT_EQ(1, launchAndRead(exec));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(runtimeCalls.update(exec, two, &info));
  EXPECT_EQ(2, launchAndRead(exec));
  stop();
  EXPECT_EQ(2, launchAndRead(exec));
  start();
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 2"}), recorder.names());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(one));
  CUDA_OK(runtimeCalls.destroyGraph(two));
}

TEST_F(CCalls, NewParametersReachBothExecs) {
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  const cudaGraphExec_t exec = instantiated(graph);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(runtimeCalls.setMemset(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  stop();
  EXPECT_EQ(3, launchAndRead(exec));
  start();
  EXPECT_EQ(1u, recorder.all().size());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, BuiltGraphsRegionsAreTimed) {
  // Regions of a graph that is built are timed.
  Recorder recorder;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t set = nullptr, gone = nullptr;
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(runtimeCalls.create(&graph, 0));
  {
    GRAPHPROF_SCOPE(1, "built", on_capture());
    CUDA_OK(runtimeCalls.addMemset(&set, graph, nullptr, 0, &three));
  }
  {
    GRAPHPROF_SCOPE(2, "gone", on_capture());
    CUDA_OK(runtimeCalls.addEmpty(&gone, graph, &set, 1));
  }
  CUDA_OK(runtimeCalls.destroyNode(gone));
  const cudaGraphExec_t exec = instantiated(graph);
  CUDA_OK(runtimeCalls.launch(exec, stream_));
  EXPECT_EQ((std::vector<std::string>{"built"}), recorder.names());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, DriverBuiltGraphsRegionsAreTimed) {
  // Regions of a graph that is built with the driver's calls are timed.
  Recorder recorder;
  CUgraph graph = nullptr;
  CUgraphNode first = nullptr, gone = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.create(&graph, 0));
  {
    GRAPHPROF_SCOPE(1, "built", on_capture());
    ASSERT_EQ(CUDA_SUCCESS, driverCalls.addEmpty(&first, graph, nullptr, 0));
    ASSERT_EQ(CUDA_SUCCESS, driverCalls.addEmpty(&gone, graph, &first, 1));
  }
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyNode(gone));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.instantiate(&exec, graph, 0));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.launch(exec, stream_));
  EXPECT_EQ((std::vector<std::string>{"built"}), recorder.names());
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyExec(exec));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyGraph(graph));
}

TEST_F(CCalls, ChildrenAreTimedInEachUse) {
  Recorder recorder;
  const cudaGraph_t child = capturedChild(1), other = capturedChild(2);
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr;
  CUDA_OK(runtimeCalls.create(&graph, 0));
  CUDA_OK(runtimeCalls.addChild(&first, graph, nullptr, 0, child));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = child;
  CUDA_OK(runtimeCalls.addNode(&second, graph, &first, nullptr, 1, &params));
  const cudaGraphExec_t exec = instantiated(graph);
  EXPECT_EQ(1, launchAndRead(exec));
  CUDA_OK(runtimeCalls.setChild(exec, second, other));
  EXPECT_EQ(2, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 1", "set 1", "set 2"}), recorder.names());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  for (const cudaGraph_t each : {graph, other, child})
    CUDA_OK(runtimeCalls.destroyGraph(each));
}

TEST_F(CCalls, DriverBuiltChildrenAreTimed) {
  // Child graphs are timed in each use through the driver's calls too.
  Recorder recorder;
  const cudaGraph_t child = capturedChild(1), other = capturedChild(2);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode first = nullptr, second = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.create(&graph, 0));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.addChild(&first, graph, nullptr, 0, child));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph.graph = child;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.addNode(&second, graph, &first, nullptr, 1, &params));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.instantiate(&exec, graph, 0));
  EXPECT_EQ(1, launchAndRead(exec));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.setChild(exec, second, other));
  EXPECT_EQ(2, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 1", "set 1", "set 2"}), recorder.names());
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyExec(exec));
  for (const CUgraph each : {graph, other, child})
    ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyGraph(each));
}

// Children that are timed in place are exchanged. A graph with a conditional node is timed in
// place: with the clock that is no events.
TEST_F(CCalls, InPlaceChildrenAreExchanged) {
  for (const bool throughDriver : {false, true}) {
    Recorder recorder;
    const cudaGraph_t children[] = {captured(1), captured(2), captured(3), captured(4)};
    cudaGraph_t graph = nullptr;
    CUDA_OK(runtimeCalls.create(&graph, 0));
    cudaGraphNodeParams conditional{}, params{};
    conditional.type = cudaGraphNodeTypeConditional;
    CUDA_OK(cudaGraphConditionalHandleCreate(&conditional.conditional.handle, graph, 0,
                                             cudaGraphCondAssignDefault));
    conditional.conditional.type = cudaGraphCondTypeIf;
    conditional.conditional.size = 1;
    cudaGraphNode_t node = nullptr, child = nullptr;
    CUDA_OK(runtimeCalls.addNode(&node, graph, nullptr, nullptr, 0, &conditional));
    CUDA_OK(runtimeCalls.addChild(&child, graph, &node, 1, children[0]));
    cudaGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(1, launchAndRead(exec));
    params.type = cudaGraphNodeTypeGraph;
    params.graph.graph = children[2];
    CUgraphNodeParams driverParams{};
    driverParams.type = CU_GRAPH_NODE_TYPE_GRAPH;
    driverParams.graph.graph = children[2];
    if (throughDriver)
      ASSERT_EQ(CUDA_SUCCESS, driverCalls.setChild(exec, child, children[1]));
    else
      CUDA_OK(runtimeCalls.setChild(exec, child, children[1]));
    EXPECT_EQ(2, launchAndRead(exec));
    if (throughDriver)
      ASSERT_EQ(CUDA_SUCCESS, driverCalls.setNode(exec, child, &driverParams));
    else
      CUDA_OK(runtimeCalls.setNode(exec, child, &params));
    EXPECT_EQ(3, launchAndRead(exec));
    CUDA_OK(runtimeCalls.destroyExec(exec));
    params.graph.graph = driverParams.graph.graph = children[3];
    if (throughDriver)
      ASSERT_EQ(CUDA_SUCCESS, driverCalls.editNode(child, &driverParams));
    else
      CUDA_OK(runtimeCalls.editNode(child, &params));
    exec = instantiated(graph);
    EXPECT_EQ(4, launchAndRead(exec));
    const std::vector<std::string> names = recorder.names();
    if (!names.empty() || std::string_view(std::getenv("GRAPHPROF_CLOCK")) == "stamp")
      EXPECT_EQ((std::vector<std::string>{"set 1", "set 2", "set 3", "set 4"}), names);
    CUDA_OK(runtimeCalls.destroyExec(exec));
    CUDA_OK(runtimeCalls.destroyGraph(graph));
    for (const cudaGraph_t each : children)
      CUDA_OK(runtimeCalls.destroyGraph(each));
  }
}

// What becomes of its regions depends on the clock: they are timed, or counted.
TEST_F(CCalls, ConditionalBodiesAreKnown) {
  const Losses before = losses();
  Recorder recorder;
  cudaGraph_t graph = nullptr;
  CUDA_OK(runtimeCalls.create(&graph, 0));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  CUDA_OK(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                           cudaGraphCondAssignDefault));
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaGraphNode_t node = nullptr, set = nullptr;
  CUDA_OK(runtimeCalls.addNode(&node, graph, nullptr, nullptr, 0, &params));
  const cudaMemsetParams three = setTo(3);
  {
    GRAPHPROF_SCOPE(1, "then", on_capture());
    CUDA_OK(runtimeCalls.addMemset(&set, params.conditional.phGraph_out[0], nullptr, 0, &three));
  }
  const cudaGraphExec_t exec = instantiated(graph);
  launchAndRead(exec);
  const std::size_t seen = recorder.all().size();
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
  EXPECT_EQ(1u, seen + losses().incomplete - before.incomplete);
}

TEST_F(CCalls, PendingErrorStopsChange) {
  // While an error is pending, a change is not repeated, and the error stays.
  const Losses before = losses();
  const cudaGraph_t graph = captured(1);
  const cudaGraphExec_t exec = instantiated(graph);
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const cudaError_t pending = cudaPeekAtLastError();
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(runtimeCalls.setMemset(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec)) << "on the program's own exec";
  EXPECT_EQ(pending, cudaGetLastError());
  EXPECT_EQ(before.not_mirrored + 1, losses().not_mirrored);
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, AddedNodeIsNoticed) {
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  cudaGraphExec_t execs[] = {instantiated(graph), nullptr};
  cudaGraphNode_t node = nullptr;
  CUDA_OK(runtimeCalls.addEmpty(&node, graph, nullptr, 0));
  execs[1] = instantiated(graph);
  for (const cudaGraphExec_t exec : execs)
    EXPECT_EQ(1, launchAndRead(exec));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ("set 1", seen[1].name);
  EXPECT_NE(seen[0].graph, seen[1].graph);
  for (const cudaGraphExec_t exec : execs)
    CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, EditReachesBothGraphs) {
  // A node edited after the capture is edited in both graphs.
  for (const bool throughDriver : {false, true}) {
    Recorder recorder;
    const cudaGraph_t graph = captured(1);
    const Losses before = losses();
    const cudaMemsetParams five = setTo(5);
    CUDA_MEMSET_NODE_PARAMS driverFive{};
    driverFive.dst = reinterpret_cast<CUdeviceptr>(byte_);
    driverFive.value = 5;
    driverFive.elementSize = 1;
    driverFive.width = driverFive.height = 1;
    if (throughDriver)
      ASSERT_EQ(CUDA_SUCCESS, driverCalls.editMemset(memsetNode(graph), &driverFive));
    else
      CUDA_OK(runtimeCalls.editMemset(memsetNode(graph), &five));
    EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
    const cudaGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(5, launchAndRead(exec));
    EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
    CUDA_OK(runtimeCalls.destroyExec(exec));
    CUDA_OK(runtimeCalls.destroyGraph(graph));
  }
}

TEST_F(CCalls, PendingErrorStopsEdit) {
  // While an error is pending, an edit is not repeated, and the error stays.
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  const Losses before = losses();
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const cudaError_t pending = cudaPeekAtLastError();
  const cudaMemsetParams five = setTo(5);
  CUDA_OK(runtimeCalls.editMemset(memsetNode(graph), &five));
  EXPECT_EQ(pending, cudaGetLastError());
  const cudaGraphExec_t exec = instantiated(graph);
  EXPECT_EQ(5, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST_F(CCalls, ClonesReplaysAreRecorded) {
  Recorder recorder;
  const cudaGraph_t graph = captured(1);
  cudaGraph_t clone = nullptr;
  CUDA_OK(runtimeCalls.clone(&clone, graph));
  CUDA_OK(runtimeCalls.destroyGraph(graph));
  const cudaGraphExec_t exec = instantiated(clone);
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  CUDA_OK(runtimeCalls.destroyExec(exec));
  CUDA_OK(runtimeCalls.destroyGraph(clone));
}

TEST_F(CCalls, DriverCallsDoAsRuntimeCalls) {
  Recorder recorder;
  CUgraph graph = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.beginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  work(1);
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.endCapture(stream_, &graph));
  EXPECT_EQ(2u, nodeCount(graph));
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.instantiate(&exec, graph, 0));
  CUcontext context = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuCtxGetCurrent(&context));
  CUDA_MEMSET_NODE_PARAMS four{};
  four.dst = reinterpret_cast<CUdeviceptr>(byte_);
  four.value = 4;
  four.elementSize = 1;
  four.width = 1;
  four.height = 1;
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.setMemset(exec, memsetNode(graph), &four, context));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.launch(exec, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(4, *seen_);
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyExec(exec));
  ASSERT_EQ(CUDA_SUCCESS, driverCalls.destroyGraph(graph));
}

} // namespace
} // namespace graphprof::test
