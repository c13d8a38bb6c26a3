// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/cuda_memory.h for the driver API: copies and allocations. Part of
// graphprof/cuda_driver.h, which says how <cuda.h> names its functions.

#ifndef GRAPHPROF_CUDA_DRIVER_MEMORY_H
#define GRAPHPROF_CUDA_DRIVER_MEMORY_H

#include <cuda.h>

#include "graphprof/detail/copies_driver.h"
#include "graphprof/detail/cuda_forward.h"
#include "graphprof/detail/memory_calls.h"

namespace graphprof {
namespace detail {

/// Counts what an allocation returned in `*pointer`.
template <class Pointer>
CUresult allocated(MemoryKind kind, Pointer *pointer, std::size_t bytes, CUresult result,
                   CUstream stream = nullptr) noexcept {
  if (result == CUDA_SUCCESS && active())
    memoryAllocated(address(*pointer), bytes, kind,
                    kind == MemoryKind::Pool ? driverStream(stream) : nullptr);
  return result;
}

inline ArrayShape shapeOf(const CUDA_ARRAY_DESCRIPTOR &asked) {
  return {asked.Width, asked.Height, 0, 0, 1};
}
inline ArrayShape shapeOf(const CUDA_ARRAY3D_DESCRIPTOR &asked, unsigned levels = 1) {
  return {asked.Width, asked.Height, asked.Depth, asked.Flags, levels};
}

/// Counts what making an array, mipmapped or not, returned in `*array`.
template <class Array, class Descriptor, class... Levels>
CUresult arrayAllocated(Array *array, const Descriptor *asked, CUresult result,
                        Levels... levels) noexcept {
  if (result == CUDA_SUCCESS && active())
    formatArrayAllocated(*array, detail::shapeOf(*asked, levels...), asked->Format,
                         asked->NumChannels);
  return result;
}

/// The ordinal of the device that memory is on; -1: it is the host's.
inline int deviceOf(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : -1;
}

/// Passes on what a call returned that may have taken memory away.
inline CUresult told(CUresult result, MappableTaken *taken) {
  if (taken)
    mappableTaken(taken, result == CUDA_SUCCESS);
  return result;
}

} // namespace detail

namespace cuda {

// Copies

#define GRAPHPROF_NO_STREAM nullptr
#define GRAPHPROF_DRIVER_COPY(name, parameters, arguments, copy, stream)                           \
  inline CUresult name parameters {                                                                \
    return detail::copied(                                                                         \
        detail::driverStream(stream), [&] { return copy; }, [&] { return ::name arguments; });     \
  }
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_NO_STREAM

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

// Arrays; their address is the handle.

inline CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *asked) {
  return detail::arrayAllocated(array, asked, ::cuArrayCreate(array, asked));
}
inline CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *asked) {
  return detail::arrayAllocated(array, asked, ::cuArray3DCreate(array, asked));
}
inline CUresult cuMipmappedArrayCreate(CUmipmappedArray *array,
                                       const CUDA_ARRAY3D_DESCRIPTOR *asked, unsigned int levels) {
  return detail::arrayAllocated(array, asked, ::cuMipmappedArrayCreate(array, asked, levels),
                                levels);
}

// Memory that the program maps itself

inline CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                            const CUmemAllocationProp *properties, unsigned long long flags) {
  const CUresult result = ::cuMemCreate(handle, size, properties, flags);
  if (result == CUDA_SUCCESS && active())
    detail::mappableCreated(*handle, size, detail::deviceOf(properties->location));
  return result;
}
inline CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *pointer) {
  const CUresult result = ::cuMemRetainAllocationHandle(handle, pointer);
  if (result == CUDA_SUCCESS && active())
    detail::mappableRetained(*handle);
  return result;
}
inline CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const CUresult result = ::cuMemMap(pointer, size, offset, handle, flags);
  if (result == CUDA_SUCCESS && active())
    detail::mappableMapped(handle, pointer, size);
  return result;
}
// Told before: handles and addresses may be given out again as soon as they are free.
inline CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  detail::MappableTaken *const taken = active() ? detail::mappableReleasing(handle) : nullptr;
  return detail::told(::cuMemRelease(handle), taken);
}
inline CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  detail::MappableTaken *const taken =
      active() ? detail::mappableUnmapping(pointer, size) : nullptr;
  return detail::told(::cuMemUnmap(pointer, size), taken);
}

// Told before: the address may be given out again as soon as it is free.
inline CUresult cuArrayDestroy(CUarray array) {
  const detail::Freeing freeing(array);
  return freeing.result(::cuArrayDestroy(array));
}
inline CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  const detail::Freeing freeing(array);
  return freeing.result(::cuMipmappedArrayDestroy(array));
}
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
