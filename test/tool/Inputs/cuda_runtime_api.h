// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tool's tests need of CUDA's runtime API to parse: declarations only, spelled as CUDA 12 and 13 spell them.
// Valid C.

#pragma once

#include <stddef.h>

#define CUDART_VERSION 13000

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1 } cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
struct cudaMemcpy3DParms;
struct cudaMemcpyAttributes;
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeRelaxed = 2 };
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;
struct cudaKernelNodeParams;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
struct cudaChannelFormatDesc;
struct cudaPitchedPtr;
struct cudaExtent {
  size_t width, height, depth;
};
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

#if defined(__CUDA__)
#define GRAPHPROF_TEST_HOST __attribute__((host))
#define GRAPHPROF_TEST_DEVICE __attribute__((device))
#else
#define GRAPHPROF_TEST_HOST
#define GRAPHPROF_TEST_DEVICE
#endif

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDART_API_PTSZ(name) name##_ptsz
#define cudaGraphLaunch __CUDART_API_PTSZ(cudaGraphLaunch)
#define cudaStreamBeginCapture __CUDART_API_PTSZ(cudaStreamBeginCapture)
#endif

#ifdef __cplusplus
#define GRAPHPROF_TEST_DEFAULT(value) = value
extern "C" {
#else
#define GRAPHPROF_TEST_DEFAULT(value)
#endif
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy(void *target, const void *source, size_t count, enum cudaMemcpyKind kind);
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t count,
                                                enum cudaMemcpyKind kind,
                                                cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2D(void *target, size_t targetPitch, const void *source, size_t sourcePitch,
                                             size_t width, size_t height, enum cudaMemcpyKind kind);
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DAsync(void *target, size_t targetPitch, const void *source,
                                                  size_t sourcePitch, size_t width, size_t height,
                                                  enum cudaMemcpyKind kind,
                                                  cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *params);
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params,
                                                  cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count, size_t offset GRAPHPROF_TEST_DEFAULT(0),
                   enum cudaMemcpyKind kind GRAPHPROF_TEST_DEFAULT(cudaMemcpyHostToDevice));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t count,
                                                        size_t offset, enum cudaMemcpyKind kind,
                                                        cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t
cudaMemcpyFromSymbol(void *target, const void *symbol, size_t count, size_t offset GRAPHPROF_TEST_DEFAULT(0),
                     enum cudaMemcpyKind kind GRAPHPROF_TEST_DEFAULT(cudaMemcpyDeviceToHost));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *target, const void *symbol, size_t count, size_t offset,
                                                          enum cudaMemcpyKind kind,
                                                          cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DToArray(cudaArray_t target, size_t atX, size_t atY, const void *source,
                                                    size_t sourcePitch, size_t width, size_t height,
                                                    enum cudaMemcpyKind kind);
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t target, size_t atX, size_t atY, const void *source,
                                                         size_t sourcePitch, size_t width, size_t height,
                                                         enum cudaMemcpyKind kind,
                                                         cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DFromArray(void *target, size_t targetPitch, cudaArray_const_t source,
                                                      size_t atX, size_t atY, size_t width, size_t height,
                                                      enum cudaMemcpyKind kind);
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DFromArrayAsync(void *target, size_t targetPitch, cudaArray_const_t source,
                                                           size_t atX, size_t atY, size_t width, size_t height,
                                                           enum cudaMemcpyKind kind,
                                                           cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t target, size_t targetX, size_t targetY, cudaArray_const_t source, size_t sourceX, size_t sourceY,
    size_t width, size_t height, enum cudaMemcpyKind kind GRAPHPROF_TEST_DEFAULT(cudaMemcpyDeviceToDevice));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpyPeerAsync(void *target, int targetDevice, const void *source,
                                                    int sourceDevice, size_t count,
                                                    cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMemcpyBatchAsync(void *const *targets, const void *const *sources,
                                                     const size_t *sizes, size_t count,
                                                     struct cudaMemcpyAttributes *attributes, size_t *attributesOf,
                                                     size_t attributeCount, cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaMalloc(void **memory, size_t bytes);
GRAPHPROF_TEST_HOST cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                                        cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaMallocHost(void **memory, size_t bytes);
GRAPHPROF_TEST_HOST cudaError_t cudaMallocManaged(void **memory, size_t bytes,
                                                  unsigned flags GRAPHPROF_TEST_DEFAULT(1));
GRAPHPROF_TEST_HOST cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height);
GRAPHPROF_TEST_HOST cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent);
GRAPHPROF_TEST_HOST cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                                                size_t width, size_t height GRAPHPROF_TEST_DEFAULT(0),
                                                unsigned flags GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                                                  struct cudaExtent extent, unsigned flags GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                                         const struct cudaChannelFormatDesc *channels,
                                                         struct cudaExtent extent, unsigned levels,
                                                         unsigned flags GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaFreeArray(cudaArray_t array);
GRAPHPROF_TEST_HOST cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
GRAPHPROF_TEST_HOST cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
GRAPHPROF_TEST_HOST cudaError_t cudaFree(void *memory);
GRAPHPROF_TEST_HOST cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaFreeHost(void *memory);
GRAPHPROF_TEST_HOST cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                                                cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaStreamCreate(cudaStream_t *stream);
GRAPHPROF_TEST_HOST cudaError_t cudaStreamSynchronize(cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                    unsigned flags GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
GRAPHPROF_TEST_HOST cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const struct cudaGraphEdgeData_st *edges, size_t count);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const struct cudaGraphEdgeData_st *edges, size_t count);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                                  size_t *count);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     unsigned long long flags GRAPHPROF_TEST_DEFAULT(0));
GRAPHPROF_TEST_HOST cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                    cudaGraphExecUpdateResultInfo *result);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphDestroy(cudaGraph_t graph);
GRAPHPROF_TEST_HOST cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *dependencies, size_t count,
                                                       const struct cudaKernelNodeParams *parameters);
GRAPHPROF_TEST_HOST const char *cudaGetErrorString(cudaError_t error);
#ifdef __cplusplus
}
#endif
