// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How to tell an exec from a later one with the same handle: the user objects that it took from its
// graph, which are released with it. Also the rules for kernel nodes that the device can update.

#include "Conformance.h"

#include <atomic>
#include <chrono>

namespace conformance {
namespace {

// A user object. The test has one reference.
struct Counted {
  std::atomic<bool> alive{true};
  cudaUserObject_t object = nullptr;

  Counted() {
    EXPECT_EQ(cudaSuccess,
              cudaUserObjectCreate(
                  &object, this, [](void *self) { static_cast<Counted *>(self)->alive = false; }, 1,
                  cudaUserObjectNoDestructorSync));
  }
  // Moves the reference to `graph`, which is then its only owner.
  void giveTo(cudaGraph_t graph) const {
    EXPECT_EQ(cudaSuccess, cudaGraphRetainUserObject(graph, object, 1, 0));
    EXPECT_EQ(cudaSuccess, cudaUserObjectRelease(object, 1));
  }
  void takeFrom(cudaGraph_t graph) const {
    EXPECT_EQ(cudaSuccess, cudaGraphReleaseUserObject(graph, object, 1));
  }
  // Whether the object is destroyed. That happens on a thread of CUDA's, some time later.
  [[nodiscard]] bool goes() const {
    for (int i = 0; i < 2000 && alive; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return !alive;
  }
  // For a while: that it will go is told at any time.
  [[nodiscard]] bool stays() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return alive;
  }
};

struct HandleRules : Conformance {
  Stream stream;
  Graph graph, other;
  Exec exec;
  cudaGraphExecUpdateResultInfo info{};

  void makeBoth() {
    captureChain(stream, &graph, 2);
    captureChain(stream, &other, 2);
  }
};

TEST_F(HandleRules, ExecKeepsGraphsObjects) {
  // An exec takes what its graph held when it was made.
  Counted counted;
  captureChain(stream, &graph, 1);
  counted.giveTo(graph);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counted.takeFrom(graph);
  EXPECT_TRUE(counted.stays());
  OK(cudaGraphDestroy(graph.release()));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(counted.stays());
  OK(cudaGraphExecDestroy(exec.release()));
  EXPECT_TRUE(counted.goes());
}

TEST_F(HandleRules, UpdateSwapsHeldObjects) {
  // An updated exec holds what its new graph held, in place of its own.
  Counted first, second;
  makeBoth();
  first.giveTo(graph);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  first.takeFrom(graph);
  second.giveTo(other);
  OK(cudaGraphExecUpdate(exec, other, &info));
  second.takeFrom(other);
  EXPECT_TRUE(first.goes());
  EXPECT_TRUE(second.stays());
  OK(cudaGraphExecDestroy(exec.release()));
  EXPECT_TRUE(second.goes());
}

TEST_F(HandleRules, RefusedUpdateKeepsObjects) {
  Counted first, second;
  captureChain(stream, &graph, 2);
  captureChain(stream, &other, 3);
  first.giveTo(graph);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  first.takeFrom(graph);
  second.giveTo(other);
  EXPECT_CUDA(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
  cudaGetLastError();
  second.takeFrom(other);
  EXPECT_TRUE(second.goes());
  EXPECT_TRUE(first.stays());
  OK(cudaGraphExecDestroy(exec.release()));
  EXPECT_TRUE(first.goes());
}

TEST_F(HandleRules, UserObjectsSpareCapture) {
  // Giving and taking user objects leaves a capture alone.
  Stream elsewhere;
  Graph captured;
  captureChain(stream, &graph, 1);
  OK(cudaStreamBeginCapture(elsewhere, cudaStreamCaptureModeGlobal));
  spinOn(elsewhere);
  {
    const Relaxed relaxed;
    Counted counted;
    counted.giveTo(graph);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    counted.takeFrom(graph);
    OK(cudaGraphExecDestroy(exec.release()));
    EXPECT_TRUE(counted.goes());
  }
  OK(cudaStreamEndCapture(elsewhere, &captured));
}

TEST_F(HandleRules, NodesMayShareEvent) {
  // Many nodes of a graph may record one event.
  Event event;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 3; ++i) {
    spinOn(stream);
    OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
  }
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t more[2] = {};
  for (cudaGraphNode_t &node : more)
    OK(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i)
    OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventQuery(event));
}

struct UpdatableRules : HandleRules {
  cudaGraphNode_t node = nullptr;

  static cudaError_t set(cudaGraphNode_t node, int updatable) {
    cudaKernelNodeAttrValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = updatable;
    return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode,
                                           &value);
  }
  static int get(cudaGraphNode_t node) {
    cudaKernelNodeAttrValue value{};
    EXPECT_EQ(cudaSuccess, cudaGraphKernelNodeGetAttribute(
                               node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    return value.deviceUpdatableKernelNode.deviceUpdatable;
  }
  void SetUp() override {
    HandleRules::SetUp();
    captureChain(stream, &graph, 2);
    node = nodesOf(graph)[0];
    EXPECT_EQ(0, get(node));
    OK(set(node, 1));
  }
};

TEST_F(UpdatableRules, NodeTellsItsUpdatability) {
  EXPECT_EQ(1, get(node));
  EXPECT_EQ(0, get(nodesOf(graph)[1]));
}

TEST_F(UpdatableRules, NodeStaysUpdatable) {
  // An updatable node stays so, and stays in its graph.
  EXPECT_NE(cudaSuccess, set(node, 0));
  EXPECT_NE(cudaSuccess, cudaGraphDestroyNode(node));
  EXPECT_NE(cudaSuccess, cudaGraphKernelNodeCopyAttributes(nodesOf(graph)[1], node));
}

TEST_F(UpdatableRules, GraphAllowsOneExec) {
  // One exec is made of its graph, and is not updated.
  Exec second;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_NE(cudaSuccess, cudaGraphInstantiate(&second, graph, 0));
  captureChain(stream, &other, 2);
  EXPECT_NE(cudaSuccess, cudaGraphExecUpdate(exec, other, &info));
}

TEST_F(UpdatableRules, NodesMayBeAddedBeside) {
  cudaGraphNode_t added = nullptr;
  OK(cudaGraphAddEmptyNode(&added, graph, &node, 1));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphUpload(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

} // namespace
} // namespace conformance
