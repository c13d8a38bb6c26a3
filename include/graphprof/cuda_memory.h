// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected copies and allocations: graphprof::cuda::cudaX does what ::cudaX does and returns
// what it returns. Copies are timed in steps, as graphprof/copies.h says; elsewhere they pass
// through at the cost of a branch. Allocations and frees are counted. Part of graphprof/cuda.h.
//
// The overloads and templates are those of cuda_runtime.h, so that a function pointer or a
// program's own conversion finds what it finds there. They call the C functions, because a C++ unit
// may include that header later, or never.

#ifndef GRAPHPROF_CUDA_MEMORY_H
#define GRAPHPROF_CUDA_MEMORY_H

#include <cuda_runtime_api.h>
#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_runtime.h> // the C++ overloads
#endif

#include "graphprof/detail/copies_runtime.h"
#include "graphprof/detail/cuda_forward.h"
#include "graphprof/detail/memory_calls.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"

namespace graphprof {
namespace detail {

/// Counts what an allocation returned in `*pointer`.
template <class T>
cudaError_t allocated(MemoryKind kind, T **pointer, std::size_t bytes, cudaError_t error,
                      cudaStream_t stream = nullptr) noexcept {
  if (error == cudaSuccess && active())
    memoryAllocated(const_cast<const void *>(static_cast<const volatile void *>(*pointer)), bytes,
                    kind, kind == MemoryKind::Pool ? driverStream(stream) : nullptr);
  return error;
}

/// Counts what making an array, mipmapped or not, returned in `*array`.
template <class Array>
cudaError_t arrayAllocated(Array *array, const cudaChannelFormatDesc *channels,
                           const ArrayShape &shape, cudaError_t error) noexcept {
  if (error == cudaSuccess && active())
    channelArrayAllocated(*array, shape, channels->f,
                          channels->x + channels->y + channels->z + channels->w);
  return error;
}

/// As the C functions take it.
template <class T> void **untyped(T **pointer) {
  return static_cast<void **>(const_cast<void *>(static_cast<const volatile void *>(pointer)));
}

} // namespace detail

namespace cuda {

// Copies

#define GRAPHPROF_NO_STREAM nullptr
#define GRAPHPROF_OR(value) = value
#define GRAPHPROF_RUNTIME_COPY(name, parameters, arguments, copy, stream)                          \
  inline cudaError_t name parameters {                                                             \
    return detail::copied(                                                                         \
        detail::driverStream(stream), [&] { return copy; }, [&] { return ::name arguments; });     \
  }
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_NO_STREAM
#undef GRAPHPROF_OR

template <class Symbol>
cudaError_t cudaMemcpyToSymbol(const Symbol &symbol, const void *source, size_t count,
                               size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return detail::copied(
      detail::driverStream(nullptr),
      [&] { return graphprof_seam_ofKind(kind, nullptr, source, count); },
      [&] { return ::cudaMemcpyToSymbol(symbol, source, count, offset, kind); });
}
template <class Symbol>
cudaError_t cudaMemcpyToSymbolAsync(const Symbol &symbol, const void *source, size_t count,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return detail::copied(
      detail::driverStream(stream),
      [&] { return graphprof_seam_ofKind(kind, nullptr, source, count); },
      [&] { return ::cudaMemcpyToSymbolAsync(symbol, source, count, offset, kind, stream); });
}
template <class Symbol>
cudaError_t cudaMemcpyFromSymbol(void *target, const Symbol &symbol, size_t count,
                                 size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return detail::copied(
      detail::driverStream(nullptr),
      [&] { return graphprof_seam_ofKind(kind, target, nullptr, count); },
      [&] { return ::cudaMemcpyFromSymbol(target, symbol, count, offset, kind); });
}
template <class Symbol>
cudaError_t cudaMemcpyFromSymbolAsync(void *target, const Symbol &symbol, size_t count,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return detail::copied(
      detail::driverStream(stream),
      [&] { return graphprof_seam_ofKind(kind, target, nullptr, count); },
      [&] { return ::cudaMemcpyFromSymbolAsync(target, symbol, count, offset, kind, stream); });
}
#if CUDART_VERSION >= 13000
template <class Target, class Source>
cudaError_t cudaMemcpyBatchAsync(Target *const *targets, Source *const *sources,
                                 const size_t *sizes, size_t count,
                                 cudaMemcpyAttributes *attributes, size_t *attributesOf,
                                 size_t attributeCount, cudaStream_t stream) {
  return ::graphprof::cuda::cudaMemcpyBatchAsync(
      reinterpret_cast<void *const *>(targets), reinterpret_cast<const void *const *>(sources),
      sizes, count, attributes, attributesOf, attributeCount, stream);
}
template <class Target, class Source>
cudaError_t cudaMemcpyBatchAsync(Target *const *targets, Source *const *sources,
                                 const size_t *sizes, size_t count, cudaMemcpyAttributes attributes,
                                 cudaStream_t stream) {
  size_t attributesOf = 0;
  return ::graphprof::cuda::cudaMemcpyBatchAsync(targets, sources, sizes, count, &attributes,
                                                 &attributesOf, 1, stream);
}
#endif

// Allocations

inline cudaError_t cudaMalloc(void **pointer, size_t size) {
  return detail::allocated(MemoryKind::Device, pointer, size, ::cudaMalloc(pointer, size));
}
template <class T> cudaError_t cudaMalloc(T **pointer, size_t size) {
  return detail::allocated(MemoryKind::Device, pointer, size,
                           ::cudaMalloc(detail::untyped(pointer), size));
}

inline cudaError_t cudaMallocManaged(void **pointer, size_t size,
                                     unsigned int flags = cudaMemAttachGlobal) {
  return detail::allocated(MemoryKind::Managed, pointer, size,
                           ::cudaMallocManaged(pointer, size, flags));
}
template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return detail::allocated(MemoryKind::Managed, pointer, size,
                           ::cudaMallocManaged(detail::untyped(pointer), size, flags));
}

inline cudaError_t cudaMallocHost(void **pointer, size_t size) {
  return detail::allocated(MemoryKind::Host, pointer, size, ::cudaMallocHost(pointer, size));
}
inline cudaError_t cudaMallocHost(void **pointer, size_t size, unsigned int flags) {
  return detail::allocated(MemoryKind::Host, pointer, size, ::cudaHostAlloc(pointer, size, flags));
}
template <class T>
cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = cudaHostAllocDefault) {
  return detail::allocated(MemoryKind::Host, pointer, size,
                           ::cudaHostAlloc(detail::untyped(pointer), size, flags));
}

