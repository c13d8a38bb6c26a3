// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The copies and allocations of graphprof/c.h, of both APIs; <cuda.h> has been included where it
// is there.

#ifndef GRAPHPROF_DETAIL_C_MEMORY_H
#define GRAPHPROF_DETAIL_C_MEMORY_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "graphprof/detail/c_forms.h"
#include "graphprof/detail/c_seam.h"
#include "graphprof/detail/copies_runtime.h"
#ifdef CUDA_VERSION
#include "graphprof/detail/copies_driver.h"
#endif

// Copies

#define GRAPHPROF_NO_STREAM NULL
#define GRAPHPROF_OR(value)
#define GRAPHPROF_C_COPY(result, wrapper, name, parameters, arguments, copy, stream)               \
  static inline result wrapper parameters {                                                        \
    void *const timed = graphprof_seam_inStep()                                                    \
                            ? graphprof_seam_copyBegins(copy, GRAPHPROF_C_STREAM(stream))          \
                            : NULL;                                                                \
    const result error = name arguments;                                                           \
    if (timed)                                                                                     \
      graphprof_seam_copyEnded(timed, !error);                                                     \
    return error;                                                                                  \
  }
#define GRAPHPROF_RUNTIME_COPY(name, parameters, arguments, copy, stream)                          \
  GRAPHPROF_C_COPY(cudaError_t, graphprof_##name, name, parameters, arguments, copy, stream)
#ifdef CUDA_VERSION
#define GRAPHPROF_DRIVER_COPY(name, parameters, arguments, copy, stream)                           \
  GRAPHPROF_C_COPY(CUresult, graphprof_##name, name, parameters, arguments, copy, stream)
#endif
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_C_COPY
#undef GRAPHPROF_NO_STREAM
#undef GRAPHPROF_OR

// Allocations; of rows what was asked for, without their padding.

#define GRAPHPROF_C_ALLOCATION(name, parameters, arguments, bytes, kind, stream)                   \
  static inline cudaError_t graphprof_##name parameters {                                          \
    const cudaError_t result = name arguments;                                                     \
    if (!result)                                                                                   \
      graphprof_seam_allocated(*pointer, bytes, graphprof_seam_memory##kind, stream);              \
    return result;                                                                                 \
  }
GRAPHPROF_C_ALLOCATION(cudaMalloc, (void **pointer, size_t size), (pointer, size), size, Device,
                       NULL)
GRAPHPROF_C_ALLOCATION(cudaMallocManaged, (void **pointer, size_t size, unsigned int flags),
                       (pointer, size, flags), size, Managed, NULL)
GRAPHPROF_C_ALLOCATION(cudaMallocHost, (void **pointer, size_t size), (pointer, size), size, Host,
                       NULL)
GRAPHPROF_C_ALLOCATION(cudaHostAlloc, (void **pointer, size_t size, unsigned int flags),
                       (pointer, size, flags), size, Host, NULL)
GRAPHPROF_C_ALLOCATION(cudaMallocPitch,
                       (void **pointer, size_t *pitch, size_t width, size_t height),
                       (pointer, pitch, width, height), width *height, Device, NULL)
GRAPHPROF_C_ALLOCATION(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream),
                       (pointer, size, stream), size, Pool, GRAPHPROF_C_STREAM(stream))
GRAPHPROF_C_ALLOCATION(cudaMallocFromPoolAsync,
                       (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream),
                       (pointer, size, pool, stream), size, Pool, GRAPHPROF_C_STREAM(stream))
#undef GRAPHPROF_C_ALLOCATION

static inline cudaError_t graphprof_cudaMalloc3D(struct cudaPitchedPtr *pointer,
                                                 struct cudaExtent extent) {
  const cudaError_t result = cudaMalloc3D(pointer, extent);
  if (!result)
    graphprof_seam_allocated(pointer->ptr, extent.width * extent.height * extent.depth,
                             graphprof_seam_memoryDevice, NULL);
  return result;
}

// Arrays; their address is the handle.

#define GRAPHPROF_C_ARRAY(name, parameters, arguments, ...)                                        \
  static inline cudaError_t graphprof_##name parameters {                                          \
    const cudaError_t result = name arguments;                                                     \
    if (!result) {                                                                                 \
      const struct graphprof_seam_shape shape = {__VA_ARGS__};                                     \
      graphprof_seam_channelArray(*array, shape, (int)channels->f,                                 \
                                  channels->x + channels->y + channels->z + channels->w);          \
    }                                                                                              \
    return result;                                                                                 \
  }
