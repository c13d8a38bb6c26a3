// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Translates the parameter structs of the driver API to Op and back.

#ifndef CUDASIM_SRC_DRIVER_PARAMS_H
#define CUDASIM_SRC_DRIVER_PARAMS_H

// Every versioned name is defined here. NOLINTNEXTLINE(bugprone-reserved-identifier): CUDA's own
#define __CUDA_API_VERSION_INTERNAL
#include "Context.h"
#include "NodeParams.h"
#include "cuda.h"

namespace cudasim {

cudaError_t opFrom(Device &device, const CUDA_KERNEL_NODE_PARAMS_v2 *params, Op *op,
                   std::size_t mostSharedBytes = kMostSharedBytesPerBlock);
cudaError_t opFrom(Device &device, const CUDA_MEMCPY3D *params, Op *op);
cudaError_t opFrom(Device &device, const CUDA_MEMSET_NODE_PARAMS *params, Op *op);
cudaError_t opFrom(Device &device, const CUDA_HOST_NODE_PARAMS *params, Op *op);
cudaError_t opFrom(Device &device, CUDA_MEM_ALLOC_NODE_PARAMS *params, Op *op); // writes dptr
cudaError_t opFrom(Device &device, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, Op *op);
// The layout is the same in both APIs.
inline cudaError_t opFrom(Device &device, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params, Op *op) {
  static_assert(sizeof *params == sizeof(cudaExternalSemaphoreSignalNodeParams));
  return opFrom(device, reinterpret_cast<const cudaExternalSemaphoreSignalNodeParams *>(params),
                op);
}
inline cudaError_t opFrom(Device &device, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params, Op *op) {
  static_assert(sizeof *params == sizeof(cudaExternalSemaphoreWaitNodeParams));
  return opFrom(device, reinterpret_cast<const cudaExternalSemaphoreWaitNodeParams *>(params), op);
}
cudaError_t opFrom(Device &device, CUgraphNodeParams *params, Op *op);

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *params);
cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_MEMCPY3D *params);
cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params);
cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
// Of a node of any kind but external semaphores.
cudaError_t paramsOf(Device &device, CUgraphNode node, CUgraphNodeParams *params);

// The context of a node that is added with these parameters. A kernel runs in that of its function,
// if it is given as one: functions are the primary context's.
CUctx_st *contextFor(Device &device, const CUDA_KERNEL_NODE_PARAMS_v2 &params);
CUctx_st *contextFor(Device &device, const CUgraphNodeParams &params);
CUctx_st *contextFor(Device &device, const CUDA_BATCH_MEM_OP_NODE_PARAMS &params);
// For nodes of other kinds: the current one.
template <typename Params> CUctx_st *contextFor(Device &device, const Params &) {
  return currentContext(device);
}

// Whether the calling thread has a current context.
bool hasContext(Device &device);

// The layout of edge data is the same in both APIs.
inline const cudaGraphEdgeData *edges(const CUgraphEdgeData *data) {
  static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));
  return reinterpret_cast<const cudaGraphEdgeData *>(data);
}
inline cudaGraphEdgeData *edges(CUgraphEdgeData *data) {
  return reinterpret_cast<cudaGraphEdgeData *>(data);
}

} // namespace cudasim

#define CU_CALL(...)                                                                               \
  return cudasim::driverCall<CUresult>(                                                            \
      __func__, [&]([[maybe_unused]] cudasim::Device & d)->cudaError_t __VA_ARGS__)

#define NEEDS_CONTEXT                                                                              \
  if (!cudasim::hasContext(d))                                                                     \
  return cudaErrorDeviceUninitialized

// The current context decides which stream a default stream's handle means.
#define NEEDS_CONTEXT_OF(stream)                                                                   \
  if (!(stream) || (stream) == CU_STREAM_LEGACY || (stream) == CU_STREAM_PER_THREAD)               \
  NEEDS_CONTEXT

#endif // CUDASIM_SRC_DRIVER_PARAMS_H
