// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Features of the simulation alone: chosen durations, kernel bodies, the virtual clock, injected
// failures, the timeline. test/gpu/conformance tests CUDA's own rules.

#include <cuda.h>
#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

__global__ void scale(float *data, float factor, int count) {
  for (int i = 0; i < count; ++i)
    data[i] *= factor;
}
template <typename T> __global__ void generic(T *) {}

struct DeviceTest : testing::Test {
  void SetUp() override {
    cudasim::reset();
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  void TearDown() override { cudasim::reset(); }

  cudaStream_t stream = nullptr;
};

// As with the driver: where memory is not there, write() fails.
TEST_F(DeviceTest, DeviceMemoryIsNotInForkedChild) {
  constexpr std::size_t bytes = 8192;
  void *const own =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *device = nullptr, *managed = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&device, bytes));
  ASSERT_EQ(cudaSuccess, cudaMallocManaged(&managed, bytes, cudaMemAttachGlobal));
  ASSERT_EQ(cudaSuccess, cudaMallocHost(&pinned, bytes));
  ASSERT_EQ(cudaSuccess, cudaHostRegister(own, bytes, cudaHostRegisterDefault));
  int ends[2]{};
  ASSERT_EQ(0, pipe(ends));
  const pid_t child = fork();
  if (child == 0) {
    int there = 0;
    for (const void *memory : {device, managed, pinned, own})
      there = there << 1 | (write(ends[1], memory, 1) == 1 ? 1 : 0);
    _exit(there);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(0b0011, WEXITSTATUS(status));
  close(ends[0]);
  close(ends[1]);
  ASSERT_EQ(cudaSuccess, cudaHostUnregister(own));
  munmap(own, bytes);
}

TEST_F(DeviceTest, KernelNamedBareQualifiedOrMangled) {
  cudasim::recordTimeline(true);
  cudasim::setKernelDuration("generic", 1'000);
  generic<int><<<1, 1, 0, stream>>>(nullptr);
  cudasim::setKernelDuration("(anonymous namespace)::generic<int>", 2'000);
  generic<int><<<1, 1, 0, stream>>>(nullptr);
  generic<float><<<1, 1, 0, stream>>>(nullptr);
  cudasim::setKernelDuration(generic<float>, 3'000);
  generic<float><<<1, 1, 0, stream>>>(nullptr);
  std::vector<std::uint64_t> durations;
  for (const auto &executed : cudasim::timeline())
    durations.push_back(executed.endNs - executed.startNs);
  EXPECT_EQ((std::vector<std::uint64_t>{1'000, 2'000, 1'000, 3'000}), durations);
}

TEST_F(DeviceTest, DefaultDurationIsStable) {
  // Default durations are a few microseconds, and the same each time.
  std::vector<std::uint64_t> durations;
  for (int run = 0; run < 2; ++run) {
    cudasim::reset();
    cudasim::recordTimeline(true);
    scale<<<1, 1>>>(nullptr, 1, 0);
    const auto executed = cudasim::timeline();
    ASSERT_EQ(1u, executed.size());
    durations.push_back(executed[0].endNs - executed[0].startNs);
  }
  EXPECT_EQ(durations[0], durations[1]);
  EXPECT_GE(durations[0], 2'000u);
  EXPECT_LE(durations[0], 6'000u);
}

TEST_F(DeviceTest, BodySeesParametersAndTime) {
  // A body runs with the parameters of its launch, and with its time.
  std::vector<std::uint64_t> starts;
  cudasim::registerKernel(
      scale,
      [&](void **params, std::uint64_t startNs, std::uint64_t endNs) {
        auto *data = *static_cast<float **>(params[0]);
        for (int i = 0; i < *static_cast<int *>(params[2]); ++i)
          data[i] *= *static_cast<float *>(params[1]);
        EXPECT_EQ(700u, endNs - startNs);
        starts.push_back(startNs);
      },
      700);
  float *data = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&data, 2 * sizeof(float)));
  const float ones[] = {1, 1};
  ASSERT_EQ(cudaSuccess, cudaMemcpy(data, ones, sizeof(ones), cudaMemcpyHostToDevice));
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (float factor : {2.f, 3.f})
    scale<<<1, 1, 0, stream>>>(data, factor, 2); // copied at capture
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
  float result[2];
  ASSERT_EQ(cudaSuccess, cudaMemcpyAsync(result, data, sizeof(result), cudaMemcpyDefault, stream));
  ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  EXPECT_EQ(6, result[1]);
  ASSERT_EQ(2u, starts.size());
  EXPECT_EQ(700u, starts[1] - starts[0]);
  cudasim::registerKernel(scale, nullptr);
}

TEST_F(DeviceTest, NodesNameTheirKernelsAsChosen) {
  const auto *const symbol = reinterpret_cast<const void *>(scale);
  cudaFunction_t function = nullptr;
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cudaSuccess, cudaGetFuncBySymbol(&function, symbol));
  ASSERT_EQ(cudaSuccess, cudaGetKernel(&kernel, symbol));
  CUfunction ofKernel = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuKernelGetFunction(&ofKernel, kernel));
  EXPECT_EQ(function, ofKernel);
  CUmodule module = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuFuncGetModule(&module, function));

  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  scale<<<1, 1, 0, stream>>>(nullptr, 1, 0);
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t node = nullptr;
  size_t count = 1;
  ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(graph, &node, &count));
  const auto params = [&](cudasim::KernelHandle handle) {
    cudasim::setKernelHandles(handle);
    CUDA_KERNEL_NODE_PARAMS_v2 read{};
    EXPECT_EQ(CUDA_SUCCESS, cuGraphKernelNodeGetParams_v2(node, &read));
    return read;
  };
  const auto moduleOf = [](CUfunction of) {
    CUmodule found = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuFuncGetModule(&found, of));
    return found;
  };
  const auto nameOf = [](CUfunction of) {
    const char *found = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuFuncGetName(&found, of));
    return std::string(found);
  };
  using enum cudasim::KernelHandle;
  EXPECT_EQ(function, params(Function).func);
  EXPECT_EQ(nullptr, params(Kernel).func);
  EXPECT_EQ(kernel, params(Kernel).kern);
  const CUfunction other = params(OtherFunction).func, elsewhere = params(OtherModule).func;
  EXPECT_TRUE(other != function && elsewhere != function && other != elsewhere);
  EXPECT_EQ(module, moduleOf(other));
  EXPECT_NE(module, moduleOf(elsewhere));
  EXPECT_EQ(nameOf(function), nameOf(other));
  EXPECT_EQ(nameOf(function), nameOf(elsewhere));
  EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

