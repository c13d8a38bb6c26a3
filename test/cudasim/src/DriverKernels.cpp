// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: libraries, their kernels, and launches of those.

#include "Call.h"
#include "DriverParams.h"
#include "Launch.h"
#include "Properties.h"

using namespace cudasim;

namespace {

cudaError_t nameOf(Device &d, const void *handle, const char **name) {
  auto found = d.kernels.ofHandle(handle);
  if (!found)
    return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  if (!name)
    return cudaErrorInvalidValue;
  *name = found->name.c_str();
  return cudaSuccess;
}

// CUDA 12.4. Like CUDA's, ends with an error behind the last parameter.
cudaError_t paramInfoOf(Device &d, const void *handle, size_t index, size_t *offset, size_t *size) {
  const auto found = d.kernels.ofHandle(handle);
  if (!found)
    return cudaErrorInvalidResourceHandle;
  const std::vector<size_t> *sizes = d.kernels.paramSizes(*found);
  if (!offset || !sizes || index >= sizes->size())
    return cudaErrorInvalidValue;
  *offset = 0;
  for (size_t i = 0; i < index; ++i)
    *offset += ((*sizes)[i] + 7) / 8 * 8;
  if (size)
    *size = (*sizes)[index];
  return cudaSuccess;
}

// The layout of attributes is the same in both APIs.
std::span<const cudaLaunchAttribute> attributesOf(const CUlaunchConfig &config) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  return {reinterpret_cast<const cudaLaunchAttribute *>(config.attrs), config.numAttrs};
}

cudaError_t launchAs(Device &d, const CUlaunchConfig *config, CUfunction function, void **params,
                     void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
  kernel.func = function;
  kernel.gridDimX = config->gridDimX;
  kernel.gridDimY = config->gridDimY;
  kernel.gridDimZ = config->gridDimZ;
  kernel.blockDimX = config->blockDimX;
  kernel.blockDimY = config->blockDimY;
  kernel.blockDimZ = config->blockDimZ;
  kernel.sharedMemBytes = config->sharedMemBytes;
  kernel.kernelParams = params;
  kernel.extra = extra;
  Op op;
  if (cudaError_t wrong = opFrom(d, &kernel, &op, mostSharedBytes(attributesOf(*config))))
    return wrong;
  return launch(d, config->hStream, std::get<KernelOp>(std::move(op)), attributesOf(*config));
}

} // namespace

extern "C" {

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, int *, void **, unsigned int,
                           int *, void **, unsigned int) {
  CU_CALL({
    if (!library || !code)
      return cudaErrorInvalidValue;
    *library = d.libraries.add(std::make_shared<CUlib_st>());
    return cudaSuccess;
  });
}

CUresult cuLibraryUnload(CUlibrary handle) {
  CU_CALL({
    auto library = d.libraries.find(handle);
    if (!library)
      return cudaErrorInvalidResourceHandle;
    d.kernels.unload(*library);
    d.libraries.remove(handle);
    return cudaSuccess;
  });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  CU_CALL({
    CUlib_st *library = d.libraries.get(handle);
    if (!library)
      return cudaErrorInvalidResourceHandle;
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    *kernel = d.kernels.kernelIn(*library, name).get();
    return cudaSuccess;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                            const char *name) {
  CU_CALL({
    NEEDS_CONTEXT;
    CUlib_st *library = d.libraries.get(handle);
    if (!library)
      return cudaErrorInvalidResourceHandle;
    if (!name || (!pointer && !bytes))
      return cudaErrorInvalidValue;
    auto &storage = library->globals[name];
    if (!storage)
      storage = std::make_unique<std::byte[]>(CUlib_st::kGlobalBytes);
    if (pointer)
      *pointer = reinterpret_cast<CUdeviceptr>(storage.get());
    if (bytes)
      *bytes = CUlib_st::kGlobalBytes;
    return cudaSuccess;
  });
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  CU_CALL({
    NEEDS_CONTEXT;
    auto found = d.kernels.ofHandle(kernel);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (!function)
      return cudaErrorInvalidValue;
    *function = found.get();
    return cudaSuccess;
  });
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  CU_CALL({ return nameOf(d, kernel, name); });
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  CU_CALL({ return nameOf(d, function, name); });
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  static const char ofProgram = 0;
  CU_CALL({
    const auto found = d.kernels.ofHandle(function);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (!module)
      return cudaErrorInvalidValue;
    const void *handle = found->module ? found->module : &ofProgram;
    *module = static_cast<CUmodule>(const_cast<void *>(handle));
    return cudaSuccess;
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  CU_CALL({ return paramInfoOf(d, function, index, offset, size); });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size) {
  CU_CALL({ return paramInfoOf(d, kernel, index, offset, size); });
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice ordinal) {
  CU_CALL({
    const auto found = d.kernels.ofHandle(kernel);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    return functionAttribute(d.kernels, *found, attribute, value);
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  CU_CALL({
    const auto found = d.kernels.ofHandle(function);
    return found ? functionAttribute(d.kernels, *found, attribute, value)
                 : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  CU_CALL({
    const auto found = d.kernels.ofHandle(function);
    return found ? setFunctionAttribute(d.kernels, *found, attribute, value)
                 : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int blockSize, size_t dynamicSharedBytes) {
  CU_CALL({
    NEEDS_CONTEXT;
    const auto found = d.kernels.ofHandle(function);
    return found ? activeBlocks(d.kernels, *found, blocks, blockSize, dynamicSharedBytes, 0)
                 : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int blockSize,
                                                              size_t dynamicSharedBytes,
                                                              unsigned int flags) {
  CU_CALL({
    NEEDS_CONTEXT;
    const auto found = d.kernels.ofHandle(function);
    return found ? activeBlocks(d.kernels, *found, blocks, blockSize, dynamicSharedBytes, flags)
                 : cudaErrorInvalidResourceHandle;
  });
}

// Assumes that the blocks of a cluster can be on any multiprocessors.
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config) {
  CU_CALL({
    NEEDS_CONTEXT;
    const auto found = d.kernels.ofHandle(function);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (!clusters || !config || (config->numAttrs && !config->attrs))
      return cudaErrorInvalidValue;
    unsigned size = 0;
    for (const cudaLaunchAttribute &attribute : attributesOf(*config))
      if (attribute.id == cudaLaunchAttributeClusterDimension) {
        const auto &given = attribute.val.clusterDim;
        size = given.x * given.y * given.z;
      }
    if (!size || size > kLargestPortableCluster)
      return cudaErrorInvalidClusterSize;
    int blocks = 0;
    const auto threads =
        static_cast<int>(config->blockDimX * config->blockDimY * config->blockDimZ);
    if (cudaError_t wrong =
            activeBlocks(d.kernels, *found, &blocks, threads, config->sharedMemBytes, 0))
      return wrong;
    *clusters = blocks * deviceProperties().multiProcessorCount / static_cast<int>(size);
    return cudaSuccess;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                        unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int sharedMemBytes, CUstream stream,
                        void **params, void **extra) {
  const CUlaunchConfig config{gridX,  gridY,          gridZ,  blockX,  blockY,
                              blockZ, sharedMemBytes, stream, nullptr, 0};
  CU_CALL({ return launchAs(d, &config, function, params, extra); });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra) {
  CU_CALL({ return launchAs(d, config, function, params, extra); });
}

} // extern "C"
