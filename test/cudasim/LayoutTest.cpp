// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints, as `name value` lines, all numbers on which the simulation and CUDA must agree: sizes and
// offsets of the driver API's structs, enumerators, flags. Compiled once with each set of headers;
// the build compares the two outputs. Uses no functions.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>

#define VALUE(X) std::printf(#X " %lld\n", static_cast<long long>(X))
#define SIZE(T) std::printf("sizeof " #T " %zu\n", sizeof(T))
// NOLINTBEGIN(bugprone-sizeof-expression): pointers have sizes too
#define AT(T, M) std::printf(#T "::" #M " %zu %zu\n", offsetof(T, M), sizeof(T::M))

static void driverStructs() {
  SIZE(CUDA_KERNEL_NODE_PARAMS_v2);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, func);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, blockDimZ);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, extra);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, kern);
  AT(CUDA_KERNEL_NODE_PARAMS_v2, ctx);
  SIZE(CUDA_KERNEL_NODE_PARAMS_v3);
  SIZE(CUDA_MEMSET_NODE_PARAMS);
  AT(CUDA_MEMSET_NODE_PARAMS, elementSize);
  AT(CUDA_MEMSET_NODE_PARAMS, height);
  SIZE(CUDA_MEMSET_NODE_PARAMS_v2);
  SIZE(CUDA_HOST_NODE_PARAMS);
  SIZE(CUstreamBatchMemOpParams);
  AT(CUstreamBatchMemOpParams, writeValue.address);
  AT(CUstreamBatchMemOpParams, writeValue.value64);
  AT(CUstreamBatchMemOpParams, writeValue.flags);
  SIZE(CUDA_BATCH_MEM_OP_NODE_PARAMS);
  AT(CUDA_BATCH_MEM_OP_NODE_PARAMS, paramArray);
  SIZE(CUDA_MEMCPY3D);
  AT(CUDA_MEMCPY3D, srcHost);
  AT(CUDA_MEMCPY3D, srcPitch);
  AT(CUDA_MEMCPY3D, dstMemoryType);
  AT(CUDA_MEMCPY3D, dstDevice);
  AT(CUDA_MEMCPY3D, Depth);
  SIZE(CUDA_MEMCPY2D);
  AT(CUDA_MEMCPY2D, srcArray);
  AT(CUDA_MEMCPY2D, dstMemoryType);
  AT(CUDA_MEMCPY2D, dstPitch);
  AT(CUDA_MEMCPY2D, Height);
  SIZE(CUmemcpyAttributes);
  AT(CUmemcpyAttributes, dstLocHint);
  AT(CUmemcpyAttributes, flags);
  SIZE(CUDA_MEMCPY_NODE_PARAMS);
  AT(CUDA_MEMCPY_NODE_PARAMS, copyParams);
  SIZE(CUDA_ARRAY_DESCRIPTOR);
  AT(CUDA_ARRAY_DESCRIPTOR, Format);
  SIZE(CUDA_ARRAY3D_DESCRIPTOR);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Depth);
  AT(CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Flags);
  SIZE(CUmemGenericAllocationHandle);
  SIZE(CUmemAllocationProp);
  AT(CUmemAllocationProp, location);
  AT(CUmemAllocationProp, allocFlags);
  SIZE(CUmemAccessDesc);
  SIZE(CUDA_MEM_ALLOC_NODE_PARAMS);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
  SIZE(CUkernelNodeAttrValue);
  AT(CUlaunchAttributeValue, programmaticEvent.triggerAtBlockStart);
  AT(CUlaunchAttributeValue, launchCompletionEvent.flags);
  SIZE(CUlaunchAttribute);
  AT(CUlaunchAttribute, value);
  SIZE(CUlaunchConfig);
  AT(CUlaunchConfig, sharedMemBytes);
  AT(CUlaunchConfig, hStream);
  AT(CUlaunchConfig, attrs);
  AT(CUlaunchConfig, numAttrs);
  SIZE(CUgraphNodeParams);
  AT(CUgraphNodeParams, kernel);
  AT(CUgraphNodeParams, memcpy);
  AT(CUgraphNodeParams, alloc);
  AT(CUgraphNodeParams, conditional);
  AT(CUgraphNodeParams, reserved2);
  SIZE(CUDA_CONDITIONAL_NODE_PARAMS);
  AT(CUDA_CONDITIONAL_NODE_PARAMS, size);
  AT(CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out);
  SIZE(CUgraphEdgeData);
  AT(CUgraphEdgeData, type);
  AT(CUgraphEdgeData, reserved);
  SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
  AT(CUDA_GRAPH_INSTANTIATE_PARAMS, hUploadStream);
  AT(CUDA_GRAPH_INSTANTIATE_PARAMS, hErrNode_out);
  AT(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out);
  SIZE(CUgraphExecUpdateResultInfo);
  AT(CUgraphExecUpdateResultInfo, errorNode);
  AT(CUgraphExecUpdateResultInfo, errorFromNode);
}

