// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: memory that the program maps itself.

#include "Call.h"
#include "DriverParams.h"
#include "VirtualMemory.h"

using namespace cudasim;

namespace {

// Checks for the one device, or the host's one node.
cudaError_t wrong(const CUmemLocation &location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  return location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && location.id == 0
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

cudaError_t wrong(const CUmemAllocationProp *properties) {
  return properties && properties->type == CU_MEM_ALLOCATION_TYPE_PINNED
             ? wrong(properties->location)
             : cudaErrorInvalidValue;
}

} // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags) {
  CU_CALL({
    if (!granularity)
      return cudaErrorInvalidValue;
    *granularity = VirtualMemory::kGranularity;
    return wrong(properties);
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  CU_CALL({
    if (!handle || flags)
      return cudaErrorInvalidValue;
    if (const cudaError_t status = wrong(properties))
      return status;
    VirtualMemory::Handle created = 0;
    const cudaError_t status = d.virtualMemory.create(bytes, &created);
    if (status == cudaSuccess)
      *handle = created;
    return status;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  CU_CALL({ return d.virtualMemory.release(handle); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  CU_CALL({
    VirtualMemory::Handle retained = 0;
    const cudaError_t status =
        handle ? d.virtualMemory.retain(reinterpret_cast<std::uintptr_t>(address), &retained)
               : cudaErrorInvalidValue;
    if (status == cudaSuccess)
      *handle = retained;
    return status;
  });
}

// Ignores the address that the program prefers.
CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  CU_CALL({
    if (!pointer || flags || alignment > VirtualMemory::kGranularity ||
        (alignment & (alignment - 1)) != 0)
      return cudaErrorInvalidValue;
    VirtualMemory::Address address = 0;
    const cudaError_t status = d.virtualMemory.reserve(bytes, &address);
    if (status == cudaSuccess)
      *pointer = address;
    return status;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  CU_CALL({ return d.virtualMemory.giveBack(pointer, bytes); });
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  CU_CALL({
    return offset || flags ? cudaErrorInvalidValue : d.virtualMemory.map(pointer, bytes, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  CU_CALL({ return d.virtualMemory.unmap(pointer, bytes); });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *accesses,
                        size_t count) {
  CU_CALL({
    if (!accesses || count != 1)
      return cudaErrorInvalidValue;
    if (const cudaError_t status = wrong(accesses->location))
      return status;
    const bool readable = accesses->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return d.virtualMemory.protect(pointer, bytes, readable,
                                   accesses->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  });
}

} // extern "C"
