// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies that keep everything: what newer drivers put into nodes is in the graph that graphprof
// launches, too. support/CopiesAreWhole.cpp compares it with the program's, in every test.

#include "graphprof/cuda_driver.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "support/ByteGraphs.h"
#include "support/CopiesAreWhole.h"
#include "support/Newer.h"
#include "support/SameGraph.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

using Strings = std::vector<std::string>;

using GetParams = CUresult(CUgraphNode, CUgraphNodeParams *);
using LaunchHostFunction = CUresult(CUstream, CUhostFn, void *, unsigned);

constexpr unsigned spinWait = 1; // CU_HOST_TASK_SPINWAIT

// A partition of the device's multiprocessors, with a stream. Without one if the driver is too old.
// It stays until the program ends.
class Partition {
public:
  Partition() {
    CUdevResource all{}, part{};
    unsigned parts = 1;
    CUdevResourceDesc description = nullptr;
    if (cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS &&
        cuDevSmResourceSplitByCount(&part, &parts, &all, nullptr, 0, 8) == CUDA_SUCCESS &&
        cuDevResourceGenerateDesc(&description, &part, 1) == CUDA_SUCCESS)
      cuGreenCtxCreate(&green_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM);
    if (green_) {
      EXPECT_EQ(CUDA_SUCCESS, cuCtxFromGreenCtx(&context_, green_));
      EXPECT_EQ(CUDA_SUCCESS, cuGreenCtxStreamCreate(&stream_, green_, CU_STREAM_NON_BLOCKING, 0));
    }
  }
  Partition(const Partition &) = delete;
  Partition &operator=(const Partition &) = delete;

  [[nodiscard]] bool exists() const { return green_ != nullptr; }
  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] CUstream stream() const { return stream_; }

private:
  CUgreenCtx green_ = nullptr;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
};

class WholeCopies : public ByteGraphs {
protected:
  void SetUp() override {
    ByteGraphs::SetUp();
    cudaFunction_t function = nullptr;
    CUDA_OK(cudaGetFuncBySymbol(&function, shortKernel()));
    kernel_ = function;
  }
  void work(CUstream stream) {
    EXPECT_EQ(CUDA_SUCCESS, cuLaunchKernel(kernel_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  }
  // A graph with one region around what `body` captures.
  template <class Body> CUgraph captured(CUstream stream, Body body) {
    CUgraph graph = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    {
      GRAPHPROF_SCOPE(1, "region", on_stream(stream));
      body();
    }
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuStreamEndCapture(stream, &graph));
    return graph;
  }
  // Launches an exec of it once, recorded. Returns how many copies were compared meanwhile.
  std::uint64_t launched(CUgraph graph, CUstream stream, std::size_t records = 1) {
    const std::uint64_t before = comparedCopies();
    Recorder recorder;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphInstantiate(&exec, graph, 0));
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphLaunch(exec, stream));
    EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
    EXPECT_EQ(records, recorder.all().size());
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphExecDestroy(exec));
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphDestroy(graph));
    return comparedCopies() - before;
  }

  CUfunction kernel_ = nullptr;
};

void count(void *calls) { ++*static_cast<int *>(calls); }

TEST_F(WholeCopies, HostFunctionsKeepHowTheyAreWaitedFor) {
  auto *const launch = newer<LaunchHostFunction>("cuLaunchHostFunc_v2");
  if (!launch)
    GTEST_SKIP() << "needs CUDA 13.2";
  int calls = 0;
  const CUgraph graph = captured(stream_, [&] {
    work(stream_);
    CU_OK(launch(stream_, count, &calls, spinWait));
    work(stream_);
  });
  EXPECT_EQ(1u, launched(graph, stream_));
  EXPECT_EQ(1, calls);
}

TEST_F(WholeCopies, KernelsCopiesAndMemsetsStayInTheirPartition) {
  const Partition partition;
  if (!partition.exists())
    GTEST_SKIP() << "needs green contexts";
  CUgraphNode kernel = nullptr;
  const CUgraph graph = captured(partition.stream(), [&] {
    work(partition.stream());
    CU_OK(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(byte_), 5, 1, partition.stream()));
    CU_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(seen_), reinterpret_cast<CUdeviceptr>(byte_),
                        1, partition.stream()));
  });
  std::size_t count = 1;
  CU_OK(cuGraphGetNodes(graph, &kernel, &count));
  CUDA_KERNEL_NODE_PARAMS params{};
  CU_OK(cuGraphKernelNodeGetParams(kernel, &params));
  EXPECT_EQ(partition.context(), params.ctx);
  EXPECT_EQ(1u, launched(graph, partition.stream()));
  EXPECT_EQ(5, *seen_);
}

