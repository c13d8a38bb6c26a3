// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations and fills.

#include "Memory.h"

#include "Device.h"
#include "Graph.h"

#include <cstdlib>
#include <iterator>

#include <sys/mman.h>

namespace cudasim {
namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLargestBytes = std::size_t{1} << 36;

ZeroedBytes zeroed(std::size_t bytes, std::size_t alignment = kAlign) {
  return ZeroedBytes(static_cast<std::byte *>(std::calloc(bytes + alignment, 1)));
}

void *aligned(std::byte *storage, std::size_t alignment = kAlign) {
  auto address = reinterpret_cast<std::uintptr_t>(storage);
  return storage + (alignment - address % alignment) % alignment;
}

} // namespace

void NotInChildren::operator()(void *pages) const { madvise(pages, bytes, MADV_DOFORK); }

void *Memory::allocate(std::size_t bytes, Kind kind) {
  if (bytes > kLargestBytes)
    return nullptr;
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  auto storage = zeroed(whole, kPage);
  if (!storage)
    return nullptr;
  void *pointer = aligned(storage.get(), kPage);
  Block block{std::move(storage), bytes, kind, {nullptr, {whole}}};
  if (kind != Kind::Host && madvise(pointer, whole, MADV_DONTFORK) == 0)
    block.notInChildren.reset(pointer);
  blocks_.emplace(pointer, std::move(block));
  if (kind != Kind::Host)
    deviceBytes_ += bytes;
  return pointer;
}

bool Memory::free(void *pointer, Kind kind) {
  auto at = blocks_.find(pointer);
  if (at == blocks_.end())
    return false;
  const Kind found = at->second.kind;
  if (found != kind && (found != Kind::Managed || kind != Kind::Device))
    return false;
  if (found != Kind::Host)
    deviceBytes_ -= at->second.bytes;
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
    // The simulated pool is always empty, so each allocation makes it grow.
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
  // A recaptured node has its memory already.
  *pointer = addressOf(std::get<AllocOp>(stream->frontier.nodes.front()->op));
  return cudaSuccess;
}

void *addressOf(const AllocOp &op) { return aligned(op.memory.get()); }

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
  // Earlier work has already had its effects. Memory that a graph allocated stays the graph's.
  device.memory.free(pointer, Memory::Kind::Device);
  device.graphPool.free(pointer);
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

} // namespace cudasim
