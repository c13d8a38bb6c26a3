// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Only compiled: calls each function that CUDA 13 changed, in the form of the requested CUDA
// version.

void changed(cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t node, cudaGraphNode_t *nodes,
             cudaGraphNodeParams *params, void **memory, cudaMemcpyAttributes *attributes) {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  size_t count = 0;
  (void)cudaStreamGetCaptureInfo(stream, &status, &id);
#if CUDART_VERSION >= 13000
  (void)cudaStreamGetCaptureInfo(stream, &status, &id, &graph, nullptr, nullptr, &count);
  (void)cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count);
  (void)cudaGraphGetEdges(graph, nodes, nodes, nullptr, &count);
  (void)cudaGraphNodeGetDependencies(node, nodes, nullptr, &count);
  (void)cudaGraphNodeGetDependentNodes(node, nodes, nullptr, &count);
  (void)cudaGraphAddDependencies(graph, nodes, nodes, nullptr, count);
  (void)cudaGraphRemoveDependencies(graph, nodes, nodes, nullptr, count);
  (void)cudaGraphAddNode(&node, graph, nodes, nullptr, count, params);
  (void)cudaMemcpyBatchAsync(memory, memory, &count, count, attributes, &count, count, stream);
#else
  (void)cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, nullptr, &count);
  (void)cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, nullptr, nullptr, &count);
  (void)cudaStreamUpdateCaptureDependencies(stream, nodes, count);
  (void)cudaGraphGetEdges(graph, nodes, nodes, &count);
  (void)cudaGraphNodeGetDependencies(node, nodes, &count);
  (void)cudaGraphNodeGetDependentNodes(node, nodes, &count);
  (void)cudaGraphAddDependencies(graph, nodes, nodes, count);
  (void)cudaGraphRemoveDependencies(graph, nodes, nodes, count);
  (void)cudaGraphAddNode(&node, graph, nodes, count, params);
  (void)cudaMemcpyBatchAsync(memory, memory, &count, count, attributes, &count, count, &count,
                             stream);
  (void)cudaGraphAddNode_v2(&node, graph, nodes, nullptr, count, params);
#endif
}
