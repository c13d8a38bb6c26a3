// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is recorded of the nodes with which graphs allocate and free memory, added through either
// API.

#include "graphprof/cuda_driver.h"

#include <functional>
#include <string>
#include <vector>

#include "graphprof/step.h"
#include "support/MemoryEvents.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

using Events = std::vector<MemorySeen>;

/// A way to add nodes that allocate and free. Each returns whether the call succeeded.
struct Form {
  std::string name;
  std::function<bool(cudaGraphNode_t *, cudaGraph_t, std::size_t bytes, std::uint64_t *)> allocate;
  std::function<bool(cudaGraphNode_t *, cudaGraph_t, cudaGraphNode_t, std::uint64_t)> free;
};

template <class Pool> void onFirstDevice(Pool &pool) {
  using Type = decltype(pool.allocType);
  using Where = decltype(pool.location.type);
  pool.allocType = static_cast<Type>(1); // pinned
  pool.location.type = static_cast<Where>(1);
  pool.location.id = 0;
}

bool passed(cudaError_t error) {
  if (error != cudaSuccess)
    EXPECT_EQ(error, cudaGetLastError());
  return error == cudaSuccess;
}
bool passed(CUresult result) { return result == CUDA_SUCCESS; }

std::vector<Form> forms() {
  std::vector<Form> all;
  all.push_back(
      {"cudaGraphAddMemAllocNode",
       [](cudaGraphNode_t *node, cudaGraph_t graph, std::size_t bytes, std::uint64_t *address) {
         cudaMemAllocNodeParams params{};
         onFirstDevice(params.poolProps);
         params.bytesize = bytes;
         const bool ok = passed(cuda::cudaGraphAddMemAllocNode(node, graph, nullptr, 0, &params));
         *address = addressOf(params.dptr);
         return ok;
       },
       [](cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t behind, std::uint64_t address) {
         return passed(cuda::cudaGraphAddMemFreeNode(node, graph, &behind, 1,
                                                     reinterpret_cast<void *>(address)));
       }});
  all.push_back(
      {"cuGraphAddMemAllocNode",
       [](cudaGraphNode_t *node, cudaGraph_t graph, std::size_t bytes, std::uint64_t *address) {
         CUDA_MEM_ALLOC_NODE_PARAMS params{};
         onFirstDevice(params.poolProps);
         params.bytesize = bytes;
         const bool ok = passed(cuda::cuGraphAddMemAllocNode(node, graph, nullptr, 0, &params));
         *address = params.dptr;
         return ok;
       },
       [](cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t behind, std::uint64_t address) {
         return passed(cuda::cuGraphAddMemFreeNode(node, graph, &behind, 1, CUdeviceptr{address}));
       }});
  all.push_back(
      {"cudaGraphAddNode",
       [](cudaGraphNode_t *node, cudaGraph_t graph, std::size_t bytes, std::uint64_t *address) {
         cudaGraphNodeParams params{};
         params.type = cudaGraphNodeTypeMemAlloc;
         onFirstDevice(params.alloc.poolProps);
         params.alloc.bytesize = bytes;
         const bool ok = passed(cuda::cudaGraphAddNode(node, graph, nullptr, nullptr, 0, &params));
         *address = addressOf(params.alloc.dptr);
         return ok;
       },
       [](cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t behind, std::uint64_t address) {
         cudaGraphNodeParams params{};
         params.type = cudaGraphNodeTypeMemFree;
         params.free.dptr = reinterpret_cast<void *>(address);
         return passed(cuda::cudaGraphAddNode(node, graph, &behind, nullptr, 1, &params));
       }});
  all.push_back(
      {"cuGraphAddNode",
       [](cudaGraphNode_t *node, cudaGraph_t graph, std::size_t bytes, std::uint64_t *address) {
         CUgraphNodeParams params{};
         params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
         onFirstDevice(params.alloc.poolProps);
         params.alloc.bytesize = bytes;
         const bool ok = passed(cuda::cuGraphAddNode(node, graph, nullptr, nullptr, 0, &params));
         *address = params.alloc.dptr;
         return ok;
       },
       [](cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t behind, std::uint64_t address) {
         CUgraphNodeParams params{};
         params.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
         params.free.dptr = address;
         return passed(cuda::cuGraphAddNode(node, graph, &behind, nullptr, 1, &params));
       }});
  return all;
}