GRAPHPROF_C_ARRAY(cudaMallocArray,
                  (cudaArray_t * array, const struct cudaChannelFormatDesc *channels, size_t width,
                   size_t height, unsigned int flags),
                  (array, channels, width, height, flags), width, height, 0, flags, 1)
GRAPHPROF_C_ARRAY(cudaMalloc3DArray,
                  (cudaArray_t * array, const struct cudaChannelFormatDesc *channels,
                   struct cudaExtent extent, unsigned int flags),
                  (array, channels, extent, flags), extent.width, extent.height, extent.depth,
                  flags, 1)
GRAPHPROF_C_ARRAY(cudaMallocMipmappedArray,
                  (cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *channels,
                   struct cudaExtent extent, unsigned int levels, unsigned int flags),
                  (array, channels, extent, levels, flags), extent.width, extent.height,
                  extent.depth, flags, levels)
#undef GRAPHPROF_C_ARRAY

// Told before: the address may be given out again as soon as it is free.
#define GRAPHPROF_C_FREE(name, parameters, arguments)                                              \
  static inline cudaError_t graphprof_##name parameters {                                          \
    const size_t bytes = graphprof_seam_freeing(pointer);                                          \
    const cudaError_t result = name arguments;                                                     \
    if (bytes > 0)                                                                                 \
      graphprof_seam_freed(pointer, bytes, !result);                                               \
    return result;                                                                                 \
  }
GRAPHPROF_C_FREE(cudaFree, (void *pointer), (pointer))
GRAPHPROF_C_FREE(cudaFreeHost, (void *pointer), (pointer))
GRAPHPROF_C_FREE(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream))
GRAPHPROF_C_FREE(cudaFreeArray, (cudaArray_t pointer), (pointer))
GRAPHPROF_C_FREE(cudaFreeMipmappedArray, (cudaMipmappedArray_t pointer), (pointer))
#undef GRAPHPROF_C_FREE

#ifdef CUDA_VERSION

#define GRAPHPROF_C_ALLOCATION(name, parameters, arguments, bytes, kind, stream)                   \
  static inline CUresult graphprof_##name parameters {                                             \
    const CUresult result = name arguments;                                                        \
    if (!result)                                                                                   \
      graphprof_seam_allocated((const void *)(uintptr_t)*pointer, bytes,                           \
                               graphprof_seam_memory##kind, stream);                               \
    return result;                                                                                 \
  }
GRAPHPROF_C_ALLOCATION(cuMemAlloc, (CUdeviceptr * pointer, size_t size), (pointer, size), size,
                       Device, NULL)
GRAPHPROF_C_ALLOCATION(cuMemAllocManaged, (CUdeviceptr * pointer, size_t size, unsigned int flags),
                       (pointer, size, flags), size, Managed, NULL)
GRAPHPROF_C_ALLOCATION(cuMemAllocPitch,
                       (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,
                        unsigned int elementSize),
                       (pointer, pitch, width, height, elementSize), width *height, Device, NULL)
GRAPHPROF_C_ALLOCATION(cuMemAllocAsync, (CUdeviceptr * pointer, size_t size, CUstream stream),
                       (pointer, size, stream), size, Pool, GRAPHPROF_C_STREAM(stream))
GRAPHPROF_C_ALLOCATION(cuMemAllocFromPoolAsync,
                       (CUdeviceptr * pointer, size_t size, CUmemoryPool pool, CUstream stream),
                       (pointer, size, pool, stream), size, Pool, GRAPHPROF_C_STREAM(stream))
GRAPHPROF_C_ALLOCATION(cuMemAllocHost, (void **pointer, size_t size), (pointer, size), size, Host,
                       NULL)