TEST_F(WholeCopies, AttributesAreKept) {
  const auto priority = [](int value) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = value;
    return attribute;
  };
  std::array<CUlaunchAttribute, 3> attributes{priority(-1), {}, {}};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
  attributes[1].value.pad[0] = 1; // CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
  attributes[2].value.pad[0] = 1; // CU_CLUSTER_SCHEDULING_POLICY_SPREAD
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream_, attributes.data(), attributes.size()};
  const CUgraph graph = captured(stream_, [&] {
    CU_OK(cuLaunchKernelEx(&config, kernel_, nullptr, nullptr));
    work(stream_);
  });
  EXPECT_EQ(1u, launched(graph, stream_));
}

TEST_F(WholeCopies, AttributesThatAllowMoreSharedMemoryComeBeforeIt) {
  CUlaunchAttribute attribute{};
  attribute.id = static_cast<CUlaunchAttributeID>(18); // CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE
  attribute.value.pad[0] = 3; // CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 240U << 10, stream_, &attribute, 1};
  if (cuLaunchKernelEx(&config, kernel_, nullptr, nullptr) != CUDA_SUCCESS)
    GTEST_SKIP() << "needs CUDA 13.4, and a device with that much";
  const CUgraph graph =
      captured(stream_, [&] { CU_OK(cuLaunchKernelEx(&config, kernel_, nullptr, nullptr)); });
  EXPECT_EQ(1u, launched(graph, stream_));
}

// CUstreamBatchMemOpParams with a reduction, whatever the toolkit's headers know (CUDA 13.1).
CUstreamBatchMemOpParams adding(unsigned *word, std::uint64_t value) {
  struct {
    unsigned operation = 8;                      // CU_STREAM_MEM_OP_ATOMIC_REDUCTION
    unsigned flags = 0, reduction = 0, type = 0; // adds numbers of 32 bits
    std::uint64_t address, value, alias = 0;
  } reduction;
  reduction.address = reinterpret_cast<std::uintptr_t>(word);
  reduction.value = value;
  CUstreamBatchMemOpParams operation{};
  static_assert(sizeof reduction <= sizeof operation);
  std::memcpy(static_cast<void *>(&operation), &reduction, sizeof reduction);
  return operation;
}

TEST_F(WholeCopies, ReductionsAreKept) {
  unsigned *word = nullptr;
  CUDA_OK(cudaMalloc(&word, sizeof *word));
  CUDA_OK(cudaMemset(word, 0, sizeof *word));
  std::array<CUstreamBatchMemOpParams, 2> operations{adding(word, 5), adding(word, 2)};
  if (cuStreamBatchMemOp(stream_, 1, operations.data(), 0) != CUDA_SUCCESS)
    GTEST_SKIP() << "needs CUDA 13.1";
  const CUgraph graph = captured(stream_, [&] {
    work(stream_);
    CU_OK(cuStreamBatchMemOp(stream_, operations.size(), operations.data(), 0));
  });
  EXPECT_EQ(1u, launched(graph, stream_));
  unsigned sum = 0;
  CUDA_OK(cudaMemcpy(&sum, word, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT_EQ(5u + 5u + 2u, sum);
  CUDA_OK(cudaFree(word));
}

// The comparison itself: what it must not miss.
class SameGraph : public testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaFree(nullptr));
    CU_OK(cuGraphCreate(&one_, 0));
    CU_OK(cuGraphCreate(&other_, 0));
    cudaFunction_t function = nullptr;
    CUDA_OK(cudaGetFuncBySymbol(&function, shortKernel()));
    kernel_ = function;
  }
  void TearDown() override {
    CU_OK(cuGraphDestroy(one_));
    CU_OK(cuGraphDestroy(other_));
  }
  CUgraphNode addKernel(CUgraph graph, unsigned grid, std::vector<CUgraphNode> behind = {}) {
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = kernel_;
    params.gridDimX = grid;
    params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    CUgraphNode node = nullptr;
    EXPECT_EQ(CUDA_SUCCESS,
              cuGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &params));
    return node;
  }
  CUgraphNode addHost(CUgraph graph, void *data, unsigned syncMode) {
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = CU_GRAPH_NODE_TYPE_HOST;
    params.host.fn = count;
    params.host.userData = data;
    // Behind these two, whatever the toolkit's headers know.
    std::memcpy(reinterpret_cast<char *>(&params.host) + 2 * sizeof(void *), &syncMode,
                sizeof syncMode);
    CUgraphNode node = nullptr;
    return cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == CUDA_SUCCESS ? node
                                                                                      : nullptr;
  }
  // Nodes of `one_` and their twins in `other_`, in the order of their pairs.
  Strings compared(const std::vector<std::pair<CUgraphNode, CUgraphNode>> &twins) {
    return differences(one_, other_, [&](CUgraphNode node) {
      const auto found = std::find_if(twins.begin(), twins.end(),
                                      [&](const auto &pair) { return pair.first == node; });
      return found == twins.end() ? nullptr : found->second;
    });
  }

  CUgraph one_ = nullptr, other_ = nullptr;
  CUfunction kernel_ = nullptr;
};

