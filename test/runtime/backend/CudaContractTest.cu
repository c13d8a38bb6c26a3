// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The contract of backends, for the CUDA backend, on the simulation and on a GPU.

#include <cuda_runtime.h>

#include "graphprof/testing/backend_contract.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class CudaDevice final : public testing::BackendDevice {
public:
  CudaDevice() { EXPECT_EQ(cudaSuccess, cudaStreamCreate(&stream_)); }
  ~CudaDevice() override { EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream_)); }
  const graphprof_backend &backend() override { return *graphprof_backend_find("cuda"); }
  graphprof_stream stream() override { return reinterpret_cast<graphprof_stream>(stream_); }
  void work(int tens) override {
    for (int i = 0; i < tens; ++i)
      shortWork(stream_);
  }
  void beginCapture() override {
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  }
  graphprof_graph endCapture() override {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(stream_, &graph));
    return reinterpret_cast<graphprof_graph>(graph);
  }
  graphprof_graph makeGraph() override {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
    return reinterpret_cast<graphprof_graph>(graph);
  }
  graphprof_node addWork(graphprof_graph graph, const Nodes &behind, int tens) override {
    std::vector<cudaGraphNode_t> nodes;
    for (const graphprof_node node : behind)
      nodes.push_back(reinterpret_cast<cudaGraphNode_t>(node));
    cudaKernelNodeParams params{};
    params.gridDim = params.blockDim = dim3(1, 1, 1);
    params.func = shortKernel();
    cudaGraphNode_t node = nullptr;
    for (int i = 0; i < tens; ++i) {
      EXPECT_EQ(cudaSuccess, cudaGraphAddKernelNode(&node, reinterpret_cast<cudaGraph_t>(graph),
                                                    nodes.data(), nodes.size(), &params));
      nodes = {node};
    }
    return reinterpret_cast<graphprof_node>(node);
  }
  graphprof_exec instantiate(graphprof_graph graph) override {
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, reinterpret_cast<cudaGraph_t>(graph), 0ULL));
    return reinterpret_cast<graphprof_exec>(exec);
  }
  bool launch(graphprof_exec exec) override {
    return cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(exec), stream_) == cudaSuccess;
  }
  void destroyExec(graphprof_exec exec) override {
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(reinterpret_cast<cudaGraphExec_t>(exec)));
  }
  void destroyGraph(graphprof_graph graph) override {
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(reinterpret_cast<cudaGraph_t>(graph)));
  }

private:
  cudaStream_t stream_ = nullptr;
};

testing::MakeBackendDevice cudaDevice() {
  return [] { return std::make_unique<CudaDevice>(); };
}

} // namespace
} // namespace graphprof::test

INSTANTIATE_TEST_SUITE_P(Cuda, BackendContract, testing::Values(graphprof::test::cudaDevice()));
INSTANTIATE_TEST_SUITE_P(Cuda, BackendGraphContract,
                         testing::Values(graphprof::test::cudaDevice()));
