// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API together with the runtime API: the handles are the same, and the driver leaves no
// trace in the runtime's error state.

#include "Conformance.h"

namespace conformance {
namespace {

struct DriverRules : Conformance {
  // In the form that each driver has.
  static CUresult elapsed(float *ms, CUevent start, CUevent end) {
    return driver<CUresult(float *, CUevent, CUevent)>("cuEventElapsedTime")(ms, start, end);
  }
  Stream stream;
  Graph graph;
};

TEST_F(DriverRules, DriverFailureKeepsErrorState) {
  // A failed driver call leaves the program's error state alone.
  CUgraph clone = nullptr;
  EXPECT_NE(CUDA_SUCCESS, DRIVER(cuGraphClone)(&clone, nullptr));
  EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError());
  float ms = 0;
  Event never;
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, elapsed(&ms, never, never));
  EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError());
}

TEST_F(DriverRules, RuntimeErrorStaysUntilRead) {
  // A failed runtime call stays until it is read.
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaPeekAtLastError());
  Event event; // succeeds, and changes nothing
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_CUDA(cudaSuccess, cudaGetLastError());
}

TEST_F(DriverRules, ErrorStateIsThreads) {
  // The error state is the thread's.
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
  onAnotherThread([] { EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError()); });
  cudaGetLastError();
}

TEST_F(DriverRules, ApisShareHandles) {
  // Handles are the same objects in both APIs.
  Event start, end;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuEventRecord)(start, stream));
  spinOn(stream);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuEventRecord)(end, stream));
  OK(cudaEventSynchronize(end));
  float ms = 0;
  EXPECT_EQ(CUDA_SUCCESS, elapsed(&ms, start, end));
  EXPECT_GT(ms, 0.0f);
  unsigned long long id = 0, driverId = 1;
  OK(cudaStreamGetId(stream, &id));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamGetId)(stream, &driverId));
  EXPECT_EQ(id, driverId);
}

TEST_F(DriverRules, StreamIdsAreNotReused) {
  unsigned long long first = 0, second = 0;
  {
    Stream gone;
    OK(cudaStreamGetId(gone, &first));
  }
  Stream made;
  OK(cudaStreamGetId(made, &second));
  EXPECT_NE(first, second);
}

TEST_F(DriverRules, ApisShareCaptureMode) {
  // The capture mode is the thread's in both APIs.
  auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuThreadExchangeStreamCaptureMode)(&mode));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
  auto runtimeMode = cudaStreamCaptureModeGlobal;
  OK(cudaThreadExchangeStreamCaptureMode(&runtimeMode));
  EXPECT_EQ(cudaStreamCaptureModeRelaxed, runtimeMode);
}

TEST_F(DriverRules, DriverSeesRuntimesCapture) {
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  CUgraph captured = nullptr;
  const CUgraphNode *frontier = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamGetCaptureInfo)(stream, &status, &id, &captured, &frontier,
                                                         &edges, &count));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
  EXPECT_EQ(1u, count);
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(captured, static_cast<cudaGraph_t>(graph));
}

// The driver names a kernel node's kernel, in a graph and in its clone. The runtime API refuses
// that for kernels of libraries.
TEST_F(DriverRules, DriverNamesNodesKernel) {
  captureChain(stream, &graph, 1);
  Graph clone;
  OK(cudaGraphClone(&clone, graph));
  for (const cudaGraph_t each :
       {static_cast<cudaGraph_t>(graph), static_cast<cudaGraph_t>(clone)}) {
    CUDA_KERNEL_NODE_PARAMS params{};
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuGraphKernelNodeGetParams)(nodesOf(each)[0], &params));
    const char *name = nullptr;
    if (params.func)
      EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuFuncGetName)(&name, params.func));
    else
      EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuKernelGetName)(&name, params.kern));
    EXPECT_STREQ("_ZN11conformance4spinEy", name);
  }
}

