// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Nodes that signal external semaphores, or wait for them, and nodes that write words: what the
// program adds, or gives them, both execs do. In C and in C++, in either API. On the simulation,
// where a semaphore is a word of the program's: on a GPU it is another library's.

#include "graphprof/cuda_driver.h"

#include "c/calls.h"
#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

class Semaphores : public ByteGraphs {
protected:
  void SetUp() override {
    ByteGraphs::SetUp();
    cudaExternalSemaphoreHandleDesc description{};
    description.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    description.handle.nvSciSyncObj = &value_;
    CUDA_OK(cudaImportExternalSemaphore(&semaphore_, &description));
  }
  void TearDown() override {
    CUDA_OK(cudaDestroyExternalSemaphore(semaphore_));
    ByteGraphs::TearDown();
  }

  /// Both execs of the pair set the word to `value`.
  void expectBoth(cudaGraphExec_t exec, unsigned long long value) {
    for (const bool timed : {true, false}) {
      value_ = 0;
      timed ? start() : stop();
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
      CUDA_OK(cudaStreamSynchronize(stream_));
      EXPECT_EQ(value, value_) << (timed ? "the profiled exec" : "the program's own");
    }
    start();
  }
  /// Adds a node, gives it something else in the graph, and in an exec. `give(step)` sets params.
  template <class Node, class Params, class Add, class Set, class Edit, class Give>
  void follow(Params &params, Add add, Set set, Edit edit, Give give) {
    Recorder recorder;
    const cudaGraph_t graph = setting(1);
    Node node = nullptr;
    give(1);
    ASSERT_EQ(0, static_cast<int>(add(&node, graph, nullptr, 0, &params)));
    const cudaGraphExec_t first = instantiate(graph);
    expectBoth(first, 1);
    give(2);
    ASSERT_EQ(0, static_cast<int>(edit(node, &params)));
    expectBoth(first, 1);
    const cudaGraphExec_t second = instantiate(graph);
    expectBoth(second, 2);
    give(3);
    ASSERT_EQ(0, static_cast<int>(set(second, node, &params)));
    expectBoth(second, 3);
    EXPECT_EQ(std::vector<std::string>(4, "set 1"), recorder.names());
    destroy({first, second}, {graph});
  }

  unsigned long long value_ = 0;
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

TEST_F(Semaphores, SignalReachesBothExecs) {
  cudaExternalSemaphoreSignalParams signal{};
  cudaExternalSemaphoreSignalNodeParams params{&semaphore_, &signal, 1};
  const auto give = [&](unsigned long long value) { signal.params.fence.value = value; };
  follow<cudaGraphNode_t>(params, runtimeCalls.addSignal, runtimeCalls.setSignal,
                          runtimeCalls.editSignal, give);
  follow<cudaGraphNode_t>(params, cuda::cudaGraphAddExternalSemaphoresSignalNode,
                          cuda::cudaGraphExecExternalSemaphoresSignalNodeSetParams,
                          cuda::cudaGraphExternalSemaphoresSignalNodeSetParams, give);
}

TEST_F(Semaphores, DriverSignalReachesBothExecs) {
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
  auto semaphore = reinterpret_cast<CUexternalSemaphore>(semaphore_);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS params{&semaphore, &signal, 1};
  const auto give = [&](unsigned long long value) { signal.params.fence.value = value; };
  follow<CUgraphNode>(params, driverCalls.addSignal, driverCalls.setSignal, driverCalls.editSignal,
                      give);
  follow<CUgraphNode>(params, cuda::cuGraphAddExternalSemaphoresSignalNode,
                      cuda::cuGraphExecExternalSemaphoresSignalNodeSetParams,
                      cuda::cuGraphExternalSemaphoresSignalNodeSetParams, give);
}

TEST_F(Semaphores, WrittenWordsReachBothExecs) {
  CUstreamBatchMemOpParams word{};
  word.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  word.writeValue.address = reinterpret_cast<CUdeviceptr>(&value_);
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{nullptr, 1, &word, 0};
  ASSERT_EQ(CUDA_SUCCESS, cuCtxGetCurrent(&params.ctx));
  const auto give = [&](unsigned long long value) { word.writeValue.value64 = value; };
  follow<CUgraphNode>(params, driverCalls.addWords, driverCalls.setWords, driverCalls.editWords,
                      give);
  follow<CUgraphNode>(params, cuda::cuGraphAddBatchMemOpNode,
                      cuda::cuGraphExecBatchMemOpNodeSetParams,
                      cuda::cuGraphBatchMemOpNodeSetParams, give);
}

TEST_F(Semaphores, WaitReachesBothExecs) {
  cudaExternalSemaphoreWaitParams wait{};
  cudaExternalSemaphoreWaitNodeParams params{&semaphore_, &wait, 1};
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS driverWait{};
  auto semaphore = reinterpret_cast<CUexternalSemaphore>(semaphore_);
  CUDA_EXT_SEM_WAIT_NODE_PARAMS driverParams{&semaphore, &driverWait, 1};
  const Losses before = losses();
  Recorder recorder;
  const auto follow = [&](auto add, auto set, auto edit, auto *given) {
    const cudaGraph_t graph = setting(1);
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(0, static_cast<int>(add(&node, graph, nullptr, 0, given)));
    ASSERT_EQ(0, static_cast<int>(edit(node, given)));
    const cudaGraphExec_t exec = instantiate(graph);
    ASSERT_EQ(0, static_cast<int>(set(exec, node, given)));
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    destroy({exec}, {graph});
  };
  follow(runtimeCalls.addWait, runtimeCalls.setWait, runtimeCalls.editWait, &params);
  follow(cuda::cudaGraphAddExternalSemaphoresWaitNode,
         cuda::cudaGraphExecExternalSemaphoresWaitNodeSetParams,
         cuda::cudaGraphExternalSemaphoresWaitNodeSetParams, &params);
  follow(driverCalls.addWait, driverCalls.setWait, driverCalls.editWait, &driverParams);
  follow(cuda::cuGraphAddExternalSemaphoresWaitNode,
         cuda::cuGraphExecExternalSemaphoresWaitNodeSetParams,
         cuda::cuGraphExternalSemaphoresWaitNodeSetParams, &driverParams);
  EXPECT_EQ(4u, recorder.all().size());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

} // namespace
} // namespace graphprof::test
