// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Translation of the driver API's node parameters.

#include "DriverParams.h"

#include "Copy.h"

#include <cstring>

namespace cudasim {
namespace {

template <typename Params>
cudaError_t kernelOp(Device &device, const Params &p, Op *op,
                     std::size_t mostSharedBytes = kMostSharedBytesPerBlock) {
  const void *handle = p.func ? static_cast<const void *>(p.func) : p.kern;
  auto function = device.kernels.ofHandle(handle);
  if (!function)
    return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  KernelOp kernel;
  cudaError_t status =
      makeKernelOp(device, std::move(function), dim3(p.gridDimX, p.gridDimY, p.gridDimZ),
                   dim3(p.blockDimX, p.blockDimY, p.blockDimZ), p.sharedMemBytes, p.kernelParams,
                   p.extra, &kernel, mostSharedBytes);
  *op = std::move(kernel);
  // The driver reports the runtime's configuration errors as invalid values.
  return status == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue : status;
}

// Source or target of a copy, from the fields of the struct; false if the memory type is unknown.
bool endFrom(CopyEnd &end, CUmemorytype type, const void *host, CUdeviceptr device,
             CUarray_st *array) {
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    end.memory = const_cast<void *>(host);
    return true;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
    end.memory = reinterpret_cast<void *>(device);
    return true;
  case CU_MEMORYTYPE_ARRAY:
    end.array = array;
    return array != nullptr;
  }
  return false;
}

CUmemorytype memoryType(Device &device, const void *address) {
  const Memory::Kind *kind = device.memory.kindOf(address);
  return kind && *kind != Memory::Kind::Host ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

template <typename Params> cudaError_t allocOp(Params &p, Op *op) {
  if (!p.bytesize)
    return cudaErrorInvalidValue;
  AllocOp alloc;
  void *pointer = nullptr;
  if (cudaError_t status = makeAlloc(p.bytesize, &pointer, &alloc))
    return status;
  p.dptr = reinterpret_cast<CUdeviceptr>(pointer);
  *op = std::move(alloc);
  return cudaSuccess;
}

CUctx_st *contextOf(const CUgraphNode_st &node) {
  return node.context ? node.context : primaryContext();
}

void nameKernel(KernelTable &kernels, const std::shared_ptr<CUfunc_st> &function,
                CUDA_KERNEL_NODE_PARAMS_v2 &params) {
  switch (kernels.handlesOfNodes) {
  case KernelHandle::Function:
    params.func = function.get();
    break;
  case KernelHandle::Kernel:
    params.kern = kernels.kernelOf(function).get();
    break;
  case KernelHandle::OtherFunction:
  case KernelHandle::OtherModule:
    params.func =
        kernels.otherOf(*function, kernels.handlesOfNodes == KernelHandle::OtherModule).get();
    break;
  }
}

template <typename Params> cudaMemsetParams fillParams(const Params &p) {
  return {reinterpret_cast<void *>(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}

} // namespace

cudaError_t opFrom(Device &device, const CUDA_KERNEL_NODE_PARAMS_v2 *params, Op *op,
                   std::size_t mostSharedBytes) {
  return params ? kernelOp(device, *params, op, mostSharedBytes) : cudaErrorInvalidValue;
}

// Without pitches, rows and slices are contiguous.
cudaError_t opFrom(Device &device, const CUDA_MEMCPY3D *params, Op *op) {
  if (!params || params->srcLOD || params->dstLOD)
    return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D &p = *params;
  CopyEnd src, dst;
  if (!endFrom(src, p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray) ||
      !endFrom(dst, p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray))
    return cudaErrorInvalidValue;
  src.at = {p.srcXInBytes, p.srcY, p.srcZ};
  dst.at = {p.dstXInBytes, p.dstY, p.dstZ};
  src.pitch = p.srcPitch ? p.srcPitch : p.srcXInBytes + p.WidthInBytes;
  dst.pitch = p.dstPitch ? p.dstPitch : p.dstXInBytes + p.WidthInBytes;
  src.height = p.srcHeight ? p.srcHeight : p.srcY + p.Height;
  dst.height = p.dstHeight ? p.dstHeight : p.dstY + p.Height;
  CopyOp copy;
  const cudaError_t wrong =
      makeCopy(device, dst, src, {p.WidthInBytes, p.Height, p.Depth}, cudaMemcpyDefault, &copy);
  *op = copy;
  return wrong ? cudaErrorInvalidValue
               : cudaSuccess; // the driver has one error for pitches and pointers
}

cudaError_t opFrom(Device &device, const CUDA_MEMSET_NODE_PARAMS *params, Op *op) {
  if (!params)
    return cudaErrorInvalidValue;
  const cudaMemsetParams p = fillParams(*params);
  return opFrom(device, &p, op);
}

cudaError_t opFrom(Device &device, const CUDA_HOST_NODE_PARAMS *params, Op *op) {
  if (!params)
    return cudaErrorInvalidValue;
  const cudaHostNodeParams p{params->fn, params->userData};
  return opFrom(device, &p, op);
}

cudaError_t opFrom(Device &, CUDA_MEM_ALLOC_NODE_PARAMS *params, Op *op) {
  return params ? allocOp(*params, op) : cudaErrorInvalidValue;
}

// Waiting is not supported in graphs, because the write may be enqueued later.
cudaError_t opFrom(Device &, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, Op *op) {
  if (!params || !params->paramArray || params->count == 0 || params->flags)
    return cudaErrorInvalidValue;
  auto words = std::make_shared<std::vector<CUstreamBatchMemOpParams>>(
      params->paramArray, params->paramArray + params->count);
  for (const CUstreamBatchMemOpParams &word : *words) {
    if (word.operation == CU_STREAM_MEM_OP_ATOMIC_REDUCTION) {
      const auto &reduction = word.atomicReduction;
      const bool wide = reduction.dataType == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64;
      if (reduction.flags || !reduction.address || reduction.address % (wide ? 8 : 4))
        return cudaErrorInvalidValue;
      continue;
    }
    const bool wide = word.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    if (!wide && word.operation != CU_STREAM_MEM_OP_WRITE_VALUE_32)
      return cudaErrorNotSupported;
    if (!word.writeValue.address || word.writeValue.address % (wide ? 8 : 4))
      return cudaErrorInvalidValue;
  }
  *op = WriteOp{std::move(words)};
  return cudaSuccess;
}

cudaError_t opFrom(Device &device, CUgraphNodeParams *params, Op *op) {
  if (!params)
    return cudaErrorInvalidValue;
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return kernelOp(device, params->kernel, op);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return opFrom(device, &params->memcpy.copyParams, op);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const cudaMemsetParams p = fillParams(params->memset);
    return opFrom(device, &p, op);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    const cudaHostNodeParams p{params->host.fn, params->host.userData};
    const cudaError_t status = opFrom(device, &p, op);
    if (params->host.syncMode > CU_HOST_TASK_SPINWAIT)
      return cudaErrorInvalidValue;
    if (status == cudaSuccess)
      std::get<HostOp>(*op).syncMode = params->host.syncMode;
    return status;
  }
  case CU_GRAPH_NODE_TYPE_GRAPH: {
    const cudaChildGraphNodeParams p{
        params->graph.graph,
        static_cast<cudaGraphChildGraphNodeOwnership>(params->graph.ownership)};
    return opFrom(device, &p, op);
  }
  case CU_GRAPH_NODE_TYPE_EMPTY:
    *op = EmptyOp{};
    return cudaSuccess;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT: {
    const cudaEventWaitNodeParams p{params->eventWait.event};
    return opFrom(device, &p, op);
  }
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD: {
    const cudaEventRecordNodeParams p{params->eventRecord.event};
    return opFrom(device, &p, op);
  }
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return allocOp(params->alloc, op);
  case CU_GRAPH_NODE_TYPE_MEM_FREE: {
    const cudaMemFreeNodeParams p{reinterpret_cast<void *>(params->free.dptr)};
    return opFrom(device, &p, op);
  }
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return opFrom(device, &params->memOp, op);
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: {
    const auto &p = params->conditional;
    return makeConditional(device, p.handle, static_cast<cudaGraphConditionalNodeType>(p.type),
                           p.size, op);
  }
  default:
    return cudaErrorNotSupported;
  }
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *params) {
  const auto *op = opOf<KernelOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  std::memset(params, 0, sizeof *params); // also what lies between its members
  nameKernel(device.kernels, op->function, *params);
  params->gridDimX = op->grid.x;
  params->gridDimY = op->grid.y;
  params->gridDimZ = op->grid.z;
  params->blockDimX = op->block.x;
  params->blockDimY = op->block.y;
  params->blockDimZ = op->block.z;
  params->sharedMemBytes = op->sharedMemBytes;
  params->kernelParams = op->args ? op->args->pointers.data() : nullptr;
  params->ctx = contextOf(*node);
  // In a green context, the function is one of a kernel.
  if (params->ctx != primaryContext() && params->func)
    params->kern = reinterpret_cast<CUkernel>(params->func);
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_MEMCPY3D *params) {
  const auto *op = opOf<CopyOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  const cudaMemcpy3DParms &given = op->asGiven;
  std::memset(params, 0, sizeof *params);
  params->srcMemoryType =
      given.srcArray ? CU_MEMORYTYPE_ARRAY : memoryType(device, given.srcPtr.ptr);
  params->srcArray = driverArray(given.srcArray);
  params->srcXInBytes = given.srcPos.x * (given.srcArray ? op->elementBytes : 1);
  params->srcY = given.srcPos.y;
  params->srcZ = given.srcPos.z;
  params->srcHost = given.srcPtr.ptr;
  params->srcDevice = reinterpret_cast<CUdeviceptr>(given.srcPtr.ptr);
  params->srcPitch = given.srcPtr.pitch;
  params->srcHeight = given.srcPtr.ysize;
  params->dstMemoryType =
      given.dstArray ? CU_MEMORYTYPE_ARRAY : memoryType(device, given.dstPtr.ptr);
  params->dstArray = driverArray(given.dstArray);
  params->dstXInBytes = given.dstPos.x * (given.dstArray ? op->elementBytes : 1);
  params->dstY = given.dstPos.y;
  params->dstZ = given.dstPos.z;
  params->dstHost = given.dstPtr.ptr;
  params->dstDevice = reinterpret_cast<CUdeviceptr>(given.dstPtr.ptr);
  params->dstPitch = given.dstPtr.pitch;
  params->dstHeight = given.dstPtr.ysize;
  params->WidthInBytes = op->width;
  params->Height = given.extent.height;
  params->Depth = given.extent.depth;
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  const auto *op = opOf<FillOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  const cudaMemsetParams &given = op->params;
  *params = {reinterpret_cast<CUdeviceptr>(given.dst),
             given.pitch,
             given.value,
             given.elementSize,
             given.width,
             given.height};
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  const auto *op = opOf<WriteOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  params->ctx = contextOf(*node); // each for itself: what lies between them stays as it was
  params->count = static_cast<unsigned>(op->words->size());
  params->paramArray = op->words->data();
  params->flags = 0;
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  cudaHostNodeParams given{};
  const cudaError_t status =
      params ? paramsOf(device, node, &given) : static_cast<cudaError_t>(cudaErrorInvalidValue);
  if (status == cudaSuccess)
    *params = {given.fn, given.userData};
  return status;
}

cudaError_t paramsOf(Device &device, CUgraphNode node, CUgraphNodeParams *params) {
  const CUgraphNode_st *found = findNode(device, node);
  if (!found || !params)
    return cudaErrorInvalidValue;
  std::memset(params, 0, sizeof *params);
  params->type = static_cast<CUgraphNodeType>(found->type());
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    const cudaError_t status = paramsOf(device, node, &kernel);
    static_assert(sizeof kernel == sizeof params->kernel);
    std::memcpy(&params->kernel, &kernel, sizeof kernel);
    return status;
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    params->memcpy.copyCtx = contextOf(*found);
    return paramsOf(device, node, &params->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    CUDA_MEMSET_NODE_PARAMS fill;
    const cudaError_t status = paramsOf(device, node, &fill);
    params->memset = {fill.dst,   fill.pitch,  fill.value,       fill.elementSize,
                      fill.width, fill.height, contextOf(*found)};
    return status;
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    const auto &host = std::get<HostOp>(found->op);
    params->host.fn = host.fn;
    params->host.userData = host.userData;
    params->host.syncMode = host.syncMode;
    return cudaSuccess;
  }
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childGraphOf(device, node, &params->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cudaSuccess;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return eventOf<WaitOp>(device, node, &params->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return eventOf<RecordOp>(device, node, &params->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
    const auto &alloc = std::get<AllocOp>(found->op);
    params->alloc.bytesize = alloc.bytes;
    params->alloc.dptr = reinterpret_cast<CUdeviceptr>(addressOf(alloc));
    return cudaSuccess;
  }
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    params->free.dptr = reinterpret_cast<CUdeviceptr>(std::get<FreeOp>(found->op).pointer);
    return cudaSuccess;
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return paramsOf(device, node, &params->memOp);
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: {
    const auto &conditional = std::get<ConditionalOp>(found->op);
    params->conditional = {conditional.handle,
                           static_cast<CUgraphConditionalNodeType>(conditional.type),
                           static_cast<unsigned>(conditional.bodies.size()),
                           const_cast<CUgraph *>(conditional.handles.data()), contextOf(*found)};
    return cudaSuccess;
  }
  default:
    return cudaErrorNotSupported;
  }
}

CUctx_st *contextFor(Device &device, const CUDA_KERNEL_NODE_PARAMS_v2 &params) {
  if (params.func)
    return primaryContext();
  return params.ctx ? params.ctx : currentContext(device);
}

CUctx_st *contextFor(Device &device, const CUDA_BATCH_MEM_OP_NODE_PARAMS &params) {
  return params.ctx ? params.ctx : currentContext(device);
}

CUctx_st *contextFor(Device &device, const CUgraphNodeParams &params) {
  CUctx_st *given = nullptr;
  switch (params.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    given = params.kernel.func ? primaryContext() : params.kernel.ctx;
    break;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    given = params.memcpy.copyCtx;
    break;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    given = params.memset.ctx;
    break;
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    given = params.memOp.ctx;
    break;
  default:
    break;
  }
  return given ? given : currentContext(device);
}

} // namespace cudasim
