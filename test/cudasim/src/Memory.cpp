// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations, copies and fills.

#include "Memory.h"

#include "Device.h"
#include "Graph.h"

#include <iterator>
#include <new>

namespace cudasim {
namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kLargestBytes = std::size_t{1} << 36;

std::unique_ptr<std::byte[]> zeroed(std::size_t bytes) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes + kAlign]());
}

void *aligned(std::byte *storage) {
  auto address = reinterpret_cast<std::uintptr_t>(storage);
  return storage + (kAlign - address % kAlign) % kAlign;
}

bool validKind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

} // namespace

void *Memory::allocate(std::size_t bytes, Kind kind) {
  if (bytes > kLargestBytes)
    return nullptr;
  auto storage = zeroed(bytes);
  if (!storage)
    return nullptr;
  void *pointer = aligned(storage.get());
  blocks_.emplace(pointer, Block{std::move(storage), bytes, kind});
  return pointer;
}

bool Memory::free(void *pointer, Kind kind) {
  auto at = blocks_.find(pointer);
  if (at == blocks_.end())
    return false;
  const Kind found = at->second.kind;
  if (found != kind && (found != Kind::Managed || kind != Kind::Device))
    return false;
  blocks_.erase(at);
  return true;
}

const Memory::Kind *Memory::kindOf(const void *address) const {
  auto behind = blocks_.upper_bound(address);
  if (behind == blocks_.begin())
    return nullptr;
  const auto &[begin, block] = *std::prev(behind);
  const bool inside = address < static_cast<const std::byte *>(begin) + block.bytes;
  return inside ? &block.kind : nullptr;
}

cudaError_t memAlloc(Device &device, void **pointer, std::size_t bytes, Memory::Kind kind) {
  if (!pointer)
    return cudaErrorInvalidValue;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  if (!bytes) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  *pointer = device.memory.allocate(bytes, kind);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t memFree(Device &device, void *pointer, Memory::Kind kind) {
  if (!pointer)
    return cudaSuccess;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  return device.memory.free(pointer, kind) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t memAllocAsync(Device &device, void **pointer, std::size_t bytes, cudaStream_t handle) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!pointer)
    return cudaErrorInvalidValue;
  if (!stream->capture) {
    // The simulated pool is always empty: each allocation makes it grow.
    if (cudaError_t unsafe = forbidUnsafe(device))
      return unsafe;
    *pointer = bytes ? device.memory.allocate(bytes, Memory::Kind::Device) : nullptr;
    return *pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
  }
  AllocOp op;
  void *allocated = nullptr;
  if (cudaError_t status = makeAlloc(bytes, &allocated, &op))
    return status;
  if (cudaError_t status = submit(device, *stream, std::move(op)))
    return status;
  *pointer = allocated;
  return cudaSuccess;
}

cudaError_t makeAlloc(std::size_t bytes, void **pointer, AllocOp *op) {
  op->memory = bytes <= kLargestBytes ? zeroed(bytes) : nullptr;
  op->bytes = bytes;
  if (!op->memory)
    return cudaErrorMemoryAllocation;
  *pointer = aligned(op->memory.get());
  return cudaSuccess;
}

cudaError_t memFreeAsync(Device &device, void *pointer, cudaStream_t handle) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!pointer)
    return cudaErrorInvalidValue;
  if (stream->capture)
    return submit(device, *stream, FreeOp{pointer});
  // Earlier work has had its effects already; memory that a graph allocated stays the graph's.
  device.memory.free(pointer, Memory::Kind::Device);
  return cudaSuccess;
}

cudaError_t makeCopy(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind,
                     CopyOp *op) {
  return makeCopy2D(dst, bytes, src, bytes, bytes, 1, kind, op);
}

cudaError_t makeCopy2D(void *dst, std::size_t dstPitch, const void *src, std::size_t srcPitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind, CopyOp *op) {
  cudaMemcpy3DParms params{};
  params.dstPtr = {dst, dstPitch, width, height};
  params.srcPtr = {const_cast<void *>(src), srcPitch, width, height};
  params.extent = {width, height, 1};
  params.kind = kind;
  return makeCopy3D(&params, op);
}

cudaError_t makeCopy3D(const cudaMemcpy3DParms *params, CopyOp *op) {
  if (!params || params->srcArray || params->dstArray)
    return cudaErrorInvalidValue;
  if (!validKind(params->kind))
    return cudaErrorInvalidMemcpyDirection;
  const auto &[srcArray, srcPos, src, dstArray, dstPos, dst, extent, kind] = *params;
  const bool empty = !extent.width || !extent.height || !extent.depth;
  if (!empty && (!src.ptr || !dst.ptr))
    return cudaErrorInvalidValue;
  if (!empty && (src.pitch < extent.width || dst.pitch < extent.width))
    return cudaErrorInvalidPitchValue;
  op->asGiven = *params;
  op->width = extent.width;
  op->height = extent.height;
  op->depth = extent.depth;
  op->dstPitch = dst.pitch;
  op->srcPitch = src.pitch;
  op->dstSlice = dst.pitch * dst.ysize;
  op->srcSlice = src.pitch * src.ysize;
  op->dst =
      static_cast<std::byte *>(dst.ptr) + dstPos.z * op->dstSlice + dstPos.y * dst.pitch + dstPos.x;
  op->src = static_cast<const std::byte *>(src.ptr) + srcPos.z * op->srcSlice +
            srcPos.y * src.pitch + srcPos.x;
  return cudaSuccess;
}

cudaError_t makeFill(const cudaMemsetParams *params, FillOp *op) {
  if (!params || !params->dst)
    return cudaErrorInvalidValue;
  if (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4)
    return cudaErrorInvalidValue;
  if (params->height > 1 && params->pitch < params->width * params->elementSize)
    return cudaErrorInvalidValue;
  op->params = *params;
  return cudaSuccess;
}

cudaError_t makeFill(void *dst, int value, std::size_t bytes, FillOp *op) {
  const cudaMemsetParams params{dst, bytes, static_cast<unsigned char>(value), 1, bytes, 1};
  return makeFill(&params, op);
}

cudaMemPool_t defaultPool() {
  static char pool;
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

cudaError_t submitAndWait(Device &device, Op op) {
  if (cudaError_t implicit = forbidLegacy(device))
    return implicit;
  if (cudaError_t status = submit(device, device.legacyStream, std::move(op)))
    return status;
  device.clock.waitUntil(device.legacyStream.tailNs);
  return cudaSuccess;
}

} // namespace cudasim
