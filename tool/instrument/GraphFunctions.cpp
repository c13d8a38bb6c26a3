// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "GraphFunctions.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral Functions[] = {
    "cuDevicePrimaryCtxReset",
    "cuGraphAddChildGraphNode",
    "cuGraphAddDependencies",
    "cuGraphAddEmptyNode",
    "cuGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode",
    "cuGraphAddHostNode",
    "cuGraphAddKernelNode",
    "cuGraphAddMemAllocNode",
    "cuGraphAddMemFreeNode",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphAddNode",
    "cuGraphClone",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphDestroyNode",
    "cuGraphEventRecordNodeSetEvent",
    "cuGraphEventWaitNodeSetEvent",
    "cuGraphExecChildGraphNodeSetParams",
    "cuGraphExecDestroy",
    "cuGraphExecEventRecordNodeSetEvent",
    "cuGraphExecEventWaitNodeSetEvent",
    "cuGraphExecHostNodeSetParams",
    "cuGraphExecKernelNodeSetParams",
    "cuGraphExecMemcpyNodeSetParams",
    "cuGraphExecMemsetNodeSetParams",
    "cuGraphExecNodeSetParams",
    "cuGraphExecUpdate",
    "cuGraphHostNodeSetParams",
    "cuGraphInstantiate",
    "cuGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams",
    "cuGraphKernelNodeSetAttribute",
    "cuGraphKernelNodeSetParams",
    "cuGraphLaunch",
    "cuGraphMemcpyNodeSetParams",
    "cuGraphMemsetNodeSetParams",
    "cuGraphNodeSetEnabled",
    "cuGraphNodeSetParams",
    "cuGraphRemoveDependencies",
    "cuGraphUpload",
    "cuStreamBeginCapture",
    "cuStreamBeginCaptureToGraph",
    "cuStreamEndCapture",
    "cudaDeviceReset",
    "cudaGraphAddChildGraphNode",
    "cudaGraphAddDependencies",
    "cudaGraphAddEmptyNode",
    "cudaGraphAddEventRecordNode",
    "cudaGraphAddEventWaitNode",
    "cudaGraphAddHostNode",
    "cudaGraphAddKernelNode",
    "cudaGraphAddMemAllocNode",
    "cudaGraphAddMemFreeNode",
    "cudaGraphAddMemcpyNode",
    "cudaGraphAddMemcpyNode1D",
    "cudaGraphAddMemcpyNodeFromSymbol",
    "cudaGraphAddMemcpyNodeToSymbol",
    "cudaGraphAddMemsetNode",
    "cudaGraphAddNode",
    "cudaGraphClone",
    "cudaGraphCreate",
    "cudaGraphDestroy",
    "cudaGraphDestroyNode",
    "cudaGraphEventRecordNodeSetEvent",
    "cudaGraphEventWaitNodeSetEvent",
    "cudaGraphExecChildGraphNodeSetParams",
    "cudaGraphExecDestroy",
    "cudaGraphExecEventRecordNodeSetEvent",
    "cudaGraphExecEventWaitNodeSetEvent",
    "cudaGraphExecHostNodeSetParams",
    "cudaGraphExecKernelNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams1D",
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
    "cudaGraphExecMemcpyNodeSetParamsToSymbol",
    "cudaGraphExecMemsetNodeSetParams",
    "cudaGraphExecNodeSetParams",
    "cudaGraphExecUpdate",
    "cudaGraphHostNodeSetParams",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams",
    "cudaGraphKernelNodeSetAttribute",
    "cudaGraphKernelNodeSetParams",
    "cudaGraphLaunch",
    "cudaGraphMemcpyNodeSetParams",
    "cudaGraphMemcpyNodeSetParams1D",
    "cudaGraphMemcpyNodeSetParamsFromSymbol",
    "cudaGraphMemcpyNodeSetParamsToSymbol",
    "cudaGraphMemsetNodeSetParams",
    "cudaGraphNodeSetEnabled",
    "cudaGraphNodeSetParams",
    "cudaGraphRemoveDependencies",
    "cudaGraphUpload",
    "cudaStreamBeginCapture",
    "cudaStreamBeginCaptureToGraph",
    "cudaStreamEndCapture",
};

constexpr llvm::StringLiteral MemoryFunctions[] = {
    "cuArray3DCreate",
    "cuArrayCreate",
    "cuArrayDestroy",
    "cuMemAlloc",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocHost",
    "cuMemAllocManaged",
    "cuMemAllocPitch",
    "cuMemCreate",
    "cuMemFree",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemHostAlloc",
    "cuMemMap",
    "cuMemRelease",
    "cuMemRetainAllocationHandle",
    "cuMemUnmap",
    "cuMemcpyHtoD",
    "cuMemcpyHtoDAsync",
    "cuMipmappedArrayCreate",
    "cuMipmappedArrayDestroy",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaFreeMipmappedArray",
    "cudaHostAlloc",
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMalloc3DArray",
    "cudaMallocArray",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMallocMipmappedArray",
    "cudaMallocPitch",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaMemcpyAsync",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync",
};

constexpr llvm::StringLiteral Suffixes[] = {"_ptsz", "_ptds", "_v2", "_v3"};

llvm::StringRef listedIn(llvm::ArrayRef<llvm::StringLiteral> List, llvm::StringRef DeclaredName) {
  if (!DeclaredName.starts_with("cu"))
    return {};
  // There may be two: cuStreamBeginCapture_v2_ptsz.
  bool Cut = true;
  while (Cut)
    Cut = llvm::any_of(Suffixes,
                       [&](llvm::StringRef Suffix) { return DeclaredName.consume_back(Suffix); });
  const auto *const Found = llvm::lower_bound(List, DeclaredName);
  return Found != List.end() && *Found == DeclaredName ? llvm::StringRef(*Found)
                                                       : llvm::StringRef();
}

} // namespace

llvm::ArrayRef<llvm::StringLiteral> graphFunctions() { return Functions; }
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions() { return MemoryFunctions; }

bool hasFormWithEdgeData(llvm::StringRef Name) {
  return Name.ends_with("GraphAddNode") || Name.ends_with("GraphAddDependencies") ||
         Name.ends_with("GraphRemoveDependencies");
}

llvm::StringRef listedFunction(llvm::StringRef DeclaredName) {
  return listedIn(Functions, DeclaredName);
}
llvm::StringRef listedMemoryFunction(llvm::StringRef DeclaredName) {
  return listedIn(MemoryFunctions, DeclaredName);
}

} // namespace graphprof::instrument
