// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What <graphprof/device/twin.h> uses of CUDA's runtime. runner.cpp has no functions of a device.

#pragma once

#include <stddef.h>

#define CUDART_VERSION 13000

typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUstream_st *cudaStream_t;
enum cudaError_t { cudaSuccess, cudaErrorInvalidDeviceFunction = 98 };

inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *, const void *) { return cudaErrorInvalidDeviceFunction; }
inline cudaError_t cudaGetKernel(cudaKernel_t *, const void *) { return cudaErrorInvalidDeviceFunction; }
