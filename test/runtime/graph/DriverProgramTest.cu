// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that speaks the driver API: the same handles, the same rules as through the runtime
// API.

#include "graphprof/cuda_driver.h"

#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

/// A word on the device that a graph writes.
class Word {
public:
  explicit Word(CUcontext context) : context_(context) {
    EXPECT_EQ(cudaSuccess, cudaMalloc(&word_, sizeof *word_));
    clear();
  }
  ~Word() { cudaFree(word_); }
  Word(const Word &) = delete;
  Word &operator=(const Word &) = delete;

  /// Valid until the next call.
  CUDA_BATCH_MEM_OP_NODE_PARAMS writing(cuuint32_t value) {
    operation_ = {};
    operation_.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operation_.writeValue.address = reinterpret_cast<CUdeviceptr>(word_);
    operation_.writeValue.value = value;
    return {context_, 1, &operation_, 0};
  }
  /// And clears it.
  cuuint32_t read() {
    cuuint32_t value = 0;
    EXPECT_EQ(cudaSuccess, cudaMemcpy(&value, word_, sizeof value, cudaMemcpyDeviceToHost));
    clear();
    return value;
  }

private:
  void clear() const { EXPECT_EQ(cudaSuccess, cudaMemset(word_, 0, sizeof *word_)); }

  CUcontext context_;
  cuuint32_t *word_ = nullptr;
  CUstreamBatchMemOpParams operation_{};
};

class DriverProgram : public ByteGraphs {
protected:
  void SetUp() override {
    ByteGraphs::SetUp();
    cudaFunction_t function = nullptr;
    CUDA_OK(cudaGetFuncBySymbol(&function, shortKernel()));
    kernel_ = function;
    CU_OK(cuCtxGetCurrent(&context_));
  }

  void work(CUstream stream) {
    EXPECT_EQ(CUDA_SUCCESS, cuLaunchKernel(kernel_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  }
  /// A graph with one region, "work {n}", of `kernels` kernels.
  CUgraph captured(int n, int kernels = 1) {
    CUgraph graph = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    {
      GRAPHPROF_SCOPE(1, "work {}", on_stream(stream_), n);
      for (int i = 0; i < kernels; ++i)
        work(stream_);
    }
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuStreamEndCapture(stream_, &graph));
    return graph;
  }
  static CUgraphExec instantiated(CUgraph graph) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphInstantiate(&exec, graph, 0));
    return exec;
  }
  int launchAndRead(CUgraphExec exec) {
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphLaunch(exec, stream_));
    EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
    return *seen_;
  }
  [[nodiscard]] CUdeviceptr byte() const { return reinterpret_cast<CUdeviceptr>(byte_); }
  CUDA_MEMSET_NODE_PARAMS setTo(unsigned value) const {
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = byte();
    params.value = value;
    params.elementSize = 1;
    params.width = 1;
    params.height = 1;
    return params;
  }

  CUfunction kernel_ = nullptr;
  CUcontext context_ = nullptr;
};

