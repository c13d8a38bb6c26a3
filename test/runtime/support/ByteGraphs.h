// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs whose effect a test can see: values are written by memset and copy nodes, which also the
// simulation carries out.

#ifndef GRAPHPROF_TEST_SUPPORT_BYTEGRAPHS_H
#define GRAPHPROF_TEST_SUPPORT_BYTEGRAPHS_H

#include <vector>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {

/// One byte on the device that a graph sets, and one on the host that it copies it to.
class ByteGraphs : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMalloc(&byte_, 1));
    CUDA_OK(cudaMallocHost(&seen_, 1));
    *seen_ = 0;
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // the replays of one test are no other's
    cudaFree(byte_);
    cudaFreeHost(seen_);
  }

  /// Sets the byte to `value` and shows it in *seen_.
  void set(int value) {
    cudaMemsetAsync(byte_, value, 1, stream_);
    cudaMemcpyAsync(seen_, byte_, 1, cudaMemcpyDeviceToHost, stream_);
  }
  /// A graph that sets the byte to `value` and shows it in *seen_, with a region named after it.
  cudaGraph_t setting(int value, bool withRegion = true, bool longer = false) {
    return capture(stream_, [&] {
      if (withRegion) {
        GRAPHPROF_SCOPE(1, "set {}", onStream(stream_), value);
        set(value);
      } else {
        set(value);
      }
      if (longer)
        shortWork(stream_);
    });
  }
  /// What a memset node takes that does so.
  cudaMemsetParams setTo(unsigned value) const {
    cudaMemsetParams params{};
    params.dst = byte_;
    params.value = value;
    params.elementSize = 1;
    params.width = 1;
    params.height = 1;
    return params;
  }
  static cudaGraphNode_t memsetNode(cudaGraph_t graph) {
    std::vector<cudaGraphNode_t> nodes(nodeCount(graph));
    std::size_t count = nodes.size();
    cudaGraphGetNodes(graph, nodes.data(), &count);
    for (cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      cudaGraphNodeGetType(node, &type);
      if (type == cudaGraphNodeTypeMemset)
        return node;
    }
    ADD_FAILURE() << "no memset node";
    return nullptr;
  }

  TestStream stream_;
  unsigned char *byte_ = nullptr;
  unsigned char *seen_ = nullptr;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_BYTEGRAPHS_H
