// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Batches of copies in one call: what they move, and which are refused.

#include "Copies.h"

namespace conformance {
namespace {

// A batch of two copies: the first 8 bytes from host to device, then the next 8.
struct BatchRules : Copies {
  void *targets[2] = {device, device + 8};
  const void *sources[2] = {source.data(), source.data() + 8};
  std::size_t sizes[2] = {8, 8};
  cudaMemcpyAttributes attributes[2] = {};
  std::size_t firsts[2] = {0, 1};

  BatchRules() {
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  }
  void SetUp() override {
    NEEDS_CUDA(12, 8);
    Copies::SetUp();
  }
  cudaError_t submit(cudaStream_t to, std::size_t count = 2, std::size_t attributeCount = 2) {
    return cudaMemcpyBatchAsync(targets, sources, sizes, count, attributes, firsts, attributeCount,
                                to);
  }
  void expectMoved(bool moved) {
    OK(cudaStreamSynchronize(stream));
    Bytes expected(kSize);
    if (moved)
      std::copy_n(source.begin(), 16, expected.begin());
    EXPECT_EQ(expected, inDevice());
  }
};

TEST_F(BatchRules, BatchMovesAllCopies) {
  OK(submit(stream));
  expectMoved(true);
}

TEST_F(BatchRules, AttributesMayServeAllCopies) {
  // One set of attributes will do for all copies.
  OK(submit(stream, 2, 1));
  expectMoved(true);
  OK(cudaMemcpyBatchAsync(targets, sources, sizes, 2, attributes[0], stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_F(BatchRules, DriverHasSameBatches) {
  NEEDS_CUDA(13, 0); // in this form
  CUdeviceptr to[] = {address(device), address(device + 8)};
  CUdeviceptr from[] = {address(source.data()), address(source.data() + 8)};
  CUmemcpyAttributes each{};
  each.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyBatchAsync)(to, from, sizes, 2, &each, firsts, 1, stream));
  expectMoved(true);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            DRIVER(cuMemcpyBatchAsync)(to, from, sizes, 2, &each, firsts, 1, nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            DRIVER(cuMemcpyBatchAsync)(nullptr, from, sizes, 2, &each, firsts, 1, stream));
}

TEST_F(BatchRules, LegacyStreamTakesNoBatch) {
  EXPECT_CUDA(cudaErrorInvalidValue, submit(nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, submit(cudaStreamLegacy));
  OK(submit(cudaStreamPerThread));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(BatchRules, CopyNeedsAttributes) {
  // Each copy of a batch has attributes, and no attributes are without a copy.
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream, 2, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream, 1, 2)); // more than copies
  firsts[0] = 1;
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream, 2, 1));
  firsts[0] = firsts[1] = 0;
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream));
  expectMoved(false);
}

TEST_F(BatchRules, AttributesSayWhenSourceIsRead) {
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream));
  expectMoved(false);
}

TEST_F(BatchRules, CopiesBeforeWrongOneAreMade) {
  targets[1] = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream));
  OK(cudaStreamSynchronize(stream));
  Bytes expected(kSize);
  std::copy_n(source.begin(), 8, expected.begin());
  EXPECT_EQ(expected, inDevice());
}

TEST_F(BatchRules, EmptyBatchIsRefused) {
  EXPECT_CUDA(cudaErrorInvalidValue, submit(stream, 0, 0));
}

TEST_F(BatchRules, CaptureOutlivesRefusedBatch) {
  // A capture refuses a batch, and goes on.
  Graph graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  spinOn(stream);
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, submit(stream));
  EXPECT_EQ(cudaStreamCaptureStatusActive, captureStatus(stream));
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(1u, nodesOf(graph).size());
  expectMoved(false);
}

} // namespace
} // namespace conformance