static void runtimeStructs() {
  SIZE(dim3);
  SIZE(float4);
  SIZE(double3);
  SIZE(cudaKernelNodeParams);
  AT(cudaKernelNodeParams, kernelParams);
  SIZE(cudaPitchedPtr);
  AT(cudaPitchedPtr, ysize);
  SIZE(cudaChannelFormatDesc);
  AT(cudaChannelFormatDesc, f);
  SIZE(cudaMemcpy3DParms);
  AT(cudaMemcpy3DParms, extent);
  SIZE(cudaMemcpyAttributes);
  AT(cudaMemcpyAttributes, dstLocHint);
  AT(cudaMemcpyAttributes, flags);
  SIZE(cudaMemsetParams);
  SIZE(cudaHostNodeParams);
  SIZE(cudaMemAllocNodeParams);
  AT(cudaMemAllocNodeParams, dptr);
  SIZE(cudaGraphNodeParams);
  AT(cudaGraphNodeParams, kernel);
  AT(cudaGraphNodeParams, memcpy);
  AT(cudaGraphNodeParams, alloc);
  AT(cudaGraphNodeParams, conditional);
  AT(cudaGraphNodeParams, reserved2);
  AT(cudaConditionalNodeParams, size);
  AT(cudaConditionalNodeParams, phGraph_out);
  SIZE(cudaGraphEdgeData);
  AT(cudaGraphEdgeData, type);
  SIZE(cudaGraphInstantiateParams);
  AT(cudaGraphInstantiateParams, result_out);
  SIZE(cudaGraphExecUpdateResultInfo);
  SIZE(cudaLaunchAttribute);
  AT(cudaLaunchAttribute, val);
  AT(cudaLaunchAttribute, val.programmaticEvent.triggerAtBlockStart);
  AT(cudaLaunchAttribute, val.launchCompletionEvent.flags);
  SIZE(cudaLaunchConfig_t);
  AT(cudaLaunchConfig_t, attrs);
  SIZE(cudaFuncAttributes);
}

static void values() {
  VALUE(cudaErrorInvalidValue);
  VALUE(cudaErrorInvalidConfiguration);
  VALUE(cudaErrorInvalidDeviceFunction);
  VALUE(cudaErrorInvalidResourceHandle);
  VALUE(cudaErrorIllegalState);
  VALUE(cudaErrorLossyQuery);
  VALUE(cudaErrorNotReady);
  VALUE(cudaErrorNotPermitted);
  VALUE(cudaErrorNotSupported);
  VALUE(cudaErrorStreamCaptureUnsupported);
  VALUE(cudaErrorStreamCaptureInvalidated);
  VALUE(cudaErrorStreamCaptureMerge);
  VALUE(cudaErrorStreamCaptureUnmatched);
  VALUE(cudaErrorStreamCaptureUnjoined);
  VALUE(cudaErrorStreamCaptureIsolation);
  VALUE(cudaErrorStreamCaptureImplicit);
  VALUE(cudaErrorCapturedEvent);
  VALUE(cudaErrorStreamCaptureWrongThread);
  VALUE(cudaErrorGraphExecUpdateFailure);
  VALUE(CUDA_ERROR_INVALID_VALUE);
  VALUE(CUDA_ERROR_INVALID_CONTEXT);
  VALUE(CUDA_ERROR_INVALID_HANDLE);
  VALUE(CUDA_ERROR_NOT_READY);
  VALUE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  VALUE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  VALUE(cudaStreamNonBlocking);
  VALUE(cudaEventDisableTiming);
  VALUE(cudaEventRecordExternal);
  VALUE(cudaEventWaitExternal);
  VALUE(cudaHostAllocMapped);
  VALUE(cudaErrorInvalidChannelDescriptor);
  VALUE(cudaChannelFormatKindNone);
  VALUE(cudaArrayLayered);
  VALUE(cudaArrayCubemap);
  VALUE(cudaArrayDeferredMapping);
  VALUE(CU_AD_FORMAT_SIGNED_INT32);
  VALUE(CU_AD_FORMAT_HALF);
  VALUE(CU_AD_FORMAT_FLOAT);
  VALUE(CUDA_ARRAY3D_SPARSE);
  VALUE(CU_MEM_LOCATION_TYPE_HOST_NUMA);
  VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  VALUE(cudaMemcpySrcAccessOrderAny);
  VALUE(cudaMemcpyFlagPreferOverlapWithCompute);
  VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
  VALUE(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
  VALUE(CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
  VALUE(CU_MEMORYTYPE_UNIFIED);
  VALUE(cudaGraphNodeTypeEventRecord);
  VALUE(cudaGraphNodeTypeWaitEvent);
  VALUE(cudaGraphNodeTypeMemAlloc);
  VALUE(cudaGraphNodeTypeConditional);
  VALUE(CU_GRAPH_NODE_TYPE_CONDITIONAL);
  VALUE(CU_GRAPH_COND_TYPE_SWITCH);
  VALUE(CU_GRAPH_COND_ASSIGN_DEFAULT);
  VALUE(cudaGraphCondTypeWhile);
  VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS);
  VALUE(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  VALUE(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  VALUE(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  VALUE(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);
  VALUE(cudaErrorInvalidClusterSize);
  VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  VALUE(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  VALUE(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  VALUE(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  VALUE(cudaLaunchAttributeProgrammaticStreamSerialization);
  VALUE(cudaLaunchAttributeProgrammaticEvent);
  VALUE(cudaLaunchAttributeLaunchCompletionEvent);
  VALUE(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  VALUE(CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
  VALUE(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  VALUE(cudaGraphKernelNodePortProgrammatic);
  VALUE(cudaGraphKernelNodePortLaunchCompletion);
  VALUE(cudaGraphDependencyTypeProgrammatic);
  VALUE(CU_STREAM_WAIT_VALUE_FLUSH);
  VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  VALUE(cudaDevAttrMultiProcessorCount);
  VALUE(cudaDevAttrL2CacheSize);
  VALUE(cudaGraphExecUpdateErrorTopologyChanged);
  VALUE(cudaGraphInstantiateFlagUpload);
  VALUE(CUDART_VERSION);
  VALUE(CUDA_VERSION);
}

int main() {
  driverStructs();
  runtimeStructs();
  values();
}
// NOLINTEND(bugprone-sizeof-expression)
