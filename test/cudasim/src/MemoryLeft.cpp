// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much memory the device has left, and the calls that ask about the pool of graphs.

#include "MemoryLeft.h"

#include "Call.h"
#include "Device.h"
#include "DriverParams.h"
#include "Exec.h"

#include <algorithm>

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace cudasim {
namespace {

// With those of child graphs and of conditional nodes' bodies.
std::size_t nodesIn(const CUgraph_st &graph) {
  std::size_t count = graph.nodes.size();
  for (const auto &node : graph.nodes) {
    if (const auto *child = std::get_if<ChildOp>(&node->op))
      count += nodesIn(*child->graph);
    if (const auto *conditional = std::get_if<ConditionalOp>(&node->op))
      for (const auto &body : conditional->bodies)
        count += nodesIn(*body);
  }
  return count;
}

cudaError_t attributeOf(const Device &device, int ordinal, int attribute, void *value) {
  if (ordinal != 0)
    return cudaErrorInvalidDevice;
  if (!value)
    return cudaErrorInvalidValue;
  auto *const bytes = static_cast<unsigned long long *>(value);
  switch (attribute) {
  case cudaGraphMemAttrUsedMemCurrent:
    *bytes = device.graphPool.used();
    return cudaSuccess;
  case cudaGraphMemAttrUsedMemHigh:
    *bytes = device.graphPool.usedHigh();
    return cudaSuccess;
  case cudaGraphMemAttrReservedMemCurrent:
    *bytes = device.graphPool.reserved();
    return cudaSuccess;
  case cudaGraphMemAttrReservedMemHigh:
    *bytes = device.graphPool.reservedHigh();
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t trim(Device &device, int ordinal) {
  if (ordinal != 0)
    return cudaErrorInvalidDevice;
  device.graphPool.trim();
  return cudaSuccess;
}

} // namespace

void GraphPool::allocate(const void *pointer, std::size_t bytes) {
  if (!blocks_.emplace(pointer, bytes).second)
    return; // a launch again, with what the last one left allocated
  used_ += bytes;
  usedHigh_ = std::max(usedHigh_, used_);
  reserved_ = std::max(reserved_, rounded(used_));
  reservedHigh_ = std::max(reservedHigh_, reserved_);
}

void GraphPool::free(const void *pointer) {
  const auto found = blocks_.find(pointer);
  if (found == blocks_.end())
    return;
  used_ -= found->second;
  blocks_.erase(found);
}

void takeInstantiated(CUgraphExec_st &exec) {
  exec.bytes = execBytes + execNodeBytes * nodesIn(*exec.graph);
}

void takeUploaded(CUgraphExec_st &exec) {
  if (!exec.isUploaded)
    exec.bytes += uploadNodeBytes * nodesIn(*exec.graph);
  exec.isUploaded = true;
}

std::size_t memoryTaken(const Device &device) {
  std::size_t bytes =
      device.memory.deviceBytes() + device.virtualMemory.bytes() + device.graphPool.reserved();
  device.execs.forEach([&bytes](const CUgraphExec_st &exec) { bytes += exec.bytes; });
  return bytes;
}

std::size_t memoryLeft(const Device &device) {
  return device.allMemory - std::min(memoryTaken(device), device.allMemory);
}

} // namespace cudasim

using namespace cudasim;

extern "C" {

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  CU_CALL({ return attributeOf(d, device, attribute, value); });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  CU_CALL({ return trim(d, device); });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void *value) {
  CUDA_CALL({ return attributeOf(d, device, attribute, value); });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  CUDA_CALL({ return trim(d, device); });
}

} // extern "C"
