// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// cuda.h here, for the runtime API.

#ifndef CUDA13_RUNTIME_API_H
#define CUDA13_RUNTIME_API_H

#define CUDART_VERSION 13030

typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0 };
typedef struct cudaGraphRecaptureCallbackData_st cudaGraphRecaptureCallbackData;

#ifdef __cplusplus
extern "C" {
#define OR(value) = value
#else
#define OR(value)
#endif
cudaError_t cudaStreamBeginRecaptureToGraph(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                                            cudaGraph_t graph,
                                            cudaGraphRecaptureCallbackData *callbackData OR(0));
#undef OR
#ifdef __cplusplus
}
#endif

#endif // CUDA13_RUNTIME_API_H
