// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tests need of a CUDA 12 toolkit's header, as that declares it: forms without edge data
// under the plain names, with it under names that end in _v2, the capture info in two versions. Of
// 12.3, or of the version that CUDART_VERSION says.

#ifndef CUDA12_RUNTIME_API_H
#define CUDA12_RUNTIME_API_H

#ifndef CUDART_VERSION
#define CUDART_VERSION 12030
#endif

#include <stddef.h>

typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0 };
typedef struct cudaGraphEdgeData_st {
  unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
struct cudaGraphNodeParams;
struct cudaMemcpyAttributes;

#ifdef __cplusplus
extern "C" {
#define OR(value) = value
#else
#define OR(value)
#endif

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id OR(0), cudaGraph_t *graph OR(0),
                                        const cudaGraphNode_t **dependencies OR(0),
                                        size_t *count OR(0));
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id OR(0), cudaGraph_t *graph OR(0),
                                        const cudaGraphNode_t **dependencies OR(0),
                                        const cudaGraphEdgeData **edgeData OR(0),
                                        size_t *count OR(0));
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, size_t count,
                             struct cudaGraphNodeParams *params);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, size_t count,
                                struct cudaGraphNodeParams *params);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edgeData, size_t count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags OR(0));
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
#if CUDART_VERSION >= 12080
cudaError_t cudaMemcpyBatchAsync(void **targets, void **sources, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *attributesOf,
                                 size_t attributeCount, size_t *failedAt, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#undef OR

#endif // CUDA12_RUNTIME_API_H