TEST_F(DriverRules, DriverTellsCopyAndMemset) {
  // The driver tells how much a copy or memset moves and where.
  unsigned char *device = nullptr, *pinned = nullptr;
  OK(cudaMalloc(&device, 256));
  OK(cudaMallocHost(&pinned, 256));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaMemcpyAsync(device, pinned, 96, cudaMemcpyHostToDevice, stream));
  OK(cudaMemsetAsync(device, 0, 64, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  const auto nodes = nodesOf(graph);
  ASSERT_EQ(2u, nodes.size());

  CUDA_MEMCPY3D copy{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphMemcpyNodeGetParams)(nodes[0], &copy));
  EXPECT_EQ(96u, copy.WidthInBytes * copy.Height * copy.Depth);
  const CUdeviceptr from = copy.srcMemoryType == CU_MEMORYTYPE_HOST
                               ? reinterpret_cast<CUdeviceptr>(copy.srcHost)
                               : copy.srcDevice;
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(pinned), from);
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(device), copy.dstDevice);

  CUDA_MEMSET_NODE_PARAMS fill{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphMemsetNodeGetParams)(nodes[1], &fill));
  EXPECT_EQ(64u, fill.width * fill.height * fill.elementSize);
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(device), fill.dst);
  OK(cudaFree(device));
  OK(cudaFreeHost(pinned));
}

TEST_F(DriverRules, DriverTellsMemoryType) {
  // The driver tells what memory is where and refuses what it does not know.
  unsigned char *device = nullptr, *pinned = nullptr;
  std::vector<unsigned char> pageable(256);
  OK(cudaMalloc(&device, 256));
  OK(cudaMallocHost(&pinned, 256));
  const auto typeOf = [](const unsigned char *address, unsigned &type) {
    return DRIVER(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                         reinterpret_cast<CUdeviceptr>(address));
  };
  unsigned type = 0;
  EXPECT_EQ(CUDA_SUCCESS, typeOf(device + 100, type));
  EXPECT_EQ(CU_MEMORYTYPE_DEVICE, static_cast<CUmemorytype>(type));
  EXPECT_EQ(CUDA_SUCCESS, typeOf(pinned + 100, type));
  EXPECT_EQ(CU_MEMORYTYPE_HOST, static_cast<CUmemorytype>(type));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, typeOf(pageable.data(), type));
  OK(cudaFree(device));
  OK(cudaFreeHost(pinned));
}

TEST_F(DriverRules, DriverLaunchRuns) {
  Exec exec;
  captureChain(stream, &graph, 1);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphUpload)(exec, stream));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphLaunch)(exec, stream));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamSynchronize)(stream));
}

TEST_F(DriverRules, InvalidGraphIsInvalidValue) {
  Exec exec;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuGraphInstantiateWithFlags)(&exec, nullptr, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr, 0));
}

// Words that a stream writes. The runtime API has no name for this kind of node.
struct WordRules : Conformance {
  Stream stream;
  Graph graph;
  unsigned *words = nullptr; // pinned

  WordRules() {
    EXPECT_EQ(cudaSuccess, cudaMallocHost(&words, 4 * sizeof *words));
    for (int i = 0; i < 4; ++i)
      words[i] = 0;
  }
  ~WordRules() override { cudaFreeHost(words); }
  CUdeviceptr word(int index) { return reinterpret_cast<CUdeviceptr>(words + index); }
  static CUgraphNodeType typeOf(cudaGraphNode_t node) {
    CUgraphNodeType type{};
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphNodeGetType)(node, &type));
    return type;
  }
};

TEST_F(WordRules, StreamWritesInOrder) {
  spinOn(stream);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamWriteValue32)(stream, word(0), 7, 0));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamWriteValue64)(stream, word(2), 1ull << 40, 0));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(7u, words[0]);
  EXPECT_EQ(256u, words[3]);
}

TEST_F(WordRules, CapturedWriteIsCloneableNode) {
  // Captured, a write is a node that can be cloned.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamWriteValue32)(stream, word(0), 7, 0));
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  const auto nodes = nodesOf(graph);
  ASSERT_EQ(3u, nodes.size());
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, typeOf(nodes[1]));
  Graph clone;
  OK(cudaGraphClone(&clone, graph));
  Exec exec;
  OK(cudaGraphInstantiate(&exec, clone, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(7u, words[0]);
}

TEST_F(WordRules, WriteNodeCanBeRebuilt) {
  // The node of a write can be made once more.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamWriteValue32)(stream, word(1), 9, 0));
  OK(cudaStreamEndCapture(stream, &graph));
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphBatchMemOpNodeGetParams)(nodesOf(graph).front(), &params));
  ASSERT_EQ(1u, params.count);
  EXPECT_EQ(CU_STREAM_MEM_OP_WRITE_VALUE_32, params.paramArray[0].operation);
  Graph other;
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t copy = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphAddBatchMemOpNode)(&copy, other, nullptr, 0, &params));
  Exec exec;
  OK(cudaGraphInstantiate(&exec, other, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(9u, words[1]);
}

} // namespace
} // namespace conformance
