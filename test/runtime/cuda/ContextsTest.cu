// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which context a copied node gets, with drivers that tell and with those that do not.

#include <cuda.h>
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include "cuda/Driver.h"
#include "cudasim/cudasim.h"
#include "graph/topology/NodeCopy.h"

namespace graphprof {
namespace {

__global__ void kernel() {}

class Contexts : public testing::Test {
protected:
  void SetUp() override {
    cudasim::reset();
    ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
    ASSERT_TRUE(driver::functions());
    CUdevResource all{};
    CUdevResourceDesc description = nullptr;
    ASSERT_EQ(CUDA_SUCCESS, cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    ASSERT_EQ(CUDA_SUCCESS, cuDevResourceGenerateDesc(&description, &all, 1));
    ASSERT_EQ(CUDA_SUCCESS, cuGreenCtxCreate(&green_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    ASSERT_EQ(CUDA_SUCCESS, cuCtxFromGreenCtx(&context_, green_));
    ASSERT_EQ(CUDA_SUCCESS,
              cuGreenCtxStreamCreate(&greenStream_, green_, CU_STREAM_NON_BLOCKING, 0));
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&memory_, 16));
  }
  // As with a driver before CUDA 13.2.
  static void tellNothing() {
    for (unsigned nth = 1; nth <= 20; ++nth)
      cudasim::failCall("cuGraphNodeGetParams", nth, cudaErrorNotSupported);
  }
  // A kernel and a memset.
  cudaGraph_t captured(cudaStream_t stream, bool withMemset = true) const {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    kernel<<<1, 1, 0, stream>>>();
    if (withMemset)
      EXPECT_EQ(cudaSuccess, cudaMemsetAsync(memory_, 1, 16, stream));
    EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    return graph;
  }
  // The contexts of the copies of its nodes.
  static std::vector<CUcontext> contextsOfCopies(cudaGraph_t graph) {
    cudaGraph_t copy = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphCreate(&copy, 0));
    const Shape shape(graph);
    std::vector<CUcontext> contexts;
    for (std::size_t place = 0; place < shape.created().size(); ++place) {
      const driver::Node made = copyOf(shape.created()[place], *shape.typeOf(place), copy, {});
      CUgraphNodeParams params{};
      EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetParams(made, &params));
      contexts.push_back(params.type == CU_GRAPH_NODE_TYPE_KERNEL ? params.kernel.ctx
                                                                  : params.memset.ctx);
    }
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(copy));
    return contexts;
  }
  static CUcontext primary() {
    CUcontext context = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
    return context;
  }

  CUgreenCtx green_ = nullptr;
  CUcontext context_ = nullptr;
  CUstream greenStream_ = nullptr;
  cudaStream_t stream_ = nullptr;
  void *memory_ = nullptr;
};

TEST_F(Contexts, CopiesHaveTheirNodes) {
  EXPECT_EQ((std::vector<CUcontext>{context_, context_}), contextsOfCopies(captured(greenStream_)));
  EXPECT_EQ((std::vector<CUcontext>{primary(), primary()}), contextsOfCopies(captured(stream_)));
}

TEST_F(Contexts, AreToldByNewDrivers) {
  EXPECT_TRUE(tellsContexts(Shape(captured(greenStream_))));
  EXPECT_TRUE(tellsContexts(Shape(captured(stream_))));
}

TEST_F(Contexts, OfMemsetsBesideGreenKernelsAreNotToldByOldDrivers) {
  const Shape green(captured(greenStream_)), plain(captured(stream_)),
      kernels(captured(greenStream_, false));
  tellNothing();
  EXPECT_FALSE(tellsContexts(green));
  EXPECT_TRUE(tellsContexts(plain));
  EXPECT_TRUE(tellsContexts(kernels)) << "the driver tells those of kernels";
}

} // namespace
} // namespace graphprof