TEST_F(SameGraph, EqualGraphsHaveNoDifferences) {
  const CUgraphNode a = addKernel(one_, 2), b = addKernel(one_, 3, {a});
  const CUgraphNode first = addKernel(other_, 2), between = addKernel(other_, 9, {first}),
                    last = addKernel(other_, 3, {between});
  EXPECT_EQ(Strings{}, compared({{a, first}, {b, last}}));
}

TEST_F(SameGraph, FindsParametersAttributesAndTypes) {
  int data = 0;
  const CUgraphNode a = addKernel(one_, 2), b = addKernel(one_, 3), host = addHost(one_, &data, 0);
  const CUgraphNode twinOfA = addKernel(other_, 4), twinOfB = addKernel(other_, 3),
                    twin = addHost(other_, nullptr, 0);
  CUkernelNodeAttrValue value{};
  value.priority = -1;
  CU_OK(cuGraphKernelNodeSetAttribute(twinOfB, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  const Strings found = compared({{a, twinOfA}, {b, twinOfB}, {host, twin}});
  EXPECT_NE(found.end(), std::find(found.begin(), found.end(), "node 0 (kernel): grid differs"));
  EXPECT_NE(found.end(),
            std::find(found.begin(), found.end(), "node 1 (kernel): attribute 8 differs"));
  EXPECT_NE(found.end(),
            std::find(found.begin(), found.end(), "node 2 (host function): parameters differ"));
  const Strings mixed = compared({{a, twin}, {b, twinOfB}});
  EXPECT_NE(mixed.end(), std::find(mixed.begin(), mixed.end(),
                                   "node 0 (kernel): its counterpart is a host function"));
  EXPECT_NE(mixed.end(),
            std::find(mixed.begin(), mixed.end(), "node 2 (host function): has no counterpart"));
}

TEST_F(SameGraph, FindsWhatOnlyNewerDriversTell) {
  if (!newer<GetParams>("cuGraphNodeGetParams"))
    GTEST_SKIP() << "needs CUDA 13.2";
  const CUgraphNode node = addHost(one_, nullptr, spinWait), twin = addHost(other_, nullptr, 0);
  EXPECT_EQ(Strings{"node 0 (host function): what cuGraphNodeGetParams tells differs"},
            compared({{node, twin}}));
}

TEST_F(SameGraph, FindsMissingAndFurtherOrder) {
  const CUgraphNode a = addKernel(one_, 1), b = addKernel(one_, 1, {a}), c = addKernel(one_, 1);
  const CUgraphNode first = addKernel(other_, 1), second = addKernel(other_, 1),
                    between = addKernel(other_, 1, {first}),
                    third = addKernel(other_, 1, {between});
  EXPECT_EQ((Strings{"the edge from node 0 (kernel) to node 1 (kernel) is missing",
                     "node 2 (kernel) waits for node 0 (kernel), which it does not in the graph"}),
            compared({{a, first}, {b, second}, {c, third}}));
}

} // namespace
} // namespace graphprof::test
