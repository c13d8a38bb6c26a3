// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The part of CUDA's driver ABI that graphprof uses, declared here so that libgraphprof can be
// built without a toolkit. It uses exact exported names with their versions: only this file knows
// version differences. Needs a driver of CUDA 12.3 or later. test/runtime/cuda/DriverApiTest
// compares it to the real cuda.h if there is one.

#ifndef GRAPHPROF_CUDA_DRIVERAPI_H
#define GRAPHPROF_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUfunc_st;
struct CUkern_st;
struct CUmod_st;
struct CUlib_st;
struct CUuserObject_st;
struct CUgreenCtx_st;

namespace graphprof::driver {

using Context = CUctx_st *;
using GreenContext = CUgreenCtx_st *;
using Stream = CUstream_st *;
using Event = CUevent_st *;
using Graph = CUgraph_st *;
using Exec = CUgraphExec_st *;
using Node = CUgraphNode_st *;
using Function = CUfunc_st *;
using Kernel = CUkern_st *;
using Module = CUmod_st *;
using Library = CUlib_st *;
using UserObject = CUuserObject_st *;
using DevicePointer = unsigned long long;

/// CUresult: the values that graphprof distinguishes.
enum class Result : int { Success = 0, NotReady = 600 };

/// CUstreamCaptureStatus
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };
/// CUstreamCaptureMode
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
/// CUgraphNodeType: the values that graphprof distinguishes.
enum class NodeType : int {
  Kernel = 0,
  Memcpy = 1,
  Memset = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  WaitEvent = 6,
  EventRecord = 7,
  MemAlloc = 10,
  MemFree = 11,
  BatchMemOp = 12,
  Conditional = 13,
};
/// CUmemorytype; Unknown until the driver has told.
enum class MemoryType : unsigned { Unknown = 0, Host = 1, Device = 2, Array = 3, Unified = 4 };
/// CUdevice_attribute: those that Kineto writes and that the driver has ready. (Clock rates take it
/// longer.)
enum class DeviceAttribute : int {
  ThreadsPerBlock = 1,
  SharedBytesPerBlock = 8,
  WarpSize = 10,
  RegistersPerBlock = 12,
  ClockRate = 13,
  Multiprocessors = 16,
  MemoryClockRate = 36,
  MemoryBusWidth = 37,
  L2CacheBytes = 38,
  ThreadsPerMultiprocessor = 39,
  ComputeMajor = 75,
  ComputeMinor = 76,
  SharedBytesPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  SharedBytesPerBlockOptin = 97,
  BlocksPerMultiprocessor = 106,
};
/// CUgraphEdgeData. All zero: the target waits for the whole of the source.
struct EdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};
constexpr unsigned char portProgrammatic = 1; // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
constexpr unsigned char portLaunchOrder = 2;  // CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
constexpr unsigned char edgeOrdinary = 0;     // CU_GRAPH_DEPENDENCY_TYPE_DEFAULT
constexpr unsigned char edgeProgrammatic = 1; // CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
/// Whether the target waits for the whole source. Otherwise a kernel decides itself when the next
/// may begin.
constexpr bool isWhole(const EdgeData &edge) {
  return edge.fromPort == 0 && edge.toPort == 0 && edge.type == 0;
}

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNodeParams {
  Function function;
  unsigned int gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **parameters;
  void **extra;
  Kernel kernel;
  Context context;
};

/// One end of a CUDA_MEMCPY3D_v2
struct CopyEnd {
  std::size_t xInBytes, y, z, lod;
  MemoryType type;
  void *host;
  DevicePointer device;
  void *array, *reserved;
  std::size_t pitch, height;
};
/// CUDA_MEMCPY3D_v2
struct CopyNodeParams {
  CopyEnd source, target;
  std::size_t widthInBytes, height, depth;
};

/// CUDA_MEMCPY_NODE_PARAMS
struct CopyNodeParamsWithContext {
  int flags, reserved;
  Context context;
  CopyNodeParams copy;
};

