// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The properties of the simulated device, and the table of errors.

#include "Properties.h"

#include <cstring>

namespace cudasim {

const cudaDeviceProp &deviceProperties() {
  static const cudaDeviceProp properties = [] {
    cudaDeviceProp p{};
    std::strcpy(p.name, "cudasim (simulated GPU)");
    p.totalGlobalMem = std::size_t{16} << 30;
    p.sharedMemPerBlock = 48 << 10;
    p.sharedMemPerBlockOptin = 227 << 10;
    p.sharedMemPerMultiprocessor = 228 << 10;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = 64 << 10;
    p.major = 9;
    p.minor = 0;
    p.multiProcessorCount = 132;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
    p.asyncEngineCount = 3;
    p.memoryBusWidth = 6144;
    p.l2CacheSize = 60 << 20;
    p.maxThreadsPerMultiProcessor = 2048;
    p.streamPrioritiesSupported = p.managedMemory = p.cooperativeLaunch = 1;
    p.maxBlocksPerMultiProcessor = 32;
    p.memoryPoolsSupported = p.clusterLaunch = 1;
    p.textureAlignment = p.surfaceAlignment = 512;
    p.texturePitchAlignment = 32;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.concurrentManagedAccess = p.computePreemptionSupported = 1;
    p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = 1;
    p.reservedSharedMemPerBlock = 1 << 10;
    p.unifiedFunctionPointers = 1;
    return p;
  }();
  return properties;
}

bool deviceAttribute(int attribute, int *value) {
  const cudaDeviceProp &p = deviceProperties();
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = p.maxThreadsPerBlock;
    return true;
  case cudaDevAttrMaxBlockDimX:
    *value = p.maxThreadsDim[0];
    return true;
  case cudaDevAttrMaxBlockDimY:
    *value = p.maxThreadsDim[1];
    return true;
  case cudaDevAttrMaxBlockDimZ:
    *value = p.maxThreadsDim[2];
    return true;
  case cudaDevAttrMaxGridDimX:
    *value = p.maxGridSize[0];
    return true;
  case cudaDevAttrMaxGridDimY:
    *value = p.maxGridSize[1];
    return true;
  case cudaDevAttrMaxGridDimZ:
    *value = p.maxGridSize[2];
    return true;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = static_cast<int>(p.sharedMemPerBlock);
    return true;
  case cudaDevAttrTotalConstantMemory:
    *value = static_cast<int>(p.totalConstMem);
    return true;
  case cudaDevAttrWarpSize:
    *value = p.warpSize;
    return true;
  case cudaDevAttrMaxRegistersPerBlock:
    *value = p.regsPerBlock;
    return true;
  case cudaDevAttrClockRate:
    *value = kSmClockMHz * 1000;
    return true;
  case cudaDevAttrMultiProcessorCount:
    *value = p.multiProcessorCount;
    return true;
  case cudaDevAttrIntegrated:
  case cudaDevAttrComputeMode:
  case cudaDevAttrEccEnabled:
  case cudaDevAttrPciBusId:
  case cudaDevAttrPciDeviceId:
  case cudaDevAttrPciDomainId:
  case cudaDevAttrKernelExecTimeout:
  case cudaDevAttrTccDriver:
  case cudaDevAttrIsMultiGpuBoard:
  case cudaDevAttrMultiGpuBoardGroupID:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
  case cudaDevAttrDirectManagedMemAccessFromHost:
  case cudaDevAttrMaxPersistingL2CacheSize:
  case cudaDevAttrMaxAccessPolicyWindowSize:
  case cudaDevAttrSparseCudaArraySupported:
  case cudaDevAttrIpcEventSupport:
    *value = 0;
    return true;
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrMemoryPoolsSupported:
  case cudaDevAttrClusterLaunch:
  case cudaDevAttrGpuOverlap:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrComputePreemptionSupported:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrHostRegisterSupported:
    *value = 1;
    return true;
  case cudaDevAttrMaxPitch:
    *value = static_cast<int>(p.memPitch);
    return true;
  case cudaDevAttrTextureAlignment:
  case cudaDevAttrSurfaceAlignment:
    *value = static_cast<int>(p.textureAlignment);
    return true;
  case cudaDevAttrTexturePitchAlignment:
    *value = static_cast<int>(p.texturePitchAlignment);
    return true;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    *value = static_cast<int>(p.reservedSharedMemPerBlock);
    return true;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    *value = 2;
    return true;
  case cudaDevAttrMemoryClockRate:
    *value = 3'201'000;
    return true;
  case cudaDevAttrGlobalMemoryBusWidth:
    *value = p.memoryBusWidth;
    return true;
  case cudaDevAttrL2CacheSize:
    *value = p.l2CacheSize;
    return true;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = p.maxThreadsPerMultiProcessor;
    return true;
  case cudaDevAttrAsyncEngineCount:
    *value = p.asyncEngineCount;
    return true;
  case cudaDevAttrComputeCapabilityMajor:
    *value = p.major;
    return true;
  case cudaDevAttrComputeCapabilityMinor:
    *value = p.minor;
    return true;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = static_cast<int>(p.sharedMemPerMultiprocessor);
    return true;
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *value = p.regsPerMultiprocessor;
    return true;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = static_cast<int>(p.sharedMemPerBlockOptin);
    return true;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *value = p.maxBlocksPerMultiProcessor;
    return true;
  default:
    return false;
  }
}

ErrorEntry errorEntry(int error) {
  switch (error) {
#define CUDASIM_ERROR(NAME, DRIVER, VALUE, TEXT)                                                   \
  case VALUE:                                                                                      \
    return {#NAME, #DRIVER, TEXT};
#include "cudasim/errors.def"
#undef CUDASIM_ERROR
  default:
    return {"unrecognized error code", nullptr, "unrecognized error code"};
  }
}

} // namespace cudasim