GRAPHPROF_C_ALLOCATION(cuMemHostAlloc, (void **pointer, size_t size, unsigned int flags),
                       (pointer, size, flags), size, Host, NULL)
#undef GRAPHPROF_C_ALLOCATION

#define GRAPHPROF_C_ARRAY(name, parameters, arguments, ...)                                        \
  static inline CUresult graphprof_##name parameters {                                             \
    const CUresult result = name arguments;                                                        \
    if (!result) {                                                                                 \
      const struct graphprof_seam_shape shape = {asked->Width, asked->Height, __VA_ARGS__};        \
      graphprof_seam_formatArray(*array, shape, (int)asked->Format, asked->NumChannels);           \
    }                                                                                              \
    return result;                                                                                 \
  }
GRAPHPROF_C_ARRAY(cuArrayCreate, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *asked),
                  (array, asked), 0, 0, 1)
GRAPHPROF_C_ARRAY(cuArray3DCreate, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *asked),
                  (array, asked), asked->Depth, asked->Flags, 1)
GRAPHPROF_C_ARRAY(cuMipmappedArrayCreate,
                  (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *asked,
                   unsigned int levels),
                  (array, asked, levels), asked->Depth, asked->Flags, levels)
#undef GRAPHPROF_C_ARRAY

#define GRAPHPROF_C_FREE(name, parameters, arguments)                                              \
  static inline CUresult graphprof_##name parameters {                                             \
    const void *const address = (const void *)(uintptr_t)pointer;                                  \
    const size_t bytes = graphprof_seam_freeing(address);                                          \
    const CUresult result = name arguments;                                                        \
    if (bytes > 0)                                                                                 \
      graphprof_seam_freed(address, bytes, !result);                                               \
    return result;                                                                                 \
  }
GRAPHPROF_C_FREE(cuMemFree, (CUdeviceptr pointer), (pointer))
GRAPHPROF_C_FREE(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream), (pointer, stream))
GRAPHPROF_C_FREE(cuMemFreeHost, (void *pointer), (pointer))
GRAPHPROF_C_FREE(cuArrayDestroy, (CUarray pointer), (pointer))
GRAPHPROF_C_FREE(cuMipmappedArrayDestroy, (CUmipmappedArray pointer), (pointer))
#undef GRAPHPROF_C_FREE

// Memory that the program maps itself

static inline CUresult graphprof_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                                             const CUmemAllocationProp *properties,
                                             unsigned long long flags) {
  const CUresult result = cuMemCreate(handle, size, properties, flags);
  if (!result)
    graphprof_seam_mappableCreated(
        *handle, size,
        properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? properties->location.id : -1);
  return result;
}
static inline CUresult graphprof_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                                                             void *pointer) {
  const CUresult result = cuMemRetainAllocationHandle(handle, pointer);
  if (!result)
    graphprof_seam_mappableRetained(*handle);
  return result;
}
static inline CUresult graphprof_cuMemMap(CUdeviceptr pointer, size_t size, size_t offset,
                                          CUmemGenericAllocationHandle handle,
                                          unsigned long long flags) {
  const CUresult result = cuMemMap(pointer, size, offset, handle, flags);
  if (!result)
    graphprof_seam_mappableMapped(handle, pointer, size);
  return result;
}
static inline CUresult graphprof_cuMemRelease(CUmemGenericAllocationHandle handle) {
  void *const taken = graphprof_seam_mappableReleasing(handle);
  const CUresult result = cuMemRelease(handle);
  if (taken)
    graphprof_seam_mappableTaken(taken, !result);
  return result;
}
static inline CUresult graphprof_cuMemUnmap(CUdeviceptr pointer, size_t size) {
  void *const taken = graphprof_seam_mappableUnmapping(pointer, size);
  const CUresult result = cuMemUnmap(pointer, size);
  if (taken)
    graphprof_seam_mappableTaken(taken, !result);
  return result;
}

#endif // CUDA_VERSION

#endif // GRAPHPROF_DETAIL_C_MEMORY_H