/// CUDA_ARRAY3D_DESCRIPTOR_v2
struct Array3DDescriptor {
  std::size_t width, height, depth;
  int format; ///< CUarray_format
  unsigned channels, flags;
};

/// CUDA_MEMSET_NODE_PARAMS_v1
struct MemsetNodeParams {
  DevicePointer target;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};

/// CUDA_MEMSET_NODE_PARAMS_v2
struct MemsetNodeParamsWithContext {
  MemsetNodeParams memset;
  Context context;
};

/// CUDA_HOST_NODE_PARAMS_v1
struct HostNodeParams {
  void (*function)(void *);
  void *data;
};

/// CUDA_MEM_ALLOC_NODE_PARAMS_v1
struct AllocationNodeParams {
  struct {
    int type, handleTypes, locationType, locationId;
    void *security;
    std::size_t mostBytes;
    unsigned short usage;
    unsigned char reserved[54];
  } pool;
  const void *access;
  std::size_t accessCount, bytes;
  DevicePointer address;
};
constexpr int graphMemReserved = 2; // CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT

/// CUDA_BATCH_MEM_OP_NODE_PARAMS_v1
struct BatchMemOpNodeParams {
  Context context;
  unsigned count;
  void *operations;
  unsigned flags;
};

/// CUgraphNodeParams: what graphprof reads of it. Newer drivers have more in it, which stays in it.
struct NodeParams {
  NodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParams kernel;
    CopyNodeParamsWithContext copy;
    MemsetNodeParamsWithContext memset;
  };
  long long reserved2;
};

/// CUfunction_attribute: what a kernel's blocks use of a multiprocessor.
enum class FunctionAttribute : int {
  StaticSharedBytes = 1,
  Registers = 4,
  DynamicSharedBytes = 8, ///< at most
  SharedCarveout = 9,     ///< how much of the L1 cache should be shared memory, in percent
  ClusterWidth = 11,      ///< set when compiled; 0: no clusters, or set at launch
  ClusterHeight = 12,
  ClusterDepth = 13,
  NonPortableClusters = 14, ///< whether clusters may be larger than on all devices
};

