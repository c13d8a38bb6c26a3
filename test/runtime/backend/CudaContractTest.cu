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
  ~CudaDevice() override {
    if (exec_) {
      EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec_));
      EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph_));
    }
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream_));
  }
  const graphprof_backend &backend() override { return *graphprof_backend_find("cuda"); }
  graphprof_stream stream() override { return reinterpret_cast<graphprof_stream>(stream_); }
  void work(int tens) override {
    for (int i = 0; i < tens; ++i)
      shortWork(stream_);
  }
  void beginCapture() override {
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  }
  void endCapture() override {
    EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(stream_, &graph_));
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec_, graph_, 0ULL));
  }
  bool launch() override { return cudaGraphLaunch(exec_, stream_) == cudaSuccess; }

private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

testing::MakeBackendDevice cudaDevice() {
  return [] { return std::make_unique<CudaDevice>(); };
}

} // namespace
} // namespace graphprof::test

INSTANTIATE_TEST_SUITE_P(Cuda, BackendContract, testing::Values(graphprof::test::cudaDevice()));
