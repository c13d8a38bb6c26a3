// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: limits, hints and questions that change nothing that the simulation computes.

#include "Call.h"
#include "Capture.h"
#include "Memory.h"
#include "Properties.h"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

constexpr char kBusId[] = "0000:00:00.0";

// The values of cudaLimit. Guarded by the device's lock.
std::size_t limits[] = {1 << 10, 1 << 20, 8 << 20, 2, 2048, 64, 0};

// What can be set of the default pool, which keeps no memory. Guarded by the device's lock.
int reuses[] = {1, 1, 1};
std::uint64_t releaseThreshold = 0;

struct Callback {
  cudaStream_t stream;
  cudaStreamCallback_t function;
  void *userData;
};

void runCallback(void *given) {
  const std::unique_ptr<Callback> callback(static_cast<Callback *>(given));
  callback->function(callback->stream, cudaSuccess, callback->userData);
}

// Hints are for managed memory only.
cudaError_t checkHint(Device &d, const void *pointer, std::size_t bytes, cudaMemLocation location) {
  const Memory::Kind *const kind = d.memory.kindOf(pointer);
  if (!bytes || !kind || *kind != Memory::Kind::Managed)
    return cudaErrorInvalidValue;
  if (location.type == cudaMemLocationTypeDevice)
    return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  return location.type == cudaMemLocationTypeInvalid ? cudaErrorInvalidValue : cudaSuccess;
}

const char *nameOf(cudaGraphNodeType type) {
  constexpr const char *kNames[] = {
      "KERNEL",     "MEMCPY",       "MEMSET",           "HOST",           "GRAPH",     "EMPTY",
      "EVENT_WAIT", "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE"};
  return static_cast<unsigned>(type) < std::size(kNames) ? kNames[type] : "NODE";
}

} // namespace

