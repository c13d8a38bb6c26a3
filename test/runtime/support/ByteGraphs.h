// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with visible effects: memset and copy nodes write values, which the simulation does, too.

#ifndef GRAPHPROF_TEST_SUPPORT_BYTEGRAPHS_H
#define GRAPHPROF_TEST_SUPPORT_BYTEGRAPHS_H

#include <vector>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {

/// A graph sets a byte on the device and copies it to a byte on the host.
class ByteGraphs : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMalloc(&byte_, 1));
    CUDA_OK(cudaMallocHost(&seen_, 1));
    *seen_ = 0;
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // so that no replays are left for the next test
    cudaFree(byte_);
    cudaFreeHost(seen_);
  }

  /// Sets the byte to `value` and copies it to *seen_.
  void set(int value) {
    cudaMemsetAsync(byte_, value, 1, stream_);
    cudaMemcpyAsync(seen_, byte_, 1, cudaMemcpyDeviceToHost, stream_);
  }
  /// A graph that sets the byte to `value` and copies it to *seen_, with a region named after the
  /// value.
  cudaGraph_t setting(int value, bool withRegion = true, bool longer = false) {
    return capture(stream_, [&] {
      if (withRegion) {
        GRAPHPROF_SCOPE(1, "set {}", on_stream(stream_), value);
        set(value);
      } else {
        set(value);
      }
      if (longer)
        shortWork(stream_);
    });
  }
  /// The parameters of a memset node that sets the byte.
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
