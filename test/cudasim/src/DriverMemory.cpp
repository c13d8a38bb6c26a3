// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: memory, without copies.

#include "Call.h"
#include "DriverParams.h"
#include "Memory.h"
#include "Properties.h"

using namespace cudasim;

namespace {

cudaError_t allocate(Device &d, CUdeviceptr *pointer, size_t bytes,
                     Memory::Kind kind = Memory::Kind::Device) {
  NEEDS_CONTEXT;
  if (!pointer || !bytes)
    return cudaErrorInvalidValue;
  void *allocated = nullptr;
  const cudaError_t status = memAlloc(d, &allocated, bytes, kind);
  if (status == cudaSuccess)
    *pointer = reinterpret_cast<CUdeviceptr>(allocated);
  return status;
}

cudaError_t allocateAsync(Device &d, CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  NEEDS_CONTEXT;
  if (!pointer || !bytes)
    return cudaErrorInvalidValue;
  void *allocated = nullptr;
  const cudaError_t status = memAllocAsync(d, &allocated, bytes, stream);
  if (status == cudaSuccess)
    *pointer = reinterpret_cast<CUdeviceptr>(allocated);
  return status;
}

} // namespace

extern "C" {

// The simulation knows nothing of memory that was only registered, or of variables.
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  CU_CALL({
    const Memory::Kind *kind = d.memory.kindOf(reinterpret_cast<const void *>(pointer));
    if (!data || !kind)
      return cudaErrorInvalidValue;
    const bool device = *kind != Memory::Kind::Host;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(data) = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned *>(data) = *kind == Memory::Kind::Managed ? 1 : 0;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  CU_CALL({
    NEEDS_CONTEXT;
    if (!bytes || flags & ~(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                            CU_MEMHOSTALLOC_WRITECOMBINED))
      return cudaErrorInvalidValue;
    return memAlloc(d, pointer, bytes, Memory::Kind::Host);
  });
}

// Does nothing: the device can use all host memory.
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags) {
  CU_CALL({
    NEEDS_CONTEXT;
    if (!pointer || !bytes || flags & ~(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP))
      return cudaErrorInvalidValue;
    return forbidUnsafe(d);
  });
}

CUresult cuMemFreeHost(void *pointer) {
  CU_CALL({ return pointer ? memFree(d, pointer, Memory::Kind::Host) : cudaErrorInvalidValue; });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *onDevice, void *pointer, unsigned int flags) {
  CU_CALL({
    if (!onDevice || !pointer || flags)
      return cudaErrorInvalidValue;
    *onDevice = reinterpret_cast<CUdeviceptr>(pointer);
    return cudaSuccess;
  });
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  CU_CALL({
    NEEDS_CONTEXT;
    return bytes ? memAlloc(d, pointer, bytes, Memory::Kind::Host) : cudaErrorInvalidValue;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  CU_CALL({ return allocate(d, pointer, bytes); });
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int) {
  CU_CALL({ return allocate(d, pointer, bytes, Memory::Kind::Managed); });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned int elementSize) {
  CU_CALL({
    constexpr size_t kPitch = 512;
    if (!pitch || (elementSize != 4 && elementSize != 8 && elementSize != 16))
      return cudaErrorInvalidValue;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(d, pointer, *pitch * height);
  });
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  CU_CALL({ return allocateAsync(d, pointer, bytes, stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  CU_CALL({
    return pool == defaultPool() ? allocateAsync(d, pointer, bytes, stream) : cudaErrorInvalidValue;
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  CU_CALL({ return memFree(d, reinterpret_cast<void *>(pointer), Memory::Kind::Device); });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  CU_CALL({ return memFreeAsync(d, reinterpret_cast<void *>(pointer), stream); });
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  CU_CALL({
    NEEDS_CONTEXT;
    if (!free || !total)
      return cudaErrorInvalidValue;
    *free = memoryLeft(d);
    *total = deviceProperties().totalGlobalMem;
    return cudaSuccess;
  });
}

} // extern "C"
