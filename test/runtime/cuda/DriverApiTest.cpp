// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// runtime/cuda/DriverApi.h against a real toolkit's cuda.h: our declarations are its ABI. Built
// where there is a toolkit.

#include <cuda.h>

#include <cstddef>
#include <gtest/gtest.h>

#include "cuda/DriverApi.h"

namespace graphprof::driver {
namespace {

// The same number of parameters, each of the same size: what calling through our type needs.
template <class... Ours, class... Theirs>
constexpr bool sameShape(Result (*)(Ours...), CUresult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs))
    return false;
  else
    return ((sizeof(Ours) == sizeof(Theirs)) && ...);
}

TEST(DriverApi, FunctionsHaveToolkitsShape) {
#define GRAPHPROF_DRIVER_CHECK(member, symbol, parameters)                                         \
  EXPECT_TRUE(sameShape(decltype(Functions::member){}, decltype(&::symbol){})) << #symbol;
  GRAPHPROF_DRIVER_FUNCTIONS(GRAPHPROF_DRIVER_CHECK)
#undef GRAPHPROF_DRIVER_CHECK
}

TEST(DriverApi, ValuesAreTheToolkits) {
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_KERNEL, static_cast<int>(NodeType::Kernel));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_MEMCPY, static_cast<int>(NodeType::Memcpy));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_MEMSET, static_cast<int>(NodeType::Memset));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_HOST, static_cast<int>(NodeType::Host));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EMPTY, static_cast<int>(NodeType::Empty));
  EXPECT_EQ(CU_MEMORYTYPE_HOST, static_cast<CUmemorytype>(MemoryType::Host));
  EXPECT_EQ(CU_MEMORYTYPE_DEVICE, static_cast<CUmemorytype>(MemoryType::Device));
  EXPECT_EQ(CU_MEMORYTYPE_ARRAY, static_cast<CUmemorytype>(MemoryType::Array));
  EXPECT_EQ(CU_MEMORYTYPE_UNIFIED, static_cast<CUmemorytype>(MemoryType::Unified));
  EXPECT_EQ(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointerMemoryType);
  EXPECT_EQ(CU_POINTER_ATTRIBUTE_IS_MANAGED, pointerIsManaged);
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_GRAPH, static_cast<int>(NodeType::Graph));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_MEM_ALLOC, static_cast<int>(NodeType::MemAlloc));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_MEM_FREE, static_cast<int>(NodeType::MemFree));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, static_cast<int>(NodeType::BatchMemOp));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_CONDITIONAL, static_cast<int>(NodeType::Conditional));
  EXPECT_EQ(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, deviceUpdatableKernelNode);
  EXPECT_EQ(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperativeLaunch);
  EXPECT_EQ(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, clusterDimension);
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            static_cast<int>(FunctionAttribute::StaticSharedBytes));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_NUM_REGS, static_cast<int>(FunctionAttribute::Registers));
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(FunctionAttribute::DynamicSharedBytes));
  EXPECT_EQ(CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, noDestructorSync);
}