TEST_F(DeviceTest, LibraryGivesKernelsAndGlobals) {
  // A library gives kernels, and globals that are zeroed, by name.
  unsigned seen = 0;
  cudasim::registerKernel(
      "some_stamp", {sizeof(unsigned)},
      [&](void **params, std::uint64_t, std::uint64_t) {
        seen = *static_cast<unsigned *>(params[0]);
      },
      150);
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr global = 0;
  size_t bytes = 0;
  ASSERT_EQ(CUDA_SUCCESS,
            cuLibraryLoadData(&library, "any", nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLibraryGetKernel(&kernel, library, "some_stamp"));
  ASSERT_EQ(CUDA_SUCCESS, cuKernelGetFunction(&function, kernel));
  ASSERT_EQ(CUDA_SUCCESS, cuLibraryGetGlobal(&global, &bytes, library, "controls"));
  EXPECT_EQ(std::size_t{4} << 20, bytes);
  EXPECT_EQ(0, *reinterpret_cast<char *>(global));
  unsigned value = 42;
  void *params[] = {&value};
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr));
  EXPECT_EQ(42u, seen);
  EXPECT_EQ(CUDA_SUCCESS, cuLibraryUnload(library));
  EXPECT_NE(CUDA_SUCCESS, cuLibraryGetKernel(&kernel, library, "some_stamp"));
}

TEST_F(DeviceTest, SynchronisingMovesTheClock) {
  // Only synchronising and the cost of calls move the clock.
  cudasim::setCallCost(10);
  cudasim::setKernelDuration("scale", 1'000'000);
  const auto before = cudasim::nowNs();
  scale<<<1, 1, 0, stream>>>(nullptr, 1, 0);
  const auto launched = cudasim::nowNs();
  EXPECT_LE(launched - before, 20u);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  EXPECT_GE(cudasim::nowNs() - before, 1'000'000u);
  cudasim::advanceNs(500);
  EXPECT_GE(cudasim::nowNs() - before, 1'000'500u);
}

