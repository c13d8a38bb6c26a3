// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program whose copies and allocations are made in C.

#include <string>
#include <vector>

#include "c/calls.h"
#include "graphprof/copies.h"
#include "graphprof/profile.h"
#include "graphprof/step.h"
#include "support/MemoryEvents.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

__device__ char table[64];

const void *symbolOf() { return reinterpret_cast<const void *>(&table); }

TEST(CMemory, StepsCopiesAreTimed) {
  // Copies to the device are timed inside a step.
  Recorder recorder;
  TestStream stream;
  void *device = nullptr;
  std::vector<char> host(100, 42);
  CUDA_OK(memoryCalls.allocate(&device, host.size()));
  const auto onDevice = reinterpret_cast<CUdeviceptr>(device);
  CUDA_OK(memoryCalls.copy(device, host.data(), 1, cudaMemcpyHostToDevice)); // outside of steps
  {
    GRAPHPROF_STEP(1);
    CUDA_OK(memoryCalls.copy(device, host.data(), 10, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copyAsync(device, host.data(), 11, cudaMemcpyHostToDevice, stream));
    CUDA_OK(memoryCalls.copy2D(device, 12, host.data(), 12, 6, 2, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copy2DAsync(device, 13, host.data(), 13, 13, 1, cudaMemcpyHostToDevice,
                                    stream));
    CUDA_OK(memoryCalls.copyToSymbol(symbolOf(), host.data(), 14, 0, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copyToSymbolAsync(symbolOf(), host.data(), 15, 0, cudaMemcpyHostToDevice,
                                          stream));
    CU_OK(memoryCalls.driverCopy(onDevice, host.data(), 16));
    CU_OK(memoryCalls.driverCopyAsync(onDevice, host.data(), 17, stream));
    // These are none:
    CUDA_OK(memoryCalls.copy(host.data(), device, 20, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue,
              memoryCalls.copy(nullptr, host.data(), 21, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, memoryCalls.driverCopy(0, host.data(), 22));
  }
  EXPECT_EQ((std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15, 16, 17}), copiedBytes(recorder));
  EXPECT_EQ(42, host[0]);
  CUDA_OK(memoryCalls.free(device));
}

TEST(CMemory, OtherCopiesAreTimed) {
  // Copies of other forms and directions are timed too.
  Recorder recorder;
  TestStream stream;
  void *device = nullptr;
  std::vector<char> host(100, 42);
  CUDA_OK(memoryCalls.allocate(&device, host.size()));
  const auto onDevice = reinterpret_cast<CUdeviceptr>(device);
  set_copies({CopyMode::Auto, true, false});
  {
    GRAPHPROF_STEP(1);
    cudaMemcpy3DParms block{};
    block.srcPtr = make_cudaPitchedPtr(host.data(), 10, 10, 2);
    block.dstPtr = make_cudaPitchedPtr(device, 10, 10, 2);
    block.extent = make_cudaExtent(5, 2, 1);
    block.kind = cudaMemcpyHostToDevice;
    CUDA_OK(memoryCalls.copy3D(&block));
    CUDA_OK(memoryCalls.copyFromSymbol(host.data(), symbolOf(), 11, 0, cudaMemcpyDeviceToHost));
    CU_OK(memoryCalls.driverCopyBack(host.data(), onDevice, 12));
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = CU_MEMORYTYPE_HOST;
    rows.srcHost = host.data();
    rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.dstDevice = onDevice;
    rows.srcPitch = rows.dstPitch = rows.WidthInBytes = 13;
    rows.Height = 1;
    CU_OK(memoryCalls.driverCopyRows(&rows, stream));
    EXPECT_EQ(cudaErrorInvalidValue, memoryCalls.copy3D(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  }
  set_copies({});
  std::vector<std::string> seen;
  for (const Seen &copy : recorder.all())
    seen.push_back(copy.name + " " + std::to_string(copy.context[0].as_unsigned()));
  EXPECT_EQ((std::vector<std::string>{"h2d 10", "d2h 11", "d2h 12", "h2d 13"}), seen);
  CUDA_OK(memoryCalls.free(device));
}

TEST(CMemory, CopiesAreChosenAsInCxx) {
  Recorder recorder;
  TestStream stream;
  void *device = nullptr;
  const std::vector<char> host(100, 42), other(100, 43);
  CUDA_OK(memoryCalls.allocate(&device, host.size()));
  const auto copy = [&](const void *source, std::size_t bytes) {
    CUDA_OK(memoryCalls.copyAsync(device, source, bytes, cudaMemcpyHostToDevice, stream));
  };
  const profile ending; // ends the last step
  stepCalls.setCopies({graphprof_copies_selective, 0, 0});
  copy(stepCalls.wrap(host.data()), 1); // in no step
  stepCalls.step();
  EXPECT_TRUE(in_step());
  copy(host.data(), 2);
  stepCalls.patchBegins();
  stepCalls.patchBegins();
  copy(host.data(), 3);
  stepCalls.patchEnds();
  copy(host.data(), 4);
  stepCalls.patchEnds();
  copy(host.data(), 5);
  stepCalls.patchEnds(); // there is none
  copy(host.data(), 6);
  stepCalls.setCopies({graphprof_copies_manual, 0, 0});
  stepCalls.patchBegins();
  copy(host.data(), 7);
  stepCalls.patchEnds();
  const void *const wrapped = stepCalls.wrap(host.data());
  EXPECT_EQ(host.data(), wrapped);
  copy(other.data(), 8);
  copy(wrapped, 9);
  copy(wrapped, 10);
  stepCalls.setCopies({graphprof_copies_auto, 1, 0});
  EXPECT_TRUE(copies().d2h);
  EXPECT_FALSE(copies().d2d);
  copy(host.data(), 11);
  set_copies({});
  EXPECT_EQ((std::vector<std::uint64_t>{3, 4, 9, 11}), copiedBytes(recorder));
  CUDA_OK(memoryCalls.free(device));
}

TEST(CMemory, ProgramsAllocationsWork) {
  // Every form of an allocation works as the program's own.
  TestStream stream;
  cudaMemPool_t pool = nullptr;
  CUDA_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  void *one = nullptr;
  CUdeviceptr two = 0;
  std::size_t pitch = 0;
  CUDA_OK(memoryCalls.allocateManaged(&one, 16, cudaMemAttachGlobal));
  CUDA_OK(memoryCalls.free(one));
  CUDA_OK(memoryCalls.allocatePitch(&one, &pitch, 100, 3));
  CUDA_OK(memoryCalls.free(one));
  CUDA_OK(memoryCalls.allocateAsync(&one, 16, stream));
  CUDA_OK(memoryCalls.freeAsync(one, stream));
  CUDA_OK(memoryCalls.allocateFromPool(&one, 16, pool, stream));
  CUDA_OK(memoryCalls.freeAsync(one, stream));
  CUDA_OK(memoryCalls.allocateHost(&one, 16));
  CUDA_OK(memoryCalls.freeHost(one));
  CUDA_OK(memoryCalls.hostAllocate(&one, 16, cudaHostAllocPortable));
  CUDA_OK(memoryCalls.freeHost(one));
  CUDA_OK(memoryCalls.free(nullptr));
  CU_OK(memoryCalls.driverAllocate(&two, 16));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocateManaged(&two, 16, 1));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocatePitch(&two, &pitch, 100, 3, 4));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocateAsync(&two, 16, stream));
  CU_OK(memoryCalls.driverFreeAsync(two, stream));
  CU_OK(memoryCalls.driverAllocateFromPool(&two, 16, pool, stream));
  CU_OK(memoryCalls.driverFreeAsync(two, stream));
  CU_OK(memoryCalls.driverAllocateHost(&one, 16));
  CU_OK(memoryCalls.driverFreeHost(one));
  CU_OK(memoryCalls.driverHostAllocate(&one, 16, CU_MEMHOSTALLOC_PORTABLE));
  CU_OK(memoryCalls.driverFreeHost(one));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, memoryCalls.driverAllocate(&two, 0));
  CUDA_OK(cudaStreamSynchronize(stream));
}

using Events = std::vector<MemorySeen>;

TEST(CMemory, VolumeCountsAskedBytes) {
  // The size of 3D memory is what was asked for.
  const cudaExtent extent = make_cudaExtent(8, 4, 2);
  cudaPitchedPtr pitched{};
  MemoryRecorder recorder;
  CUDA_OK(memoryCalls.allocate3D(&pitched, extent));
  const std::uint64_t at = addressOf(pitched.ptr);
  CUDA_OK(memoryCalls.free(pitched.ptr));
  EXPECT_EQ(cudaErrorInvalidValue, memoryCalls.allocate3D(nullptr, extent)); // this is none
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_EQ((Events{{"device", 64, at, ""}, {"device", -64, at, ""}}), recorder.all());
}

TEST(CMemory, NodesMemoryIsGraphs) {
  // Memory of nodes is counted to their graph.
  cudaGraph_t graph = nullptr;
  CUDA_OK(runtimeCalls.create(&graph, 0));
  cudaGraphNode_t node = nullptr;
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = 100;
  cudaGraphNodeParams adding{}, freeing{};
  adding.type = cudaGraphNodeTypeMemAlloc;
  adding.alloc.poolProps = params.poolProps;
  adding.alloc.bytesize = 200;
  freeing.type = cudaGraphNodeTypeMemFree;
  MemoryRecorder recorder;
  CUDA_OK(runtimeCalls.addAlloc(&node, graph, nullptr, 0, &params));
  CUDA_OK(runtimeCalls.addNode(&node, graph, nullptr, nullptr, 0, &adding));
  const std::uint64_t one = addressOf(params.dptr), two = addressOf(adding.alloc.dptr);
  // What fails is none:
  EXPECT_EQ(cudaErrorInvalidValue, runtimeCalls.addAlloc(&node, graph, nullptr, 0, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue,
            runtimeCalls.addNode(&node, graph, nullptr, nullptr, 0, nullptr));
  EXPECT_NE(cudaSuccess, runtimeCalls.addFree(&node, nullptr, nullptr, 0, params.dptr));
  EXPECT_NE(cudaSuccess, cudaGetLastError());
  freeing.free.dptr = params.dptr;
  EXPECT_NE(cudaSuccess, runtimeCalls.addNode(&node, nullptr, nullptr, nullptr, 0, &freeing));
  EXPECT_NE(cudaSuccess, cudaGetLastError());
  CUDA_OK(runtimeCalls.addNode(&node, graph, nullptr, nullptr, 0, &freeing));
  CUDA_OK(runtimeCalls.addFree(&node, graph, nullptr, 0, adding.alloc.dptr));
  EXPECT_EQ((Events{{"graph", 100, one, ""},
                    {"graph", 200, two, ""},
                    {"graph", -100, one, ""},
                    {"graph", -200, two, ""}}),
            recorder.all());
  CUDA_OK(runtimeCalls.destroyGraph(graph));
}

TEST(CMemory, DriverNodesMemoryIsGraphs) {
  // Memory of the driver's nodes is counted to their graph too.
  CUDA_OK(cudaFree(nullptr));
  CUgraph graph = nullptr;
  CU_OK(driverCalls.create(&graph, 0));
  CUgraphNode node = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = 100;
  CUgraphNodeParams adding{}, freeing{};
  adding.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  adding.alloc.poolProps = params.poolProps;
  adding.alloc.bytesize = 200;
  freeing.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  MemoryRecorder recorder;
  CU_OK(driverCalls.addAlloc(&node, graph, nullptr, 0, &params));
  CU_OK(driverCalls.addNode(&node, graph, nullptr, nullptr, 0, &adding));
  const std::uint64_t one = params.dptr, two = adding.alloc.dptr;
  // What fails is none:
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, driverCalls.addAlloc(&node, graph, nullptr, 0, nullptr));
  EXPECT_NE(CUDA_SUCCESS, driverCalls.addFree(&node, nullptr, nullptr, 0, params.dptr));
  freeing.free.dptr = params.dptr;
  EXPECT_NE(CUDA_SUCCESS, driverCalls.addNode(&node, nullptr, nullptr, nullptr, 0, &freeing));
  CU_OK(driverCalls.addNode(&node, graph, nullptr, nullptr, 0, &freeing));
  CU_OK(driverCalls.addFree(&node, graph, nullptr, 0, two));
  EXPECT_EQ((Events{{"graph", 100, one, ""},
                    {"graph", 200, two, ""},
                    {"graph", -100, one, ""},
                    {"graph", -200, two, ""}}),
            recorder.all());
  CU_OK(driverCalls.destroyGraph(graph));
}

TEST(CMemory, LastHolderFreesMapping) {
  // Memory that the program maps is freed by its last holder.
  CUDA_OK(cudaFree(nullptr));
  CUmemAllocationProp host{CU_MEM_ALLOCATION_TYPE_PINNED,
                           CU_MEM_HANDLE_TYPE_NONE,
                           {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0},
                           nullptr,
                           {}};
  std::size_t bytes = 0;
  CU_OK(cuMemGetAllocationGranularity(&bytes, &host, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr space = 0;
  CU_OK(cuMemAddressReserve(&space, bytes, 0, 0, 0));
  CUmemGenericAllocationHandle handle = 0, again = 0;
  MemoryRecorder recorder;
  CU_OK(mappedCalls.create(&handle, bytes, &host, 0));
  CU_OK(mappedCalls.map(space, bytes, 0, handle, 0));
  CU_OK(mappedCalls.retain(&again, reinterpret_cast<void *>(space)));
  CU_OK(mappedCalls.release(handle));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, mappedCalls.unmap(space, 0));
  {
    GRAPHPROF_SCOPE(1, "not yet", on_capture());
    CU_OK(mappedCalls.unmap(space, bytes));
  }
  CU_OK(mappedCalls.release(again));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, mappedCalls.create(nullptr, bytes, &host, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, mappedCalls.create(&handle, bytes, nullptr, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, mappedCalls.release(again));
  const auto size = static_cast<long long>(bytes);
  EXPECT_EQ((Events{{"host", size, again, "", -1}, {"host", -size, again, "", -1}}),
            recorder.all());
  CU_OK(cuMemAddressFree(space, bytes));
}

} // namespace
} // namespace graphprof::test
