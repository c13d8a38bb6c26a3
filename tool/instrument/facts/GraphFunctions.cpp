// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/GraphFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral Functions[] = {
    "cuDevicePrimaryCtxReset",
    "cuGraphAddBatchMemOpNode",
    "cuGraphAddChildGraphNode",
    "cuGraphAddDependencies",
    "cuGraphAddEmptyNode",
    "cuGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode",
    "cuGraphAddExternalSemaphoresSignalNode",
    "cuGraphAddExternalSemaphoresWaitNode",
    "cuGraphAddHostNode",
    "cuGraphAddKernelNode",
    "cuGraphAddMemAllocNode",
    "cuGraphAddMemFreeNode",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphAddNode",
    "cuGraphBatchMemOpNodeSetParams",
    "cuGraphClone",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphDestroyNode",
    "cuGraphEventRecordNodeSetEvent",
    "cuGraphEventWaitNodeSetEvent",
    "cuGraphExecBatchMemOpNodeSetParams",
    "cuGraphExecChildGraphNodeSetParams",
    "cuGraphExecDestroy",
    "cuGraphExecEventRecordNodeSetEvent",
    "cuGraphExecEventWaitNodeSetEvent",
    "cuGraphExecExternalSemaphoresSignalNodeSetParams",
    "cuGraphExecExternalSemaphoresWaitNodeSetParams",
    "cuGraphExecHostNodeSetParams",
    "cuGraphExecKernelNodeSetParams",
    "cuGraphExecMemcpyNodeSetParams",
    "cuGraphExecMemsetNodeSetParams",
    "cuGraphExecNodeSetParams",
    "cuGraphExecUpdate",
    "cuGraphExternalSemaphoresSignalNodeSetParams",
    "cuGraphExternalSemaphoresWaitNodeSetParams",
    "cuGraphHostNodeSetParams",
    "cuGraphInstantiate",
    "cuGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams",
    "cuGraphKernelNodeCopyAttributes",
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
    "cuStreamWaitEvent",
    "cudaDeviceReset",
    "cudaGraphAddChildGraphNode",
    "cudaGraphAddDependencies",
    "cudaGraphAddEmptyNode",
    "cudaGraphAddEventRecordNode",
    "cudaGraphAddEventWaitNode",
    "cudaGraphAddExternalSemaphoresSignalNode",
    "cudaGraphAddExternalSemaphoresWaitNode",
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
    "cudaGraphExecExternalSemaphoresSignalNodeSetParams",
    "cudaGraphExecExternalSemaphoresWaitNodeSetParams",
    "cudaGraphExecHostNodeSetParams",
    "cudaGraphExecKernelNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams",
    "cudaGraphExecMemcpyNodeSetParams1D",
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
    "cudaGraphExecMemcpyNodeSetParamsToSymbol",
    "cudaGraphExecMemsetNodeSetParams",
    "cudaGraphExecNodeSetParams",
    "cudaGraphExecUpdate",
    "cudaGraphExternalSemaphoresSignalNodeSetParams",
    "cudaGraphExternalSemaphoresWaitNodeSetParams",
    "cudaGraphHostNodeSetParams",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams",
    "cudaGraphKernelNodeCopyAttributes",
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
    "cudaStreamWaitEvent",
};

constexpr llvm::StringLiteral Allocations[] = {
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
};

constexpr llvm::StringLiteral Copies[] = {
#define GRAPHPROF_EACH_VERSION
#define GRAPHPROF_RUNTIME_COPY(name, ...) #name,
#define GRAPHPROF_DRIVER_COPY(name, ...) #name,
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_EACH_VERSION
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
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions() {
  static const auto Sorted = [] {
    llvm::SmallVector<llvm::StringLiteral> All(std::begin(Allocations), std::end(Allocations));
    All.append(std::begin(Copies), std::end(Copies));
    llvm::sort(All);
    return All;
  }();
  return Sorted;
}

unsigned sinceToolkit(llvm::StringRef Name) { return Name.contains("MemcpyBatch") ? 12080 : 0; }

bool hasFormWithEdgeData(llvm::StringRef Name) {
  return Name.ends_with("GraphAddNode") || Name.ends_with("GraphAddDependencies") ||
         Name.ends_with("GraphRemoveDependencies");
}

bool changesGraphs(llvm::StringRef Name) {
  if (listedFunction(Name).empty())
    return false;
  if (!Name.consume_front("cuda"))
    Name.consume_front("cu");
  return !Name.starts_with("GraphInstantiate") && Name != "GraphClone" && Name != "GraphCreate" &&
         Name != "GraphLaunch" && Name != "GraphUpload" && Name != "StreamBeginCapture" &&
         Name != "StreamEndCapture" && Name != "StreamWaitEvent";
}

llvm::StringRef mentionedChange(llvm::StringRef Text) {
  const auto IsOfWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.find("cu"); At != llvm::StringRef::npos; At = Text.find("cu", At + 1)) {
    if (At > 0 && IsOfWord(Text[At - 1]))
      continue;
    const llvm::StringRef Word = Text.drop_front(At).take_while(IsOfWord);
    if (changesGraphs(listedFunction(Word)))
      return Word;
  }
  return {};
}

llvm::StringRef listedFunction(llvm::StringRef DeclaredName) {
  return listedIn(Functions, DeclaredName);
}
llvm::StringRef listedMemoryFunction(llvm::StringRef DeclaredName) {
  return listedIn(memoryFunctions(), DeclaredName);
}
bool mayStay(llvm::StringRef DeclaredName) {
  return !listedMemoryFunction(DeclaredName).empty() ||
         listedFunction(DeclaredName).ends_with("StreamWaitEvent");
}

} // namespace graphprof::instrument
