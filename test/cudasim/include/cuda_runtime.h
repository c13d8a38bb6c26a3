// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The header that nvcc includes before every .cu file: the runtime API, the names of device code,
// and the additions for C++ (typed overloads, make_ functions).

#ifndef CUDASIM_CUDA_RUNTIME_H
#define CUDASIM_CUDA_RUNTIME_H

// Host declarations come first, because device overloads of the same names are added to them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <cmath>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "device_functions.h"
#include "device_launch_parameters.h"
#include "host_defines.h"
#include "vector_types.h"

static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz,
                                                                     size_t ysz) {
  struct cudaPitchedPtr s = {d, p, xsz, ysz};
  return s;
}
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p = {x, y, z};
  return p;
}
static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent e = {w, h, d};
  return e;
}

#ifdef __cplusplus

template <class T> static __inline__ cudaError_t cudaMalloc(T **pointer, size_t size) {
  return ::cudaMalloc((void **)(void *)pointer, size);
}
template <class T>
static __inline__ cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                                unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)pointer, size, flags);
}
template <class T> static __inline__ cudaError_t cudaMallocHost(T **pointer, size_t size) {
  return ::cudaMallocHost((void **)(void *)pointer, size);
}
template <class T>
static __inline__ cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
static __inline__ cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static __inline__ cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)pointer, size, stream);
}

#if CUDART_VERSION >= 13000
template <typename T, typename U>
static __inline__ cudaError_t
cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes, size_t count,
                     struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                     cudaStream_t stream) {
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, attrs,
                                attrsIdxs, numAttrs, stream);
}
template <typename T, typename U>
static __inline__ cudaError_t
cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes, size_t count,
                     struct cudaMemcpyAttributes attr, cudaStream_t stream) {
  size_t first = 0;
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count, &attr,
                                &first, 1, stream);
}
#endif

static __inline__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
static __inline__ cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args,
                                               size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)function, grid, block, args, sharedMem, stream);
}
template <class T>
static __inline__ cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                          void **args, size_t sharedMem = 0,
                                                          cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, args, sharedMem,
                                       stream);
}
template <class T>
static __inline__ cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *function,
                                                  void **args) {
  return ::cudaLaunchKernelExC(config, (const void *)function, args);
}
template <typename... Expected, typename... Actual>
static __inline__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                 void (*kernel)(Expected...), Actual &&...args) {
  return [&](Expected... coerced) {
    void *pointers[] = {(void *)&coerced..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(std::forward<Actual>(args)...);
}

template <class T>
static __inline__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                                    T *function) {
  return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static __inline__ cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute,
                                                   int value) {
  return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T>
static __inline__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int blockSize,
                                              size_t dynamicSharedMem) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, blockSize,
                                                         dynamicSharedMem);
}
template <class T>
static __inline__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int blockSize,
                                                       size_t dynamicSharedMem, unsigned flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, (const void *)function, blockSize, dynamicSharedMem, flags);
}

// The block size with which most threads are on a multiprocessor, and the blocks that fill the
// device.
template <class Size, class T>
static __inline__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T function,
                                               Size dynamicSharedMem, int blockSizeLimit = 0) {
  if (!minGridSize || !blockSize || !function)
    return cudaErrorInvalidValue;
  int device, multiprocessors, most, warp, threads;
  cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (!status)
    status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (!status)
    status = ::cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
  if (!status)
    status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (!status)
    status = ::cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (!status)
    status = ::cudaFuncGetAttributes(&attributes, (const void *)function);
  if (status)
    return status;
  most = attributes.maxThreadsPerBlock < most ? attributes.maxThreadsPerBlock : most;
  if (blockSizeLimit > 0 && blockSizeLimit < most)
    most = blockSizeLimit;
  int bestThreads = 0;
  for (int aligned = (most + warp - 1) / warp * warp; aligned > 0; aligned -= warp) {
    const int size = aligned < most ? aligned : most;
    int blocks;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, size,
                                                             dynamicSharedMem(size));
    if (status)
      return status;
    if (size * blocks > bestThreads) {
      bestThreads = size * blocks;
      *blockSize = size;
      *minGridSize = blocks * multiprocessors;
    }
    if (bestThreads == threads)
      break;
  }
  return cudaSuccess;
}
template <class T>
static __inline__ cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T function,
                                   size_t dynamicSharedMem = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      minGridSize, blockSize, function, [dynamicSharedMem](int) { return dynamicSharedMem; },
      blockSizeLimit);
}
template <class T>
static __inline__ cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
static __inline__ cudaError_t
cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t
cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                        cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static __inline__ cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T>
static __inline__ cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T>
static __inline__ cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *dependencies, size_t numDependencies,
                               const T &symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, numDependencies,
                                          (const void *)&symbol, src, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t numDependencies,
                                 void *dst, const T &symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, numDependencies, dst,
                                            (const void *)&symbol, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src,
                                     size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset,
                                                kind);
}
template <class T>
static __inline__ cudaError_t
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol,
                                       size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset,
                                                  kind);
}
template <class T>
static __inline__ cudaError_t
cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                         const T &symbol, const void *src, size_t count,
                                         size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count,
                                                    offset, kind);
}
template <class T>
static __inline__ cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                           const T &symbol, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count,
                                                      offset, kind);
}

// The five-argument forms of CUDA 11 that the real header keeps for C++.
static __inline__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                   cudaGraphNode_t *errorNode, char *logBuffer,
                                                   size_t bufferSize) {
  (void)errorNode, (void)logBuffer, (void)bufferSize;
  return ::cudaGraphInstantiate(exec, graph, 0);
}
static __inline__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                  cudaGraphNode_t *errorNode,
                                                  enum cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t status = ::cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode)
    *errorNode = info.errorNode;
  if (result)
    *result = info.result;
  return status;
}

#endif // __cplusplus

#endif // CUDASIM_CUDA_RUNTIME_H