inline cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags) {
  return detail::allocated(MemoryKind::Host, pointer, size, ::cudaHostAlloc(pointer, size, flags));
}
template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return detail::allocated(MemoryKind::Host, pointer, size,
                           ::cudaHostAlloc(detail::untyped(pointer), size, flags));
}

// What was asked for, without the padding of the rows.
inline cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return detail::allocated(MemoryKind::Device, pointer, width * height,
                           ::cudaMallocPitch(pointer, pitch, width, height));
}
template <class T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return detail::allocated(MemoryKind::Device, pointer, width * height,
                           ::cudaMallocPitch(detail::untyped(pointer), pitch, width, height));
}

inline cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  const cudaError_t error = ::cudaMalloc3D(pointer, extent);
  if (error == cudaSuccess && active())
    detail::memoryAllocated(pointer->ptr, extent.width * extent.height * extent.depth,
                            MemoryKind::Device);
  return error;
}

inline cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cudaMallocAsync(pointer, size, stream), stream);
}
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cudaMallocAsync(detail::untyped(pointer), size, stream), stream);
}

inline cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cudaMallocFromPoolAsync(pointer, size, pool, stream), stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return detail::allocated(MemoryKind::Pool, pointer, size,
                           ::cudaMallocFromPoolAsync(detail::untyped(pointer), size, pool, stream),
                           stream);
}
// The other spelling that cuda_runtime.h gives to it.
inline cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return ::graphprof::cuda::cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::graphprof::cuda::cudaMallocFromPoolAsync(pointer, size, pool, stream);
}

// Arrays; their address is the handle.

inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                                   size_t width, size_t height = 0, unsigned int flags = 0) {
  return detail::arrayAllocated(array, channels, {width, height, 0, flags, 1},
                                ::cudaMallocArray(array, channels, width, height, flags));
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                                     cudaExtent extent, unsigned int flags = 0) {
  return detail::arrayAllocated(array, channels,
                                {extent.width, extent.height, extent.depth, flags, 1},
                                ::cudaMalloc3DArray(array, channels, extent, flags));
}
inline cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                            const cudaChannelFormatDesc *channels,
                                            cudaExtent extent, unsigned int levels,
                                            unsigned int flags = 0) {
  return detail::arrayAllocated(array, channels,
                                {extent.width, extent.height, extent.depth, flags, levels},
                                ::cudaMallocMipmappedArray(array, channels, extent, levels, flags));
}

// Before: the address may be given out again as soon as it is free.
inline cudaError_t cudaFreeArray(cudaArray_t array) {
  const detail::Freeing freeing(array);
  return freeing.result(::cudaFreeArray(array));
}
inline cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  const detail::Freeing freeing(array);
  return freeing.result(::cudaFreeMipmappedArray(array));
}
inline cudaError_t cudaFree(void *pointer) {
  const detail::Freeing freeing(pointer);
  return freeing.result(::cudaFree(pointer));
}
inline cudaError_t cudaFreeHost(void *pointer) {
  const detail::Freeing freeing(pointer);
  return freeing.result(::cudaFreeHost(pointer));
}
inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  const detail::Freeing freeing(pointer);
  return freeing.result(::cudaFreeAsync(pointer, stream));
}

} // namespace cuda
} // namespace graphprof

#endif // GRAPHPROF_CUDA_MEMORY_H
