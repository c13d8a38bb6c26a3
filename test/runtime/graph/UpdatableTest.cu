// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kernel nodes that the device may update. CUDA makes one exec of a graph that holds some, so such
// a graph is timed in place, or not at all.

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

void launchUpdatable(cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cudaSuccess, cudaLaunchKernelExC(&config, shortKernel(), nullptr));
}

cudaError_t makeUpdatable(cudaGraphNode_t node) {
  cudaKernelNodeAttrValue value{};
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  return cuda::cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode,
                                               &value);
}

class Updatable : public testing::Test {
protected:
  void TearDown() override {
    EXPECT_TRUE(flush()); // the replays of one test are no other's
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }
  void launch(cudaGraphExec_t exec, int times) {
    CUDA_OK(cuda::cudaGraphUpload(exec, stream_)); // before the first launch, says CUDA
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }

  TestStream stream_;
};

TEST_F(Updatable, CapturedUpdatableIsTimedInPlace) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(1, "before", on_stream(stream_));
      shortWork(stream_);
    }
    GRAPHPROF_SCOPE(2, "updatable", on_stream(stream_));
    launchUpdatable(stream_);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_LT(2u, nodeCount(graph)) << "its timing nodes stand in it";
  launch(exec, 2);
  EXPECT_EQ((Names{"before", "updatable", "before", "updatable"}), recorder.names());
  EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  destroy({exec}, {graph});
}

TEST_F(Updatable, LaterUpdatableIsTimed) {
  // A graph is timed too if a node became updatable after its capture.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
    shortWork(stream_);
  });
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  CUDA_OK(cudaGraphGetNodes(graph, &node, &count));
  CUDA_OK(makeUpdatable(node));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 1);
  EXPECT_EQ(Names{"work"}, recorder.names());
  destroy({exec}, {graph});
}

TEST_F(Updatable, HandBuiltUpdatableIsCounted) {
  // An updatable graph that is built by hand is counted.
  const Losses before = losses();
  Recorder recorder;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
    cudaGraphNode_t node = nullptr;
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = params.blockDim = dim3(1);
    CUDA_OK(cuda::cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    CUDA_OK(makeUpdatable(node));
  }
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(1u, nodeCount(graph));
  launch(exec, 2);
  EXPECT_EQ(Names(), recorder.names());
  EXPECT_EQ(before.not_instantiated + 1, losses().not_instantiated);
  destroy({exec}, {graph});
}

TEST_F(Updatable, EarlierExecStaysTimed) {
  // An exec made before is left as it was.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
    shortWork(stream_);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  CUDA_OK(cudaGraphGetNodes(graph, &node, &count));
  CUDA_OK(makeUpdatable(node));
  launch(exec, 1);
  EXPECT_EQ(Names{"work"}, recorder.names());
  destroy({exec}, {graph});
}

} // namespace
} // namespace graphprof::test