extern "C" {

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted) {
  CUDA_CALL({
    if (!device || !wanted)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  CUDA_CALL({
    if (device != 0)
      return cudaErrorInvalidDevice;
    if (!text || size < static_cast<int>(sizeof kBusId))
      return cudaErrorInvalidValue;
    std::memcpy(text, kBusId, sizeof kBusId);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  CUDA_CALL({
    if (!device || !text)
      return cudaErrorInvalidValue;
    if (std::strcmp(text, kBusId) != 0)
      return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  CUDA_CALL({
    if (!can)
      return cudaErrorInvalidValue;
    *can = 0;
    return device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  CUDA_CALL({
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  CUDA_CALL({
    if (static_cast<unsigned>(limit) >= std::size(limits))
      return cudaErrorUnsupportedLimit;
    limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  CUDA_CALL({
    if (!value)
      return cudaErrorInvalidValue;
    if (static_cast<unsigned>(limit) >= std::size(limits))
      return cudaErrorUnsupportedLimit;
    *value = limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  CUDA_CALL({
    if (!pool)
      return cudaErrorInvalidValue;
    *pool = defaultPool();
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  CUDA_CALL({
    if (device != 0)
      return cudaErrorInvalidDevice;
    return pool == defaultPool() ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  CUDA_CALL({
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    if (pool != defaultPool() || !value)
      return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      releaseThreshold = *static_cast<std::uint64_t *>(value);
    else if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
             attribute <= cudaMemPoolReuseAllowInternalDependencies)
      reuses[attribute - 1] = *static_cast<int *>(value);
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

// How much memory is used is not known.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  CUDA_CALL({
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    if (pool != defaultPool() || !value)
      return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      *static_cast<std::uint64_t *>(value) = releaseThreshold;
    else if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
             attribute <= cudaMemPoolReuseAllowInternalDependencies)
      *static_cast<int *>(value) = reuses[attribute - 1];
    else
      return cudaErrorNotSupported;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  CUDA_CALL({ return pool == defaultPool() ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  CUDA_CALL({ return cudaSuccess; });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  CUDA_CALL({
    if (!config)
      return cudaErrorInvalidValue;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache) {
  CUDA_CALL({ return function ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  CUDA_CALL({
    const cudaMemsetParams params{pointer, pitch, static_cast<unsigned char>(value),
                                  1,       width, height};
    FillOp op;
    const cudaError_t wrong = makeFill(&params, &op);
    return wrong ? wrong : submit(d, d.legacyStream, op);
  });
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  CUDA_CALL({
    const cudaMemsetParams params{pointer, pitch, static_cast<unsigned char>(value),
                                  1,       width, height};
    FillOp op;
    const cudaError_t wrong = makeFill(&params, &op);
    return wrong ? wrong : submit(d, stream, op);
  });
}

// Memory that was only registered is not known.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  CUDA_CALL({
    if (!attributes || !pointer)
      return cudaErrorInvalidValue;
    void *const here = const_cast<void *>(pointer);
    const Memory::Kind *const kind = d.memory.kindOf(pointer);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = here;
    if (!kind)
      return cudaSuccess;
    attributes->device = 0;
    attributes->devicePointer = here;
    attributes->type = *kind == Memory::Kind::Host      ? cudaMemoryTypeHost
                       : *kind == Memory::Kind::Managed ? cudaMemoryTypeManaged
                                                        : cudaMemoryTypeDevice;
    if (attributes->type == cudaMemoryTypeDevice)
      attributes->hostPointer = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t handle) {
  CUDA_CALL({
    CUstream_st *const stream = d.stream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture)
      return cudaErrorStreamCaptureUnsupported;
    return flags ? cudaErrorInvalidValue : checkHint(d, pointer, bytes, location);
  });
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  CUDA_CALL({
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    const bool noLocation = advice == cudaMemAdviseSetReadMostly ||
                            advice == cudaMemAdviseUnsetReadMostly ||
                            advice == cudaMemAdviseUnsetPreferredLocation;
    return checkHint(d, pointer, bytes,
                     noLocation ? cudaMemLocation{cudaMemLocationTypeDevice, 0} : location);
  });
}

// Not for captures.
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function,
                                  void *userData, unsigned int flags) {
  CUDA_CALL({
    CUstream_st *const stream = d.stream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!function || flags)
      return cudaErrorInvalidValue;
    if (stream->capture)
      return cudaErrorStreamCaptureUnsupported;
    return submit(d, handle, HostOp{runCallback, new Callback{handle, function, userData}});
  });
}

// The nodes with their types, and the edges, as a graph in DOT.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int) {
  if (!path)
    return cudaErrorInvalidValue;
  std::size_t nodeCount = 0, edgeCount = 0;
  if (const cudaError_t wrong = cudaGraphGetNodes(graph, nullptr, &nodeCount))
    return wrong;
  std::vector<cudaGraphNode_t> nodes(nodeCount);
  if (const cudaError_t wrong = cudaGraphGetNodes(graph, nodes.data(), &nodeCount))
    return wrong;
  if (const cudaError_t wrong = cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edgeCount))
    return wrong;
  std::vector<cudaGraphNode_t> from(edgeCount), to(edgeCount);
  std::vector<cudaGraphEdgeData> data(edgeCount);
  if (const cudaError_t wrong =
          cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &edgeCount))
    return wrong;
  const auto file =
      std::unique_ptr<std::FILE, int (*)(std::FILE *)>(std::fopen(path, "w"), std::fclose);
  if (!file)
    return cudaErrorOperatingSystem;
  const auto numberOf = [&](cudaGraphNode_t node) {
    std::size_t number = 0;
    while (number < nodes.size() && nodes[number] != node)
      ++number;
    return number;
  };
  std::fprintf(file.get(), "digraph dot {\n");
  for (std::size_t i = 0; i < nodeCount; ++i) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    cudaGraphNodeGetType(nodes[i], &type);
    std::fprintf(file.get(), "\"graph_node_%zu\"[label=\"%zu %s\"];\n", i, i, nameOf(type));
  }
  for (std::size_t i = 0; i < edgeCount; ++i)
    std::fprintf(file.get(), "\"graph_node_%zu\" -> \"graph_node_%zu\";\n", numberOf(from[i]),
                 numberOf(to[i]));
  std::fprintf(file.get(), "}\n");
  return cudaSuccess;
}

} // extern "C"