TEST_F(DeviceTest, PollingEndsBecauseEachCallCosts) {
  scale<<<1, 1, 0, stream>>>(nullptr, 1, 0);
  int polls = 0;
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    ++polls;
  EXPECT_GT(polls, 1);
  EXPECT_LT(polls, 1'000);
}

TEST_F(DeviceTest, PollingMovesOwnClockOnly) {
  // Another thread's polling does not move this thread's clock.
  const auto before = cudasim::nowNs();
  std::thread([] {
    for (int i = 0; i < 100; ++i)
      cudaStreamQuery(nullptr);
  }).join();
  EXPECT_EQ(before, cudasim::nowNs());
}

TEST_F(DeviceTest, CompletionIsSeenByAllThreads) {
  // What one thread saw completed is completed for all.
  cudaEvent_t event;
  ASSERT_EQ(cudaSuccess, cudaEventCreate(&event));
  std::promise<void> recorded, synchronised;
  cudaError_t seen = cudaErrorUnknown;
  std::thread other([&] { // its clock is behind
    cudaFree(nullptr);
    recorded.get_future().wait();
    synchronised.get_future().wait();
    seen = cudaEventQuery(event);
  });
  scale<<<1, 1, 0, stream>>>(nullptr, 1, 0);
  ASSERT_EQ(cudaSuccess, cudaEventRecord(event, stream));
  recorded.set_value();
  ASSERT_EQ(cudaSuccess, cudaEventSynchronize(event));
  synchronised.set_value();
  other.join();
  EXPECT_EQ(cudaSuccess, seen);
}

TEST_F(DeviceTest, NthCallFails) {
  // The call of the given number fails, and does nothing.
  cudasim::failCall("cudaMalloc", 2, cudaErrorMemoryAllocation);
  void *pointers[3] = {};
  EXPECT_EQ(cudaSuccess, cudaMalloc(&pointers[0], 16));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&pointers[1], 16));
  EXPECT_EQ(nullptr, pointers[1]);
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT_EQ(cudaSuccess, cudaMalloc(&pointers[2], 16));
  EXPECT_EQ(3u, cudasim::callCount("cudaMalloc"));
}

TEST_F(DeviceTest, DriverFailureSparesRuntimeCall) {
  // A failure of a driver call is no failure of the runtime's call.
  cudasim::failCall("cuGraphCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuGraphCreate(&graph, 0));
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST_F(DeviceTest, StaleHandlesAreRefused) {
  cudaEvent_t event;
  cudaGraph_t graph;
  ASSERT_EQ(cudaSuccess, cudaEventCreate(&event));
  ASSERT_EQ(cudaSuccess, cudaEventDestroy(event));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventRecord(event, stream));
  ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphDestroy(graph));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}

TEST_F(DeviceTest, BranchDoesNotDelayOther) {
  cudasim::recordTimeline(true);
  cudasim::setKernelDuration("scale", 5'000);
  cudasim::setKernelDuration("generic", 100);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t first, side, second;
  float *data = nullptr;
  float factor = 1;
  int count = 0;
  void *arguments[] = {&data, &factor, &count};
  cudaKernelNodeParams params{(void *)scale, dim3(1), dim3(1), 0, arguments, nullptr};
  cudaKernelNodeParams sideParams{(void *)generic<int>, dim3(1), dim3(1), 0, arguments, nullptr};
  ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  ASSERT_EQ(cudaSuccess, cudaGraphAddKernelNode(&side, graph, &first, 1, &sideParams));
  ASSERT_EQ(cudaSuccess, cudaGraphAddKernelNode(&second, graph, &first, 1, &params));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
  const auto executed = cudasim::timeline();
  ASSERT_EQ(4u, executed.size());
  EXPECT_EQ(executed[0].endNs, executed[1].startNs);
  EXPECT_EQ(executed[0].endNs, executed[2].startNs);
  EXPECT_EQ("graph", executed[3].name);
  EXPECT_EQ(10'000u, executed[3].endNs - executed[3].startNs);
}

// A launch that may overlap with the last kernel before it.
void launchOverlapping(cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(cudaSuccess, cudaLaunchKernelEx(&config, scale, static_cast<float *>(nullptr), 1.f, 0));
}

TEST_F(DeviceTest, KernelWaitsOrTriggers) {
  // Whether a kernel waits and whether it triggers are said apart.
  cudasim::setKernelDuration("scale", 5'000);
  const auto secondOfThree = [&](cudasim::Overlap overlap) {
    cudasim::setKernelOverlap("scale", overlap);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 3; ++i)
      launchOverlapping(stream);
    EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    cudasim::recordTimeline(true);
    EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
    const auto executed = cudasim::timeline();
    cudasim::setKernelOverlap("scale", {});
    return std::pair(executed[1].startNs - executed[0].startNs,
                     executed[2].endNs - executed[0].startNs);
  };
  using Times = std::pair<std::uint64_t,
                          std::uint64_t>; // the begin of the second kernel, the end of the third
  EXPECT_EQ(Times(0, 15'000), secondOfThree({}));
  EXPECT_EQ(Times(0, 5'000), secondOfThree({.waits = false, .triggers = true}));
  EXPECT_EQ(Times(5'000, 15'000), secondOfThree({.waits = true, .triggers = false}));
}

} // namespace
