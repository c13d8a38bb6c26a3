// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Helpers of the conformance tests. Each test states one rule of CUDA that graphprof relies on. The
// same sources are compiled by nvcc for a GPU and by clang for the simulation, and must not know
// which of the two they run on.

#ifndef GRAPHPROF_TEST_CONFORMANCE_H
#define GRAPHPROF_TEST_CONFORMANCE_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <chrono>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

inline void PrintTo(cudaError_t error, std::ostream *out) { *out << cudaGetErrorName(error); }

// Like EXPECT_EQ, but also shows the name of the CUDA error.
#define EXPECT_CUDA(EXPECTED, CALL) EXPECT_EQ(EXPECTED, (CALL))
#define ASSERT_CUDA(EXPECTED, CALL) ASSERT_EQ(EXPECTED, (CALL))
#define OK(CALL) ASSERT_EQ(cudaSuccess, (CALL))

namespace conformance {

// Occupies the device for about `ns` nanoseconds. SpinSim.cpp simulates it.
__global__ void spin(unsigned long long ns);

constexpr unsigned long long kShortNs = 20'000;
constexpr unsigned long long kLongNs = 50'000'000; // longer than the following host calls

inline void spinOn(cudaStream_t stream, unsigned long long ns = kShortNs) {
  spin<<<1, 1, 0, stream>>>(ns);
}

// Kernel node parameters for spin(ns); ns must outlive the call that takes them.
inline cudaKernelNodeParams spinParams(unsigned long long *ns, void **arguments) {
  arguments[0] = ns;
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void *>(spin);
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  params.kernelParams = arguments;
  return params;
}

// A CUDA handle that is destroyed at the end of its scope.
template <typename Handle, cudaError_t (*Destroy)(Handle)> class Owned {
public:
  Owned() = default;
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  ~Owned() {
    if (handle_)
      Destroy(handle_);
    cudaGetLastError();
  }
  operator Handle() const { return handle_; }
  Handle *operator&() { return &handle_; }
  Handle release() { return std::exchange(handle_, nullptr); }

private:
  Handle handle_ = nullptr;
};
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using Exec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

struct Stream : Owned<cudaStream_t, cudaStreamDestroy> {
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&*this, flags));
  }
};
struct Event : Owned<cudaEvent_t, cudaEventDestroy> {
  explicit Event(unsigned flags = cudaEventDefault) {
    EXPECT_EQ(cudaSuccess, cudaEventCreateWithFlags(&*this, flags));
  }
};

inline void onAnotherThread(auto &&body) { std::thread(body).join(); }

inline cudaError_t exchangeMode(cudaStreamCaptureMode mode) {
  return cudaThreadExchangeStreamCaptureMode(&mode);
}

// While an object of this class lives, its thread can make calls that could break a capture.
class Relaxed {
public:
  Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// A graph of count spins in a chain, captured.
inline void captureChain(cudaStream_t stream, cudaGraph_t *graph, int count,
                         unsigned long long ns = kShortNs) {
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < count; ++i)
    spinOn(stream, ns);
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, graph));
}

// The device time of one launch of the exec, measured by events around it.
inline float launchMs(cudaGraphExec_t exec, cudaStream_t stream) {
  Event start, end;
  float ms = -1;
  EXPECT_EQ(cudaSuccess, cudaEventRecord(start, stream));
  EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
  EXPECT_EQ(cudaSuccess, cudaEventRecord(end, stream));
  EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  EXPECT_EQ(cudaSuccess, cudaEventElapsedTime(&ms, start, end));
  return ms;
}

inline std::vector<cudaGraphNode_t> nodesOf(cudaGraph_t graph) {
  std::size_t count = 0;
  EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count)
    EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

inline cudaGraphNodeType typeOf(cudaGraphNode_t node) {
  cudaGraphNodeType type = cudaGraphNodeTypeCount;
  EXPECT_EQ(cudaSuccess, cudaGraphNodeGetType(node, &type));
  return type;
}

inline cudaStreamCaptureStatus captureStatus(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  return status;
}

// A function of the driver API by its exported name. Searches the loaded libraries first, as
// graphprof does.
template <typename Function> Function *driver(const char *name) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol)
    if (void *library = dlopen("libcuda.so.1", RTLD_NOW))
      symbol = dlsym(library, name);
  EXPECT_NE(nullptr, symbol) << name;
  return reinterpret_cast<Function *>(symbol);
}
#define STRINGIFY2(X) #X
#define STRINGIFY(X) STRINGIFY2(X)
#define DRIVER(NAME) conformance::driver<decltype(NAME)>(STRINGIFY(NAME))

// What came with a later CUDA than 12.3, the oldest that graphprof takes, has no rule on a driver
// that lacks it.
#define NEEDS_CUDA(MAJOR, MINOR)                                                                   \
  if (int version = 0;                                                                             \
      cudaDriverGetVersion(&version) != cudaSuccess || version < (MAJOR) * 1000 + (MINOR) * 10)    \
  GTEST_SKIP() << "the driver is older than CUDA " << (MAJOR) << "." << (MINOR)

// The base of all tests. Checks that they leave no error and no capture behind.
class Conformance : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaSuccess, cudaFree(nullptr)) << "no device";
    cudaGetLastError();
  }
  void TearDown() override {
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    cudaGetLastError();
  }
};

} // namespace conformance

#endif // GRAPHPROF_TEST_CONFORMANCE_H