/// CUlaunchAttributeValue: the attributes that graphprof reads or sets.
union LaunchAttributeValue {
  char size[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDimension;
  struct {
    int deviceUpdatable;
    void *devNode;
  } deviceUpdatableKernelNode;
};

/// CUlaunchAttribute
struct LaunchAttribute {
  int id;
  char padding[4];
  LaunchAttributeValue value;
};
/// CUlaunchConfig
struct LaunchConfig {
  unsigned int gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUgraphExecUpdateResultInfo
struct ExecUpdateResult {
  int result;
  Node errorNode, errorFromNode;
};

constexpr unsigned eventDefault = 0;          // CU_EVENT_DEFAULT: with timing
constexpr unsigned eventRecordExternal = 1;   // CU_EVENT_RECORD_EXTERNAL
constexpr unsigned hostRegisterPortable = 1;  // CU_MEMHOSTREGISTER_PORTABLE
constexpr unsigned hostRegisterDeviceMap = 2; // CU_MEMHOSTREGISTER_DEVICEMAP
constexpr unsigned streamNonBlocking = 1;     // CU_STREAM_NON_BLOCKING
constexpr unsigned waitValueGreaterEqual = 0; // CU_STREAM_WAIT_VALUE_GEQ
constexpr unsigned setDependencies = 1;       // CU_STREAM_SET_CAPTURE_DEPENDENCIES
constexpr int cooperativeLaunch = 2;          // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
constexpr int clusterDimension = 4;           // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
constexpr int deviceUpdatableKernelNode = 13; // CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE
constexpr unsigned noDestructorSync = 1;      // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
constexpr int pointerContext = 1;             // CU_POINTER_ATTRIBUTE_CONTEXT
constexpr int pointerMemoryType = 2;          // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int pointerIsManaged = 8;           // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned long long instantiateDeviceLaunch =
    4;                                              // CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
constexpr unsigned long long instantiateUpload = 2; // CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD

// Every function: (member, exported symbol, parameters). A driver of CUDA 12.3 has them all, as
// test/tool/toolkit/driver_versions.test sees to. Unformatted, so that it stays a table.
// clang-format off
#define GRAPHPROF_DRIVER_FUNCTIONS(X)                                                                                   \
  X(driverGetVersion, cuDriverGetVersion, (int *))                                                                      \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                                                          \
  X(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, int))                                                 \
  X(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (int))                                                       \
  X(devicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, (int, unsigned *, int *))                                     \
  X(deviceGetName, cuDeviceGetName, (char *, int, int))                                                                 \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (std::size_t *, int))                                                          \
  X(deviceGetPciBusId, cuDeviceGetPCIBusId, (char *, int, int))                                                        \
  X(getErrorName, cuGetErrorName, (Result, const char **))                                                             \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, DeviceAttribute, int))                                            \
  X(ctxGetCurrent, cuCtxGetCurrent, (Context *))                                                                      \
  X(ctxPushCurrent, cuCtxPushCurrent_v2, (Context))                                                                   \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (Context *))                                                                   \
  X(ctxSynchronize, cuCtxSynchronize, (void))                                                                           \
  X(ctxGetDevice, cuCtxGetDevice, (int *))                                                                            \
  X(ctxGetId, cuCtxGetId, (Context, unsigned long long *))                                                            \
  X(threadExchangeCaptureMode, cuThreadExchangeStreamCaptureMode, (CaptureMode *))                                    \
  X(streamCreateWithPriority, cuStreamCreateWithPriority, (Stream *, unsigned, int))                                  \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                                                                       \
  X(streamSynchronize, cuStreamSynchronize, (Stream))                                                                  \
  X(streamQuery, cuStreamQuery, (Stream))                                                                              \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream, CaptureMode))                                                \
  X(streamEndCapture, cuStreamEndCapture, (Stream, Graph *))                                                           \
  X(streamIsCapturing, cuStreamIsCapturing, (Stream, CaptureStatus *))                                                \
  X(streamGetCaptureInfo, cuStreamGetCaptureInfo_v3, (Stream, CaptureStatus *, std::uint64_t *, Graph *, const Node **, const EdgeData **, std::size_t *)) \
  X(streamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, (Stream, Node *, const EdgeData *, std::size_t, unsigned))\
  X(streamGetId, cuStreamGetId, (Stream, unsigned long long *))                                                       \
  X(streamGetCtx, cuStreamGetCtx, (Stream, Context *))                                                                \
  X(streamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))                                                    \
  X(streamWaitValue64, cuStreamWaitValue64_v2, (Stream, DevicePointer, std::uint64_t, unsigned))                      \
  X(eventCreate, cuEventCreate, (Event *, unsigned))                                                                  \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                                                         \
  X(eventRecord, cuEventRecord, (Event, Stream))                                                                      \
  X(eventRecordWithFlags, cuEventRecordWithFlags, (Event, Stream, unsigned))                                          \
  X(eventQuery, cuEventQuery, (Event))                                                                                \
  X(eventSynchronize, cuEventSynchronize, (Event))                                                                    \
  X(eventElapsedTime, cuEventElapsedTime, (float *, Event, Event))                                                    \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer *, std::size_t))                                                            \
  X(memFree, cuMemFree_v2, (DevicePointer))                                                                            \
  X(memGetInfo, cuMemGetInfo_v2, (std::size_t *, std::size_t *))                                                       \
  X(deviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, (int, int, void *))                                     \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, std::size_t, Stream))                        \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *, DevicePointer, std::size_t, Stream))                               \
  X(memHostRegister, cuMemHostRegister_v2, (void *, std::size_t, unsigned))                                             \
  X(memHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (DevicePointer *, void *, unsigned))                       \
  X(array3DGetDescriptor, cuArray3DGetDescriptor_v2, (Array3DDescriptor *, void *))                                   \
  X(pointerGetAttribute, cuPointerGetAttribute, (void *, int, DevicePointer))                                         \
  X(libraryLoadData, cuLibraryLoadData, (Library *, const void *, void *, void *, unsigned, void *, void *, unsigned)) \
  X(libraryUnload, cuLibraryUnload, (Library))                                                                         \
  X(libraryGetKernel, cuLibraryGetKernel, (Kernel *, Library, const char *))                                          \
  X(libraryGetGlobal, cuLibraryGetGlobal, (DevicePointer *, std::size_t *, Library, const char *))                    \
  X(kernelGetFunction, cuKernelGetFunction, (Function *, Kernel))                                                     \
  X(kernelGetName, cuKernelGetName, (const char **, Kernel))                                                          \
  X(functionGetName, cuFuncGetName, (const char **, Function))                                                        \
  X(functionGetModule, cuFuncGetModule, (Module *, Function))                                                         \
  X(functionGetAttribute, cuFuncGetAttribute, (int *, FunctionAttribute, Function))                                   \
  X(functionSetAttribute, cuFuncSetAttribute, (Function, FunctionAttribute, int))                                     \
  X(occupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, Function, int, std::size_t))       \
  X(occupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, (int *, Function, const LaunchConfig *))                \
  X(launchKernel, cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **, void **)) \
  X(graphCreate, cuGraphCreate, (Graph *, unsigned))                                                                  \
  X(graphDestroy, cuGraphDestroy, (Graph))                                                                            \
  X(graphClone, cuGraphClone, (Graph *, Graph))                                                                       \
  X(graphNodeFindInClone, cuGraphNodeFindInClone, (Node *, Node, Graph))                                              \
  X(graphGetNodes, cuGraphGetNodes, (Graph, Node *, std::size_t *))                                                   \
  X(graphNodeGetType, cuGraphNodeGetType, (Node, NodeType *))                                                          \
  X(graphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, (Node, Graph *))                                      \
  X(graphGetEdges, cuGraphGetEdges_v2, (Graph, Node *, Node *, EdgeData *, std::size_t *))                            \
  X(graphNodeGetDependencies, cuGraphNodeGetDependencies_v2, (Node, Node *, EdgeData *, std::size_t *))               \
  X(graphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, (Node, Node *, EdgeData *, std::size_t *))           \
  X(graphAddDependencies, cuGraphAddDependencies_v2, (Graph, const Node *, const Node *, const EdgeData *, std::size_t)) \
  X(graphDestroyNode, cuGraphDestroyNode, (Node))                                                                     \
  X(graphAddNode, cuGraphAddNode_v2, (Node *, Graph, const Node *, const EdgeData *, std::size_t, NodeParams *))     \
  X(graphAddKernelNode, cuGraphAddKernelNode_v2, (Node *, Graph, const Node *, std::size_t, const KernelNodeParams *)) \
  X(graphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, (Node, Node))                                    \
  X(graphAddMemcpyNode, cuGraphAddMemcpyNode, (Node *, Graph, const Node *, std::size_t, const CopyNodeParams *, Context)) \
  X(graphAddMemsetNode, cuGraphAddMemsetNode, (Node *, Graph, const Node *, std::size_t, const MemsetNodeParams *, Context)) \
  X(graphAddHostNode, cuGraphAddHostNode, (Node *, Graph, const Node *, std::size_t, const HostNodeParams *))         \
  X(graphHostNodeGetParams, cuGraphHostNodeGetParams, (Node, HostNodeParams *))                                       \
  X(graphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, (Node, AllocationNodeParams *))                          \
  X(graphAddBatchMemOpNode, cuGraphAddBatchMemOpNode, (Node *, Graph, const Node *, std::size_t, const BatchMemOpNodeParams *)) \
  X(graphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeGetParams, (Node, BatchMemOpNodeParams *))                     \
  X(graphAddEmptyNode, cuGraphAddEmptyNode, (Node *, Graph, const Node *, std::size_t))                               \
  X(graphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, (Node, Event *))                                    \
  X(graphAddEventWaitNode, cuGraphAddEventWaitNode, (Node *, Graph, const Node *, std::size_t, Event))                \
  X(graphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, (Node, Event *))                                        \
  X(graphAddEventRecordNode, cuGraphAddEventRecordNode, (Node *, Graph, const Node *, std::size_t, Event))            \
  X(graphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, (Node, KernelNodeParams *))                              \
  X(graphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, (Node, int, LaunchAttributeValue *))                 \
  X(graphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, (Node, CopyNodeParams *))                                   \
  X(graphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, (Node, MemsetNodeParams *))                                 \
  X(graphAddChildGraphNode, cuGraphAddChildGraphNode, (Node *, Graph, const Node *, std::size_t, Graph))             \
  X(graphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, (Node, const KernelNodeParams *))                        \
  X(graphInstantiate, cuGraphInstantiateWithFlags, (Exec *, Graph, unsigned long long))                               \
  X(graphLaunch, cuGraphLaunch, (Exec, Stream))                                                                       \
  X(userObjectCreate, cuUserObjectCreate, (UserObject *, void *, void (*)(void *), unsigned, unsigned))               \
  X(userObjectRelease, cuUserObjectRelease, (UserObject, unsigned))                                                   \
  X(graphRetainUserObject, cuGraphRetainUserObject, (Graph, UserObject, unsigned, unsigned))                          \
  X(graphReleaseUserObject, cuGraphReleaseUserObject, (Graph, UserObject, unsigned))                                  \
  X(graphUpload, cuGraphUpload, (Exec, Stream))                                                                       \
  X(graphExecDestroy, cuGraphExecDestroy, (Exec))                                                                     \
  X(graphExecUpdate, cuGraphExecUpdate_v2, (Exec, Graph, ExecUpdateResult *))                                         \
  X(graphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, (Exec, Node, Graph))                        \
  X(graphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, (Exec, Node, Event))

