// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: devices, errors, memory without copies. Only translates arguments; the rules are
// in other files.

#include "Call.h"
#include "Properties.h"
#include "Versions.h"

#include <utility>

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

size_t pitchOf(size_t width) {
  constexpr size_t kPitch = 512;
  return (width + kPitch - 1) / kPitch * kPitch;
}

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  CUDA_CALL({
    if (!count)
      return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *ordinal) {
  CUDA_CALL({
    if (!ordinal)
      return cudaErrorInvalidValue;
    *ordinal = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int ordinal) {
  CUDA_CALL({ return ordinal == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaInitDevice(int ordinal, unsigned int, unsigned int) {
  CUDA_CALL({ return ordinal == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaSetDeviceFlags(unsigned int) {
  CUDA_CALL({ return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int ordinal) {
  CUDA_CALL({
    if (!properties)
      return cudaErrorInvalidValue;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    *properties = deviceProperties();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int ordinal) {
  CUDA_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    return value && deviceAttribute(attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  CUDA_CALL({
    if (least)
      *least = kLeastPriority;
    if (greatest)
      *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  CUDA_CALL({ return deviceSynchronize(d); });
}

cudaError_t cudaDeviceReset() {
  CUDA_CALL({
    d.destroyObjects();
    return cudaSuccess;
  });
}

// These two cost no time, cannot fail, and set no error of their own.
cudaError_t cudaGetLastError() { return std::exchange(lastError(), cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return lastError(); }

const char *cudaGetErrorName(cudaError_t error) { return errorEntry(error).name; }
const char *cudaGetErrorString(cudaError_t error) { return errorEntry(error).text; }

cudaError_t cudaRuntimeGetVersion(int *version) {
  CUDA_CALL({
    if (!version)
      return cudaErrorInvalidValue;
    *version = runtimeVersion();
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  CUDA_CALL({
    if (!version)
      return cudaErrorInvalidValue;
    *version = driverVersion();
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart() {
  CUDA_CALL({ return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  CUDA_CALL({ return cudaSuccess; });
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  CUDA_CALL({ return memAlloc(d, pointer, bytes, Memory::Kind::Device); });
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int) {
  CUDA_CALL({ return memAlloc(d, pointer, bytes, Memory::Kind::Managed); });
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  CUDA_CALL({
    if (!pitch)
      return cudaErrorInvalidValue;
    *pitch = pitchOf(width);
    return memAlloc(d, pointer, *pitch * height, Memory::Kind::Device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  CUDA_CALL({
    if (!pointer)
      return cudaErrorInvalidValue;
    const size_t pitch = pitchOf(extent.width);
    void *memory = nullptr;
    const cudaError_t status =
        memAlloc(d, &memory, pitch * extent.height * extent.depth, Memory::Kind::Device);
    if (status == cudaSuccess)
      *pointer = {memory, pitch, extent.width, extent.height};
    return status;
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  CUDA_CALL({ return memAlloc(d, pointer, bytes, Memory::Kind::Host); });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  CUDA_CALL({
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return memAlloc(d, pointer, bytes, Memory::Kind::Host);
  });
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  CUDA_CALL({ return memAllocAsync(d, pointer, bytes, stream); });
}

// The default pool is the only one.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int ordinal) {
  CUDA_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    if (!pool)
      return cudaErrorInvalidValue;
    *pool = defaultPool();
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  CUDA_CALL({
    if (pool != defaultPool())
      return cudaErrorInvalidValue;
    return memAllocAsync(d, pointer, bytes, stream);
  });
}

cudaError_t cudaFree(void *pointer) {
  CUDA_CALL({ return memFree(d, pointer, Memory::Kind::Device); });
}

cudaError_t cudaFreeHost(void *pointer) {
  CUDA_CALL({ return memFree(d, pointer, Memory::Kind::Host); });
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  CUDA_CALL({ return memFreeAsync(d, pointer, stream); });
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int) {
  CUDA_CALL({ return pointer && bytes ? forbidUnsafe(d) : cudaErrorInvalidValue; });
}

cudaError_t cudaHostUnregister(void *pointer) {
  CUDA_CALL({ return pointer ? forbidUnsafe(d) : cudaErrorInvalidValue; });
}

cudaError_t cudaHostGetDevicePointer(void **onDevice, void *pointer, unsigned int flags) {
  CUDA_CALL({
    if (!onDevice || !pointer || flags)
      return cudaErrorInvalidValue;
    *onDevice = pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  CUDA_CALL({
    if (!free || !total)
      return cudaErrorInvalidValue;
    *free = memoryLeft(d);
    *total = deviceProperties().totalGlobalMem;
    return cudaSuccess;
  });
}

// A device variable is in its host shadow.
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  CUDA_CALL({
    if (!pointer || !symbol)
      return cudaErrorInvalidValue;
    *pointer = const_cast<void *>(symbol);
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes) {
  CUDA_CALL({
    FillOp op;
    cudaError_t wrong = makeFill(dst, value, bytes, &op);
    return wrong ? wrong : submit(d, d.legacyStream, op);
  });
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
  CUDA_CALL({
    FillOp op;
    cudaError_t wrong = makeFill(dst, value, bytes, &op);
    return wrong ? wrong : submit(d, stream, op);
  });
}

} // extern "C"
