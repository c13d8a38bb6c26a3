// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/cuda_memory.h for the driver API: copies whose name says that they go to the device,
// and allocations. Part of graphprof/cuda_driver.h, which says how <cuda.h> names its functions.

#ifndef GRAPHPROF_CUDA_DRIVER_MEMORY_H
#define GRAPHPROF_CUDA_DRIVER_MEMORY_H

#include <cuda.h>

#include "graphprof/detail/cuda_forward.h"
#include "graphprof/detail/memory_calls.h"

namespace graphprof {
namespace detail {

inline const void *address(const void *pointer) { return pointer; }
inline const void *address(CUdeviceptr pointer) {
  return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(pointer));
}

/// Counts what an allocation returned in `*pointer`.
template <class Pointer>
CUresult allocated(MemoryKind kind, Pointer *pointer, std::size_t bytes, CUresult result,
                   CUstream stream = nullptr) noexcept {
  if (result == CUDA_SUCCESS && active())
    memoryAllocated(address(*pointer), bytes, kind,
                    kind == MemoryKind::Pool ? driverStream(stream) : nullptr);
  return result;
}

} // namespace detail

namespace cuda {

// Copies

inline CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t count) {
  return detail::copiedToDevice(count, detail::driverStream(nullptr),
                                [&] { return ::cuMemcpyHtoD(target, source, count); });
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t count,
                                  CUstream stream) {
  return detail::copiedToDevice(count, detail::driverStream(stream),
                                [&] { return ::cuMemcpyHtoDAsync(target, source, count, stream); });
}

// Allocations

inline CUresult cuMemAlloc(CUdeviceptr *pointer, size_t size) {
  return detail::allocated(MemoryKind::Device, pointer, size, ::cuMemAlloc(pointer, size));
}
inline CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned int flags) {
  return detail::allocated(MemoryKind::Managed, pointer, size,
                           ::cuMemAllocManaged(pointer, size, flags));
}
// What was asked for, without the padding of the rows.
inline CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                unsigned int elementSize) {
  return detail::allocated(MemoryKind::Device, pointer, width * height,
                           ::cuMemAllocPitch(pointer, pitch, width, height, elementSize));
}
inline CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t size, CUstream stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cuMemAllocAsync(pointer, size, stream), stream);
}
inline CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t size, CUmemoryPool pool,
                                        CUstream stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cuMemAllocFromPoolAsync(pointer, size, pool, stream), stream);
}
inline CUresult cuMemAllocHost(void **pointer, size_t size) {
  return detail::allocated(MemoryKind::Host, pointer, size, ::cuMemAllocHost(pointer, size));
}
inline CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned int flags) {
  return detail::allocated(MemoryKind::Host, pointer, size, ::cuMemHostAlloc(pointer, size, flags));
}

// Told before: the address may be given out again as soon as it is free.
inline CUresult cuMemFree(CUdeviceptr pointer) {
  const detail::Freeing freeing(detail::address(pointer));
  return freeing.result(::cuMemFree(pointer));
}
inline CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  const detail::Freeing freeing(detail::address(pointer));
  return freeing.result(::cuMemFreeAsync(pointer, stream));
}
inline CUresult cuMemFreeHost(void *pointer) {
  const detail::Freeing freeing(pointer);
  return freeing.result(::cuMemFreeHost(pointer));
}

} // namespace cuda
} // namespace graphprof

#endif // GRAPHPROF_CUDA_DRIVER_MEMORY_H