TEST_F(DriverProgram, ReplaysAreTimed) {
  // The program's replays are timed, and its graph is its own.
  Recorder recorder;
  const CUgraph graph = captured(7, 3);
  EXPECT_EQ(3u, nodeCount(graph));
  const CUgraphExec exec = instantiated(graph);
  CU_OK(cuda::cuGraphUpload(exec, stream_));
  for (int replay = 0; replay < 3; ++replay)
    CU_OK(cuda::cuGraphLaunch(exec, stream_));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(3u, seen.size());
  for (const Seen &one : seen) {
    EXPECT_EQ("work 7", one.name);
    EXPECT_GT(one.durationNs, 10'000);
  }
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, ExecMadeWithParametersIsTimed) {
  Recorder recorder;
  const CUgraph graph = captured(1);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec exec = nullptr;
  CU_OK(cuda::cuGraphInstantiateWithParams(&exec, graph, &params));
  CU_OK(cuda::cuGraphLaunch(exec, stream_));
  EXPECT_EQ((std::vector<std::string>{"work 1"}), recorder.names());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, ApisShareGraphs) {
  // What one API captured, the other may launch.
  Recorder recorder;
  const CUgraph graph = captured(1);
  const cudaGraphExec_t exec = instantiate(graph);
  CU_OK(cuda::cuGraphLaunch(exec, stream_));
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  EXPECT_EQ(2u, recorder.all().size());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, UpdateReachesBothExecs) {
  // An update reaches both execs, and renames the regions.
  Recorder recorder;
  const CUgraph one = setting(1), two = setting(2);
  const CUgraphExec exec = instantiated(one);
  EXPECT_EQ(1, launchAndRead(exec));
  CUgraphExecUpdateResultInfo info{};
  CU_OK(cuda::cuGraphExecUpdate(exec, two, &info));
  EXPECT_EQ(2, launchAndRead(exec));
  stop();
  EXPECT_EQ(2, launchAndRead(exec));
  start();
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 2"}), recorder.names());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(one));
  CU_OK(cuda::cuGraphDestroy(two));
}

TEST_F(DriverProgram, ParametersReachBothExecs) {
  // A node's new parameters reach both execs, whatever error is pending.
  const Losses before = losses();
  Recorder recorder;
  const CUgraph graph = setting(1);
  const CUgraphExec exec = instantiated(graph);
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const CUDA_MEMSET_NODE_PARAMS three = setTo(3);
  CU_OK(cuda::cuGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three, context_));
  EXPECT_EQ(3, launchAndRead(exec));
  stop();
  EXPECT_EQ(3, launchAndRead(exec));
  start();
  EXPECT_EQ(1u, recorder.all().size());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  EXPECT_NE(cudaSuccess, cudaGetLastError()) << "the program's own";
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, DisabledNodeReachesBothExecs) {
  const CUgraph graph = setting(1);
  const CUgraphExec exec = instantiated(graph);
  EXPECT_EQ(1, launchAndRead(exec));
  CU_OK(cuda::cuGraphNodeSetEnabled(exec, memsetNode(graph), 0));
  CUDA_OK(cudaMemset(byte_, 9, 1));
  EXPECT_EQ(9, launchAndRead(exec));
  stop();
  EXPECT_EQ(9, launchAndRead(exec));
  start();
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, ClonesReplaysAreRecorded) {
  Recorder recorder;
  const CUgraph graph = setting(1);
  CUgraph clone = nullptr;
  CU_OK(cuda::cuGraphClone(&clone, graph));
  CU_OK(cuda::cuGraphDestroy(graph));
  const CUgraphExec exec = instantiated(clone);
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(clone));
}

