// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tool's tests need of CUDA's driver API to parse: declarations under the versioned names that libcuda exports, and,
// as in CUDA's own header, macros of the names that programs write. Valid C.

#ifndef GRAPHPROF_TEST_INPUTS_CUDA_H
#define GRAPHPROF_TEST_INPUTS_CUDA_H

#include <stddef.h>

#define CUDA_VERSION 13000

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDA_API_PTDS(name) name##_ptds
#define __CUDA_API_PTSZ(name) name##_ptsz
#define cuGraphLaunch __CUDA_API_PTSZ(cuGraphLaunch)
#define cuStreamEndCapture __CUDA_API_PTSZ(cuStreamEndCapture)
#else
#define __CUDA_API_PTDS(name) name
#define __CUDA_API_PTSZ(name) name
#endif
#define cuStreamBeginCapture __CUDA_API_PTSZ(cuStreamBeginCapture_v2)
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuMemcpyHtoD __CUDA_API_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyHtoDAsync __CUDA_API_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemcpyDtoH __CUDA_API_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpy2D __CUDA_API_PTDS(cuMemcpy2D_v2)
#define cuMemcpyBatchAsync __CUDA_API_PTSZ(cuMemcpyBatchAsync_v2)
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphExecUpdate cuGraphExecUpdate_v2

typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;
typedef enum CUstreamCaptureMode_enum { CU_STREAM_CAPTURE_MODE_GLOBAL = 0 } CUstreamCaptureMode;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemAllocationProp_st CUmemAllocationProp;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUDA_ARRAY_DESCRIPTOR_st CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY2D_st CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st CUDA_MEMCPY3D;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st CUDA_EXT_SEM_WAIT_NODE_PARAMS;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode target, CUgraphNode source);
CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                                size_t count, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                          const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                              size_t count, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                        const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes);
CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *memory, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult cuMemAllocHost(void **memory, size_t bytes);
CUresult cuMemAllocManaged(CUdeviceptr *memory, size_t bytes, unsigned int flags);
CUresult cuMemAllocPitch(CUdeviceptr *memory, size_t *pitch, size_t width, size_t height, unsigned int elementSize);
CUresult cuMemFree(CUdeviceptr memory);
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream);
CUresult cuMemFreeHost(void *memory);
CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *memory);
CUresult cuMemMap(CUdeviceptr memory, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr memory, size_t bytes);
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned int levels);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t count);
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t count, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t count);
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t count, CUstream stream);
CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t count);
CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t count, CUstream stream);
CUresult cuMemcpyDtoD(CUdeviceptr target, CUdeviceptr source, size_t count);
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t count, CUstream stream);
CUresult cuMemcpyHtoA(CUarray target, size_t offset, const void *source, size_t count);
CUresult cuMemcpyHtoAAsync(CUarray target, size_t offset, const void *source, size_t count, CUstream stream);
CUresult cuMemcpyAtoH(void *target, CUarray source, size_t offset, size_t count);
CUresult cuMemcpyAtoHAsync(void *target, CUarray source, size_t offset, size_t count, CUstream stream);
CUresult cuMemcpyAtoD(CUdeviceptr target, CUarray source, size_t offset, size_t count);
CUresult cuMemcpyDtoA(CUarray target, size_t offset, CUdeviceptr source, size_t count);
CUresult cuMemcpyAtoA(CUarray target, size_t targetOffset, CUarray source, size_t sourceOffset, size_t count);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *params);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *params);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *params, CUstream stream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *params);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *params, CUstream stream);
CUresult cuMemcpyBatchAsync(CUdeviceptr *targets, CUdeviceptr *sources, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *attributesOf, size_t attributeCount,
                            CUstream stream);
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *parameters);
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result);
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphDestroy(CUgraph graph);

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_TEST_INPUTS_CUDA_H