// Functions that came later: (version, member, exported symbol, parameters). Null if the driver lacks them.
#define GRAPHPROF_NEWER_DRIVER_FUNCTIONS(X)                                                                             \
  X(12040, streamGetGreenCtx, cuStreamGetGreenCtx, (Stream, GreenContext *))                                            \
  X(12040, functionGetParamInfo, cuFuncGetParamInfo, (Function, std::size_t, std::size_t *, std::size_t *))              \
  X(12040, kernelGetParamInfo, cuKernelGetParamInfo, (Kernel, std::size_t, std::size_t *, std::size_t *))                \
  X(12040, functionLoad, cuFuncLoad, (Function))                                                                        \
  X(12040, ctxFromGreenCtx, cuCtxFromGreenCtx, (Context *, GreenContext))                                               \
  X(13010, graphGetId, cuGraphGetId, (Graph, unsigned *))                                                               \
  X(13010, graphExecGetId, cuGraphExecGetId, (Exec, unsigned *))                                                        \
  X(13010, graphNodeGetLocalId, cuGraphNodeGetLocalId, (Node, unsigned *))                                              \
  X(13020, graphNodeGetParams, cuGraphNodeGetParams, (Node, NodeParams *))                                              \
  X(13030, streamBeginRecaptureToGraph, cuStreamBeginRecaptureToGraph, (Stream, int, Graph, void *, void *))
// clang-format on

/// The driver's functions, found at run time.
struct Functions {
#define GRAPHPROF_NEWER_DRIVER_MEMBER(version, member, symbol, parameters)                         \
  Result(*member) parameters = nullptr;
  GRAPHPROF_NEWER_DRIVER_FUNCTIONS(GRAPHPROF_NEWER_DRIVER_MEMBER)
#undef GRAPHPROF_NEWER_DRIVER_MEMBER
#define GRAPHPROF_DRIVER_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  GRAPHPROF_DRIVER_FUNCTIONS(GRAPHPROF_DRIVER_MEMBER)
#undef GRAPHPROF_DRIVER_MEMBER
};

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_DRIVERAPI_H
