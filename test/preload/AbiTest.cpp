// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints the offsets of the members that the preload library reads in the driver's structures.
// Built with the library's own cuda.h and with a toolkit's; both must print the same.

#include <cstddef>
#include <cstdio>

#include <cuda.h>

#define SIZE(type) std::printf("%s %zu\n", #type, sizeof(type))
#define AT(type, member) std::printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
#define VALUE(name) std::printf("%s %lld\n", #name, static_cast<long long>(name))

int main() {
  SIZE(CUresult);
  SIZE(CUstreamCaptureMode);
  SIZE(CUdevice);
  SIZE(CUdeviceptr);
  SIZE(CUmemGenericAllocationHandle);
  SIZE(CUDA_KERNEL_NODE_PARAMS);
  AT(CUDA_KERNEL_NODE_PARAMS, func);
  AT(CUDA_KERNEL_NODE_PARAMS, kern);
  AT(CUDA_KERNEL_NODE_PARAMS, gridDimX);
  AT(CUDA_KERNEL_NODE_PARAMS, blockDimZ);
  AT(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes);
  AT(CUDA_KERNEL_NODE_PARAMS_v1, func);
  AT(CUDA_KERNEL_NODE_PARAMS_v1, gridDimX);
  AT(CUDA_KERNEL_NODE_PARAMS_v1, blockDimZ);
  AT(CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes);
  SIZE(CUDA_ARRAY_DESCRIPTOR);
  AT(CUDA_ARRAY_DESCRIPTOR, Height);
  AT(CUDA_ARRAY_DESCRIPTOR, Format);
  AT(CUDA_ARRAY_DESCRIPTOR, NumChannels);
  SIZE(CUDA_ARRAY3D_DESCRIPTOR);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Depth);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Format);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Flags);
  SIZE(CUDA_MEMCPY2D);
  AT(CUDA_MEMCPY2D, srcMemoryType);
  AT(CUDA_MEMCPY2D, srcHost);
  AT(CUDA_MEMCPY2D, srcDevice);
  AT(CUDA_MEMCPY2D, dstMemoryType);
  AT(CUDA_MEMCPY2D, dstHost);
  AT(CUDA_MEMCPY2D, dstDevice);
  AT(CUDA_MEMCPY2D, WidthInBytes);
  AT(CUDA_MEMCPY2D, Height);
  SIZE(CUDA_MEMCPY3D);
  AT(CUDA_MEMCPY3D, srcMemoryType);
  AT(CUDA_MEMCPY3D, srcHost);
  AT(CUDA_MEMCPY3D, srcDevice);
  AT(CUDA_MEMCPY3D, dstMemoryType);
  AT(CUDA_MEMCPY3D, dstHost);
  AT(CUDA_MEMCPY3D, dstDevice);
  AT(CUDA_MEMCPY3D, WidthInBytes);
  AT(CUDA_MEMCPY3D, Height);
  AT(CUDA_MEMCPY3D, Depth);
  SIZE(CUmemAllocationProp);
  AT(CUmemAllocationProp, location.type);
  AT(CUmemAllocationProp, location.id);
  SIZE(CUDA_MEM_ALLOC_NODE_PARAMS);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, poolProps.location.type);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, poolProps.location.id);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
  SIZE(CUgraphNodeParams);
  AT(CUgraphNodeParams, kernel.func);
  AT(CUgraphNodeParams, kernel.kern);
  AT(CUgraphNodeParams, graph.graph);
  AT(CUgraphNodeParams, graph.ownership);
  AT(CUgraphNodeParams, alloc.poolProps.location.id);
  AT(CUgraphNodeParams, alloc.bytesize);
  AT(CUgraphNodeParams, alloc.dptr);
  AT(CUgraphNodeParams, free.dptr);
  AT(CUgraphNodeParams, conditional.size);
  AT(CUgraphNodeParams, conditional.phGraph_out);
  SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
  AT(CUDA_GRAPH_INSTANTIATE_PARAMS, flags);
  VALUE(CUDA_SUCCESS);
  VALUE(CUDA_ERROR_NOT_FOUND);
  VALUE(CU_MEMORYTYPE_HOST);
  VALUE(CU_MEMORYTYPE_DEVICE);
  VALUE(CU_MEMORYTYPE_ARRAY);
  VALUE(CU_MEMORYTYPE_UNIFIED);
  VALUE(CU_GRAPH_NODE_TYPE_KERNEL);
  VALUE(CU_GRAPH_NODE_TYPE_GRAPH);
  VALUE(CU_MEM_LOCATION_TYPE_DEVICE);
  VALUE(CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE);
  VALUE(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
}