TEST(MemoryNodes, GiveGraphMemoryEvents) {
  for (const Form &form : forms()) {
    SCOPED_TRACE(form.name);
    cudaGraph_t graph = nullptr;
    CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
    cudaGraphNode_t allocated = nullptr, freed = nullptr;
    std::uint64_t address = 0;
    MemoryRecorder recorder;
    {
      GRAPHPROF_STEP(7);
      GRAPHPROF_SCOPE(1, "build", on_capture());
      ASSERT_TRUE(form.allocate(&allocated, graph, 4096, &address));
    }
    ASSERT_TRUE(form.free(&freed, graph, allocated, address));
    EXPECT_EQ(2u, nodeCount(graph));
    long long total = -1;
    const Events seen = recorder.all(&total);
    ASSERT_EQ(2u, seen.size());
    EXPECT_EQ("build", seen[0].path);
    EXPECT_GE(seen[0].step, 0);
    EXPECT_EQ((MemorySeen{"graph", 4096, address, "build", 0, seen[0].step}), seen[0]);
    EXPECT_EQ((MemorySeen{"graph", -4096, address, ""}), seen[1]);
    EXPECT_EQ(0, total);
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

TEST(MemoryNodes, UnaddedNodesGiveNone) {
  for (const Form &form : forms()) {
    SCOPED_TRACE(form.name);
    cudaGraph_t graph = nullptr;
    CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
    cudaGraphNode_t allocated = nullptr, freed = nullptr;
    std::uint64_t address = 0, none = 0;
    MemoryRecorder recorder;
    EXPECT_FALSE(form.allocate(&allocated, nullptr, 4096, &none));
    ASSERT_TRUE(form.allocate(&allocated, graph, 64, &address));
    EXPECT_FALSE(form.free(&freed, nullptr, allocated, address));
    ASSERT_TRUE(form.free(&freed, graph, allocated, address)) << "still there";
    EXPECT_EQ((Events{{"graph", 64, address, ""}, {"graph", -64, address, ""}}), recorder.all());
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

TEST(MemoryNodes, ProgramMayFreeTheirMemory) {
  for (const Form &form : forms()) {
    SCOPED_TRACE(form.name);
    TestStream stream;
    cudaGraph_t graph = nullptr;
    CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = nullptr;
    std::uint64_t address = 0;
    MemoryRecorder recorder;
    ASSERT_TRUE(form.allocate(&node, graph, 64, &address));
    const cudaGraphExec_t exec = instantiate(graph);
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
    CUDA_OK(cuda::cudaFreeAsync(reinterpret_cast<void *>(address), stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    EXPECT_EQ((Events{{"graph", 64, address, ""}, {"graph", -64, address, ""}}), recorder.all());
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

// Nodes of a graph that is destroyed stay counted. As what a capture allocates: nobody says that
// the graph's memory is gone with it.
TEST(MemoryNodes, DestroyedGraphsStayCounted) {
  TestStream stream;
  for (const bool captured : {true, false}) {
    cudaGraph_t graph = nullptr;
    std::uint64_t address = 0;
    MemoryRecorder recorder;
    if (captured) {
      void *memory = nullptr;
      graph = capture(stream, [&] { CUDA_OK(cuda::cudaMallocAsync(&memory, 64, stream)); });
      address = addressOf(memory);
    } else {
      cudaGraphNode_t node = nullptr;
      CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
      ASSERT_TRUE(forms()[0].allocate(&node, graph, 64, &address));
    }
    CUDA_OK(cuda::cudaGraphDestroy(graph));
    long long total = -1;
    EXPECT_EQ((Events{{"graph", 64, address, ""}}), recorder.all(&total));
    EXPECT_EQ(64, total);
  }
}

} // namespace
} // namespace graphprof::test
