// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs, through the redirected calls.

#ifndef GRAPHPROF_TEST_SUPPORT_CHILDGRAPHS_H
#define GRAPHPROF_TEST_SUPPORT_CHILDGRAPHS_H

#include "support/Recorder.h"

namespace graphprof::test {

inline cudaGraphNode_t addChild(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &behind,
                                cudaGraph_t child) {
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaSuccess,
            cuda::cudaGraphAddChildGraphNode(&node, graph, behind.data(), behind.size(), child));
  return node;
}

/// Adds a child node at the current point of the stream's capture.
inline cudaGraphNode_t addChild(cudaStream_t stream, cudaGraph_t child) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t *frontier = nullptr;
  std::size_t count = 0;
  EXPECT_EQ(cudaSuccess,
            cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &frontier, nullptr, &count));
  cudaGraphNode_t node = addChild(graph, {frontier, frontier + count}, child);
  EXPECT_EQ(cudaSuccess, cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                                             cudaStreamSetCaptureDependencies));
  return node;
}

/// The graph in a child node.
inline cudaGraph_t heldBy(cudaGraphNode_t node) {
  cudaGraph_t held = nullptr;
  EXPECT_EQ(cudaSuccess, cudaGraphChildGraphNodeGetGraph(node, &held));
  return held;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_CHILDGRAPHS_H
