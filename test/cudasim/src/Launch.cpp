// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Attributes of launches.

#include "Launch.h"

#include "Device.h"
#include "Event.h"
#include "Graph.h"
#include "Properties.h"

#include <utility>
#include <vector>

namespace cudasim {
namespace {

// An event that a launch records. In a capture, work that waits for it gets this edge.
struct LaunchEvent {
  std::shared_ptr<CUevent_st> event;
  cudaGraphEdgeData edge;
};

struct Attributes {
  bool serializesProgrammatically = false;
  bool deviceUpdatable = false;
  bool cooperative = false;
  std::vector<LaunchEvent> events;
};

cudaError_t addEvent(Device &device, cudaEvent_t handle, int flags, cudaGraphEdgeData edge,
                     Attributes *attributes) {
  auto event = device.events.find(handle);
  if (!event)
    return cudaErrorInvalidResourceHandle;
  if (flags != cudaEventRecordDefault || (event->flags & cudaEventInterprocess))
    return cudaErrorInvalidValue;
  if (!(event->flags & cudaEventDisableTiming))
    return cudaErrorNotSupported;
  attributes->events.push_back({std::move(event), edge});
  return cudaSuccess;
}

cudaError_t read(Device &device, std::span<const cudaLaunchAttribute> given, Attributes *read) {
  for (const cudaLaunchAttribute &attribute : given) {
    cudaError_t wrong = cudaSuccess;
    switch (attribute.id) {
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      read->serializesProgrammatically = attribute.val.programmaticStreamSerializationAllowed != 0;
      break;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      read->deviceUpdatable = attribute.val.deviceUpdatableKernelNode.deviceUpdatable != 0;
      break;
    case cudaLaunchAttributeCooperative:
      read->cooperative = attribute.val.cooperative != 0;
      break;
    case cudaLaunchAttributeProgrammaticEvent: {
      const auto &programmatic = attribute.val.programmaticEvent;
      cudaGraphEdgeData edge = kProgrammaticEdge;
      if (programmatic.triggerAtBlockStart)
        edge.from_port = cudaGraphKernelNodePortLaunchCompletion;
      wrong = addEvent(device, programmatic.event, programmatic.flags, edge, read);
      break;
    }
    case cudaLaunchAttributeLaunchCompletionEvent: {
      const auto &launched = attribute.val.launchCompletionEvent;
      wrong = addEvent(device, launched.event, launched.flags, kLaunchCompletionEdge, read);
      break;
    }
    default:
      break;
    }
    if (wrong)
      return wrong;
  }
  return cudaSuccess;
}

// The blocks of a cooperative launch wait for each other, so all must be on the device.
bool fitsAtOnce(const Device &device, const KernelOp &op) {
  int blocks = 0;
  const dim3 &block = op.block, &grid = op.grid;
  if (activeBlocks(device.kernels, *op.function, &blocks,
                   static_cast<int>(block.x * block.y * block.z), op.sharedMemBytes,
                   0) != cudaSuccess)
    return false;
  return std::uint64_t{grid.x} * grid.y * grid.z <=
         static_cast<std::uint64_t>(blocks) *
             static_cast<std::uint64_t>(deviceProperties().multiProcessorCount);
}

// If the stream's work so far ends with kernels, the next kernel may overlap with them. Edges that
// do not wait for their whole kernel stay.
void serializeProgrammatically(Frontier &frontier) {
  for (std::size_t i = 0; i < frontier.nodes.size(); ++i)
    if (frontier.nodes[i]->type() == cudaGraphNodeTypeKernel && isFull(frontier.edges[i]))
      frontier.edges[i] = kProgrammaticEdge;
}

} // namespace

void keepAttribute(KernelOp &op, const cudaLaunchAttribute &attribute) {
  switch (attribute.id) {
  case cudaLaunchAttributeAccessPolicyWindow:
  case cudaLaunchAttributeCooperative:
  case cudaLaunchAttributeClusterDimension:
  case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributePriority:
  case cudaLaunchAttributeMemSyncDomainMap:
  case cudaLaunchAttributeMemSyncDomain:
  case cudaLaunchAttributePreferredClusterDimension:
  case cudaLaunchAttributePreferredSharedMemoryCarveout:
  case cudaLaunchAttributeNvlinkUtilCentricScheduling:
  case cudaLaunchAttributePortableClusterSizeMode:
  case cudaLaunchAttributeSharedMemoryMode:
    break;
  default:
    return;
  }
  for (cudaLaunchAttribute &kept : op.attributes)
    if (kept.id == attribute.id) {
      kept.val = attribute.val;
      return;
    }
  op.attributes.push_back(attribute);
}

std::size_t mostSharedBytes(std::span<const cudaLaunchAttribute> attributes) {
  constexpr int allowsOversized = 3; // CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY
  for (const cudaLaunchAttribute &attribute : attributes)
    if (attribute.id == cudaLaunchAttributeSharedMemoryMode &&
        attribute.val.sharedMemoryMode >= allowsOversized)
      return kOversizedSharedBytesPerBlock;
  return kMostSharedBytesPerBlock;
}

cudaError_t launch(Device &device, cudaStream_t handle, KernelOp op,
                   std::span<const cudaLaunchAttribute> given) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  Attributes attributes;
  if (cudaError_t wrong = read(device, given, &attributes))
    return wrong;
  if (attributes.deviceUpdatable && !stream->capture)
    return cudaErrorInvalidValue; // only for graph nodes
  op.deviceUpdatable = attributes.deviceUpdatable;
  for (const cudaLaunchAttribute &attribute : given)
    keepAttribute(op, attribute);
  if (attributes.cooperative && !fitsAtOnce(device, op))
    return cudaErrorCooperativeLaunchTooLarge;

  if (stream->capture && attributes.serializesProgrammatically)
    serializeProgrammatically(stream->frontier);
  OpTimes times;
  if (cudaError_t failed = submit(device, *stream, std::move(op), &times))
    return failed;
  for (const LaunchEvent &recorded : attributes.events)
    if (stream->capture) {
      recorded.event->captureAt(stream->capture, {});
      recorded.event->frontier.add(stream->frontier.nodes.front(), recorded.edge);
    } else {
      // Work of other streams does not wait on the device. It begins when it can run.
      recorded.event->recordAt(recorded.edge.type ? times.endNs : times.at(recorded.edge));
    }
  return cudaSuccess;
}

} // namespace cudasim