TEST(DriverApi, StructuresHaveToolkitsLayout) {
  EXPECT_EQ(sizeof(CUgraphEdgeData), sizeof(EdgeData));
  EXPECT_EQ(offsetof(CUgraphEdgeData, type), offsetof(EdgeData, type));
  EXPECT_EQ(sizeof(CUgraphNodeParams), sizeof(NodeParams));
  EXPECT_EQ(offsetof(CUgraphNodeParams, kernel), offsetof(NodeParams, kernel));
  EXPECT_EQ(sizeof(CUDA_KERNEL_NODE_PARAMS_v3), sizeof(KernelNodeParams));
  EXPECT_EQ(sizeof(CUlaunchAttributeValue), sizeof(LaunchAttributeValue));
  EXPECT_EQ(offsetof(CUlaunchAttributeValue, deviceUpdatableKernelNode.devNode),
            offsetof(LaunchAttributeValue, deviceUpdatableKernelNode.devNode));

  EXPECT_EQ(offsetof(CUlaunchAttributeValue, clusterDim.z),
            offsetof(LaunchAttributeValue, clusterDimension.z));
  EXPECT_EQ(sizeof(CUlaunchAttribute), sizeof(LaunchAttribute));
  EXPECT_EQ(offsetof(CUlaunchAttribute, value), offsetof(LaunchAttribute, value));
  EXPECT_EQ(sizeof(CUlaunchConfig), sizeof(LaunchConfig));
  EXPECT_EQ(offsetof(CUlaunchConfig, sharedMemBytes), offsetof(LaunchConfig, sharedBytes));
  EXPECT_EQ(offsetof(CUlaunchConfig, hStream), offsetof(LaunchConfig, stream));
  EXPECT_EQ(offsetof(CUlaunchConfig, attrs), offsetof(LaunchConfig, attributes));
  EXPECT_EQ(offsetof(CUlaunchConfig, numAttrs), offsetof(LaunchConfig, attributeCount));

  EXPECT_EQ(offsetof(CUgraphNodeParams, memcpy.copyCtx), offsetof(NodeParams, copy.context));
  EXPECT_EQ(offsetof(CUgraphNodeParams, memcpy.copyParams), offsetof(NodeParams, copy.copy));
  EXPECT_EQ(sizeof(CUDA_MEMCPY_NODE_PARAMS), sizeof(CopyNodeParamsWithContext));
  EXPECT_EQ(offsetof(CUgraphNodeParams, memset.ctx), offsetof(NodeParams, memset.context));
  EXPECT_EQ(sizeof(CUDA_MEMSET_NODE_PARAMS_v2), sizeof(MemsetNodeParamsWithContext));

  using Theirs = CUDA_KERNEL_NODE_PARAMS_v2;
  EXPECT_EQ(sizeof(Theirs), sizeof(KernelNodeParams));
  EXPECT_EQ(offsetof(Theirs, gridDimX), offsetof(KernelNodeParams, gridX));
  EXPECT_EQ(offsetof(Theirs, blockDimZ), offsetof(KernelNodeParams, blockZ));
  EXPECT_EQ(offsetof(Theirs, sharedMemBytes), offsetof(KernelNodeParams, sharedBytes));
  EXPECT_EQ(offsetof(Theirs, kernelParams), offsetof(KernelNodeParams, parameters));
  EXPECT_EQ(offsetof(Theirs, extra), offsetof(KernelNodeParams, extra));
  EXPECT_EQ(offsetof(Theirs, kern), offsetof(KernelNodeParams, kernel));
  EXPECT_EQ(offsetof(Theirs, ctx), offsetof(KernelNodeParams, context));

  EXPECT_EQ(sizeof(CUDA_MEMCPY3D), sizeof(CopyNodeParams));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, srcMemoryType), offsetof(CopyNodeParams, source.type));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, srcHost), offsetof(CopyNodeParams, source.host));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, srcHeight), offsetof(CopyNodeParams, source.height));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, dstXInBytes), offsetof(CopyNodeParams, target.xInBytes));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, dstMemoryType), offsetof(CopyNodeParams, target.type));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, dstDevice), offsetof(CopyNodeParams, target.device));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, WidthInBytes), offsetof(CopyNodeParams, widthInBytes));
  EXPECT_EQ(offsetof(CUDA_MEMCPY3D, Depth), offsetof(CopyNodeParams, depth));

  EXPECT_EQ(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), sizeof(AllocationNodeParams));
  EXPECT_EQ(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize), offsetof(AllocationNodeParams, bytes));
  EXPECT_EQ(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr), offsetof(AllocationNodeParams, address));
  EXPECT_EQ(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, graphMemReserved);

  using Words = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1;
  EXPECT_EQ(sizeof(Words), sizeof(BatchMemOpNodeParams));
  EXPECT_EQ(offsetof(Words, count), offsetof(BatchMemOpNodeParams, count));
  EXPECT_EQ(offsetof(Words, paramArray), offsetof(BatchMemOpNodeParams, operations));
  EXPECT_EQ(offsetof(Words, flags), offsetof(BatchMemOpNodeParams, flags));

  EXPECT_EQ(sizeof(CUDA_MEMSET_NODE_PARAMS), sizeof(MemsetNodeParams));
  EXPECT_EQ(offsetof(CUDA_MEMSET_NODE_PARAMS, dst), offsetof(MemsetNodeParams, target));
  EXPECT_EQ(offsetof(CUDA_MEMSET_NODE_PARAMS, elementSize),
            offsetof(MemsetNodeParams, elementSize));
  EXPECT_EQ(offsetof(CUDA_MEMSET_NODE_PARAMS, width), offsetof(MemsetNodeParams, width));
  EXPECT_EQ(offsetof(CUDA_MEMSET_NODE_PARAMS, height), offsetof(MemsetNodeParams, height));

  EXPECT_EQ(sizeof(CUgraphExecUpdateResultInfo), sizeof(ExecUpdateResult));
}

TEST(DriverApi, ConstantsAreTheToolkits) {
  EXPECT_EQ(CUDA_SUCCESS, static_cast<CUresult>(Result::Success));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, static_cast<CUresult>(Result::NotReady));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE,
            static_cast<CUstreamCaptureStatus>(CaptureStatus::Active));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED,
            static_cast<CUstreamCaptureStatus>(CaptureStatus::Invalidated));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_RELAXED, static_cast<CUstreamCaptureMode>(CaptureMode::Relaxed));
  EXPECT_EQ(CU_EVENT_DEFAULT, eventDefault);
  EXPECT_EQ(CU_EVENT_RECORD_EXTERNAL, eventRecordExternal);
  EXPECT_EQ(CU_MEMHOSTREGISTER_PORTABLE, hostRegisterPortable);
  EXPECT_EQ(CU_MEMHOSTREGISTER_DEVICEMAP, hostRegisterDeviceMap);
  EXPECT_EQ(CU_STREAM_NON_BLOCKING, streamNonBlocking);
  EXPECT_EQ(CU_STREAM_WAIT_VALUE_GEQ, waitValueGreaterEqual);
  EXPECT_EQ(CU_STREAM_SET_CAPTURE_DEPENDENCIES, setDependencies);
  EXPECT_EQ(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, portProgrammatic);
  EXPECT_EQ(CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, portLaunchOrder);
  EXPECT_EQ(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, edgeProgrammatic);
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, instantiateDeviceLaunch);
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, instantiateUpload);
}

} // namespace
} // namespace graphprof::driver
