// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the tests need of a CUDA 13.3 toolkit's header, as that declares it: functions that came
// with 13.2 and 13.3, and contexts that end.

#ifndef CUDA13_CUDA_H
#define CUDA13_CUDA_H

#define CUDA_VERSION 13030

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDA_API_PTSZ(name) name##_ptsz
#define cuStreamBeginRecaptureToGraph __CUDA_API_PTSZ(cuStreamBeginRecaptureToGraph)
#define cuStreamBeginCaptureToCig __CUDA_API_PTSZ(cuStreamBeginCaptureToCig)
#define cuStreamEndCaptureToCig __CUDA_API_PTSZ(cuStreamEndCaptureToCig)
#endif
#define cuCtxDestroy cuCtxDestroy_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2

typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;
typedef enum CUstreamCaptureMode_enum { CU_STREAM_CAPTURE_MODE_GLOBAL = 0 } CUstreamCaptureMode;
typedef enum CUgraphRecaptureStatus_enum {
  CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE = 0
} CUgraphRecaptureStatus;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphNodeParams_st CUgraphNodeParams;
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams;
typedef CUresult (*CUgraphRecaptureCallback)(void *data, CUgraphNode node,
                                             const CUgraphNodeParams *originalParams,
                                             const CUgraphNodeParams *recaptureParams,
                                             CUgraphRecaptureStatus status);

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuStreamBeginRecaptureToGraph(CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                                       CUgraphRecaptureCallback callback, void *userData);
CUresult cuStreamBeginCaptureToCig(CUstream stream, CUstreamCigCaptureParams *params);
CUresult cuStreamEndCaptureToCig(CUstream stream);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuGreenCtxDestroy(CUgreenCtx context);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
#ifdef __cplusplus
}
#endif

#endif // CUDA13_CUDA_H