TEST_F(DriverProgram, EditReachesBothGraphs) {
  // A node edited after the capture is edited in both graphs.
  Recorder recorder;
  const CUgraph graph = setting(1);
  const CUDA_MEMSET_NODE_PARAMS five = setTo(5);
  const Losses before = losses();
  CU_OK(cuda::cuGraphMemsetNodeSetParams(memsetNode(graph), &five));
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  const CUgraphExec exec = instantiated(graph);
  EXPECT_EQ(5, launchAndRead(exec));
  stop();
  EXPECT_EQ(5, launchAndRead(exec));
  start();
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

// Whatever is added to a captured graph is an edit. Each kind of node that can be added behind
// what was captured: the graph is another one then, with the same regions.
TEST_F(DriverProgram, AddedNodeIsEdit) {
  Recorder recorder;
  std::size_t replays = 0;
  CUevent event = nullptr;
  CU_OK(cuEventCreate(&event, 0));
  CUgraph child = nullptr;
  CU_OK(cuGraphCreate(&child, 0));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = kernel_;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
  const CUDA_MEMSET_NODE_PARAMS fill = setTo(1);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = byte();
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = seen_;
  copy.WidthInBytes = copy.Height = copy.Depth = 1;
  const CUDA_HOST_NODE_PARAMS host{[](void *) {}, nullptr};
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_EMPTY;
  Word word(context_);
  const CUDA_BATCH_MEM_OP_NODE_PARAMS words = word.writing(1);

  const std::function<CUresult(CUgraphNode *, CUgraph)> edits[] = {
      [&](auto *n, auto g) { return cuda::cuGraphAddKernelNode(n, g, nullptr, 0, &kernel); },
      [&](auto *n, auto g) {
        return cuda::cuGraphAddMemsetNode(n, g, nullptr, 0, &fill, context_);
      },
      [&](auto *n, auto g) {
        return cuda::cuGraphAddMemcpyNode(n, g, nullptr, 0, &copy, context_);
      },
      [&](auto *n, auto g) { return cuda::cuGraphAddHostNode(n, g, nullptr, 0, &host); },
      [&](auto *n, auto g) { return cuda::cuGraphAddChildGraphNode(n, g, nullptr, 0, child); },
      [&](auto *n, auto g) { return cuda::cuGraphAddEmptyNode(n, g, nullptr, 0); },
      [&](auto *n, auto g) { return cuda::cuGraphAddEventRecordNode(n, g, nullptr, 0, event); },
      [&](auto *n, auto g) { return cuda::cuGraphAddEventWaitNode(n, g, nullptr, 0, event); },
      [&](auto *n, auto g) { return cuda::cuGraphAddNode(n, g, nullptr, nullptr, 0, &any); },
      [&](auto *n, auto g) { return cuda::cuGraphAddBatchMemOpNode(n, g, nullptr, 0, &words); },
  };
  for (const auto &edit : edits) {
    const CUgraph graph = captured(1);
    const CUgraphExec before = instantiated(graph);
    CUgraphNode node = nullptr;
    CU_OK(edit(&node, graph));
    const CUgraphExec after = instantiated(graph);
    EXPECT_EQ(2u, nodeCount(graph));
    CU_OK(cuda::cuGraphDestroyNode(node));
    const CUgraphExec again = instantiated(graph);
    EXPECT_EQ(1u, nodeCount(graph));
    for (const CUgraphExec exec : {before, after, again})
      launchAndRead(exec);
    const std::vector<Seen> seen = recorder.all();
    ASSERT_EQ(replays + 3, seen.size());
    for (std::size_t i = replays; i < seen.size(); ++i) {
      EXPECT_EQ("work 1", seen[i].name);
      EXPECT_GE(seen[i].durationNs, 0);
      if (i > replays) {
        EXPECT_NE(seen[i - 1].graph, seen[i].graph) << "the edit was not seen";
      }
    }
    replays = seen.size();
    for (const CUgraphExec exec : {before, after, again})
      CU_OK(cuda::cuGraphExecDestroy(exec));
    CU_OK(cuda::cuGraphDestroy(graph));
  }
  CU_OK(cuGraphDestroy(child));
  CU_OK(cuEventDestroy(event));
}

// Words are written as the program says it. Of both execs, at each step.
TEST_F(DriverProgram, WordsAreWrittenByBoth) {
  Word word(context_);
  Recorder recorder;
  std::size_t replays = 0;
  const auto bothWrite = [&](CUgraphExec exec, cuuint32_t value) {
    launchAndRead(exec);
    EXPECT_EQ(value, word.read());
    EXPECT_EQ(++replays, recorder.all().size());
    stop();
    launchAndRead(exec);
    EXPECT_EQ(value, word.read()) << "the program's own exec";
    start();
  };
  const CUgraph graph = captured(1);
  CUgraphNode node = nullptr;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params = word.writing(42);
  CU_OK(cuda::cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  const CUgraphExec exec = instantiated(graph);
  bothWrite(exec, 42);
  params = word.writing(43);
  CU_OK(cuda::cuGraphBatchMemOpNodeSetParams(node, &params));
  bothWrite(exec, 42);
  const CUgraphExec second = instantiated(graph);
  bothWrite(second, 43);
  params = word.writing(44);
  CU_OK(cuda::cuGraphExecBatchMemOpNodeSetParams(second, node, &params));
  bothWrite(second, 44);
  bothWrite(exec, 42);
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphExecDestroy(second));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, CopiedAttributesCostNoProfile) {
  const Losses before = losses();
  Recorder recorder;
  const CUgraph graph = captured(1, 2);
  CUgraphNode nodes[2] = {};
  std::size_t count = 2;
  CU_OK(cuGraphGetNodes(graph, nodes, &count));
  const CUgraphExec first = instantiated(graph);
  CU_OK(cuda::cuGraphKernelNodeCopyAttributes(nodes[0], nodes[1]));
  CUDA_OK(cuda::cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
  const CUgraphExec second = instantiated(graph);
  launchAndRead(first);
  launchAndRead(second);
  EXPECT_EQ(2u, recorder.all().size());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  CU_OK(cuda::cuGraphExecDestroy(first));
  CU_OK(cuda::cuGraphExecDestroy(second));
  CU_OK(cuda::cuGraphDestroy(graph));
}

TEST_F(DriverProgram, ChildrenAreTimedInEachUse) {
  Recorder recorder;
  const CUgraph child = captured(1), other = captured(2);
  CUgraph graph = nullptr;
  CUgraphNode first = nullptr, second = nullptr;
  CU_OK(cuda::cuGraphCreate(&graph, 0));
  CU_OK(cuda::cuGraphAddChildGraphNode(&first, graph, nullptr, 0, child));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph.graph = child;
  CU_OK(cuda::cuGraphAddNode(&second, graph, &first, nullptr, 1, &params));
  const CUgraphExec exec = instantiated(graph);
  CU_OK(cuda::cuGraphLaunch(exec, stream_));
  CU_OK(cuda::cuGraphExecChildGraphNodeSetParams(exec, second, other));
  CU_OK(cuda::cuGraphLaunch(exec, stream_));
  EXPECT_EQ((std::vector<std::string>{"work 1", "work 1", "work 1", "work 2"}), recorder.names());
  CU_OK(cuda::cuGraphExecDestroy(exec));
  for (const CUgraph each : {graph, other, child})
    CU_OK(cuda::cuGraphDestroy(each));
}

// What becomes of its regions depends on the clock: they are timed, or counted.
TEST_F(DriverProgram, ConditionalBodiesAreKnown) {
  const Losses before = losses();
  Recorder recorder;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CU_OK(cuda::cuGraphCreate(&graph, 0));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  CU_OK(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, context_, 1,
                                       CU_GRAPH_COND_ASSIGN_DEFAULT));
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  params.conditional.ctx = context_;
  CU_OK(cuda::cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  const CUgraph body = params.conditional.phGraph_out[0];
  CU_OK(cuda::cuStreamBeginCaptureToGraph(stream_, body, nullptr, nullptr, 0,
                                          CU_STREAM_CAPTURE_MODE_GLOBAL));
  {
    GRAPHPROF_SCOPE(1, "then", on_stream(stream_));
    work(stream_);
  }
  CUgraph same = nullptr;
  CU_OK(cuda::cuStreamEndCapture(stream_, &same));
  const CUgraphExec exec = instantiated(graph);
  CU_OK(cuda::cuGraphLaunch(exec, stream_));
  const std::size_t seen = recorder.all().size();
  CU_OK(cuda::cuGraphExecDestroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
  EXPECT_EQ(1u, seen + losses().incomplete - before.incomplete);
}

TEST_F(DriverProgram, FailedCallReturnsItsError) {
  // A call that fails returns CUDA's own error.
  CUgraphExec exec = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuGraphInstantiate(&exec, nullptr, 0));
  CUgraph graph = nullptr;
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuda::cuStreamEndCapture(stream_, &graph));
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST_F(DriverProgram, WrapperIsFunction) {
  CUresult (*launch)(CUgraphExec, CUstream) = cuda::cuGraphLaunch;
  CUresult (*destroy)(CUgraphExec) = &cuda::cuGraphExecDestroy;
  Recorder recorder;
  const CUgraph graph = captured(1);
  const CUgraphExec exec = instantiated(graph);
  CU_OK(launch(exec, stream_));
  EXPECT_EQ(1u, recorder.all().size());
  CU_OK(destroy(exec));
  CU_OK(cuda::cuGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
