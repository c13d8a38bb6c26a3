// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The part of CUDA's driver ABI that the lists of redirected calls speak of, under CUDA's own
// names, so that libgraphprof_preload.so is built from these lists without a toolkit: the forms
// include <cuda.h>, and in this library that is this file. What no form looks into stays undefined.
// test/preload/AbiTest compares it with the real cuda.h where there is one.

#ifndef GRAPHPROF_PRELOAD_ABI_CUDA_H
#define GRAPHPROF_PRELOAD_ABI_CUDA_H

#include <stddef.h>
#include <stdint.h>

// The newest that the lists know.
#define CUDA_VERSION 13000

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NOT_FOUND = 500,
};
enum CUstreamCaptureMode : int {};
enum CUgraphExecUpdateResult : int {};
enum CUgraphInstantiateResult : int {};
enum CUarray_format : int {};
enum CUkernelNodeAttrID : int {};
enum CUdriverProcAddressQueryResult : int {};
enum CUgraphConditionalNodeType : int {};
enum CUmemAllocationType : int {};
enum CUmemAllocationHandleType : int {};
enum CUmemorytype : int {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};
enum CUgraphNodeType : int { CU_GRAPH_NODE_TYPE_KERNEL = 0, CU_GRAPH_NODE_TYPE_GRAPH = 4 };
enum CUmemLocationType : int { CU_MEM_LOCATION_TYPE_DEVICE = 1 };
enum CUgraphChildGraphNodeOwnership : int { CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0 };
// CUdriverProcAddress_flags
constexpr unsigned long long CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;
using CUgraphConditionalHandle = unsigned long long;
using cuuint64_t = uint64_t;

using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUcontext = struct CUctx_st *;
using CUgreenCtx = struct CUgreenCtx_st *;
using CUfunction = struct CUfunc_st *;
using CUkernel = struct CUkern_st *;
using CUarray = struct CUarray_st *;
using CUmipmappedArray = struct CUmipmappedArray_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;

// CUDA 13.2
struct CUstreamCigCaptureParams;

// CUDA 13.3
// NOLINTNEXTLINE(bugprone-tagged-union-member-count): as much as the forms look into
struct CUgraphNodeParams;
enum CUgraphRecaptureStatus : int {};
using CUgraphRecaptureCallback = CUresult (*)(void *data, CUgraphNode node,
                                              const CUgraphNodeParams *originalParams,
                                              const CUgraphNodeParams *recaptureParams,
                                              CUgraphRecaptureStatus status);

// Passed on as they are
struct CUgraphEdgeData;
struct CUgraphExecUpdateResultInfo;
struct CUkernelNodeAttrValue;
struct CUmemcpyAttributes;
struct CUlaunchAttribute;
struct CUDA_MEMSET_NODE_PARAMS;
struct CUDA_HOST_NODE_PARAMS;
struct CUDA_BATCH_MEM_OP_NODE_PARAMS;
struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
struct CUDA_EXT_SEM_WAIT_NODE_PARAMS;

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};
struct CUDA_KERNEL_NODE_PARAMS_v1 {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
};
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
  CUkernel kern;
  CUcontext ctx;
};
struct CUDA_ARRAY_DESCRIPTOR {
  size_t Width;
  size_t Height;
  CUarray_format Format;
  unsigned int NumChannels;
};
struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width;
  size_t Height;
  size_t Depth;
  CUarray_format Format;
  unsigned int NumChannels;
  unsigned int Flags;
};
struct CUDA_MEMCPY2D {
  size_t srcXInBytes;
  size_t srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes;
  size_t dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes;
  size_t Height;
};
struct CUDA_MEMCPY3D {
  size_t srcXInBytes;
  size_t srcY;
  size_t srcZ;
  size_t srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch;
  size_t srcHeight;
  size_t dstXInBytes;
  size_t dstY;
  size_t dstZ;
  size_t dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch;
  size_t dstHeight;
  size_t WidthInBytes;
  size_t Height;
  size_t Depth;
};
struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
struct CUmemPoolProps {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
struct CUDA_MEM_ALLOC_NODE_PARAMS {
  CUmemPoolProps poolProps;
  const void *accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  CUdeviceptr dptr;
};
struct CUDA_MEM_FREE_NODE_PARAMS {
  CUdeviceptr dptr;
};
struct CUDA_CHILD_GRAPH_NODE_PARAMS {
  CUgraph graph;
  CUgraphChildGraphNodeOwnership ownership;
};
struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned int size;
  CUgraph *phGraph_out;
  CUcontext ctx;
};
// NOLINTNEXTLINE(bugprone-tagged-union-member-count): as much as the forms look into
struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_CHILD_GRAPH_NODE_PARAMS graph;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    CUDA_MEM_FREE_NODE_PARAMS free;
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
  };
  long long reserved2;
};
struct CUDA_GRAPH_INSTANTIATE_PARAMS {
  cuuint64_t flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  CUgraphInstantiateResult result_out;
};

// What the forms ask the driver: NextSymbols.cpp. Not CUDA's names to the linker.
#define cuFuncGetName graphprof_preload_funcGetName
#define cuKernelGetName graphprof_preload_kernelGetName
extern "C" {
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
}

#endif // GRAPHPROF_PRELOAD_ABI_CUDA_H
