// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each form of a copy moves its bytes, takes time, and can be made to fail. test/gpu/conformance
// tests which copies CUDA refuses.

#include <cuda.h>
#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the 1D copies to and from arrays

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kRow = 16, kRows = 4, kSize = kRow * kRows; // 4 floats a row

#define STRINGIFY2(X) #X
#define STRINGIFY(X) STRINGIFY2(X)
// A form: its exported name, its target, and a call of it.
#define FORM(NAME, TARGET, ...)                                                                    \
  Form {                                                                                           \
    STRINGIFY(NAME), Target::TARGET, [=, this] { return int(NAME(__VA_ARGS__)); }                  \
  }

enum class Target { Host, Device, Array, Line };

struct Form {
  std::string name;
  Target target;
  std::function<int()> copy;
};

struct CopyTest : testing::Test {
  void SetUp() override {
    cudasim::reset();
    std::iota(bytes.begin(), bytes.end(), 1);
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (auto **pointer : {&fromDevice, &toDevice})
      ASSERT_EQ(cudaSuccess, cudaMalloc(pointer, kSize));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(fromDevice, bytes.data(), kSize, cudaMemcpyHostToDevice));
    for (auto *array : {&fromArray, &toArray})
      ASSERT_EQ(cudaSuccess, cudaMallocArray(array, &real, 4, kRows));
    for (auto *line : {&fromLine, &toLine})
      ASSERT_EQ(cudaSuccess, cudaMallocArray(line, &real, kSize / 4));
    set(fromArray, kRow, kRows, bytes);
    set(fromLine, kSize, 1, bytes);
    clear();
  }
  void TearDown() override { cudasim::reset(); }

  static void set(cudaArray_t array, size_t width, size_t height, const Bytes &value) {
    ASSERT_EQ(cudaSuccess, cudaMemcpy2DToArray(array, 0, 0, value.data(), width, width, height,
                                               cudaMemcpyHostToDevice));
  }
  static Bytes get(cudaArray_t array, size_t width, size_t height) {
    Bytes value(width * height);
    EXPECT_EQ(cudaSuccess, cudaMemcpy2DFromArray(value.data(), width, array, 0, 0, width, height,
                                                 cudaMemcpyDeviceToHost));
    return value;
  }
  void clear() {
    const Bytes none(kSize);
    toHost = none;
    std::fill_n(toDevice, kSize, 0);
    set(toArray, kRow, kRows, none);
    set(toLine, kSize, 1, none);
  }
  Bytes at(Target target) const {
    switch (target) {
    case Target::Host:
      return toHost;
    case Target::Device:
      return {toDevice, toDevice + kSize};
    case Target::Array:
      return get(toArray, kRow, kRows);
    case Target::Line:
      return get(toLine, kSize, 1);
    }
    return {};
  }

  static CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
  static CUarray driver(cudaArray_t array) { return reinterpret_cast<CUarray>(array); }

  cudaMemcpy3DParms *hostToArray() {
    params3D = {};
    params3D.srcPtr = make_cudaPitchedPtr(bytes.data(), kRow, kRow, kRows);
    params3D.dstArray = toArray;
    params3D.extent = make_cudaExtent(4, kRows, 1);
    params3D.kind = cudaMemcpyHostToDevice;
    return &params3D;
  }
  CUDA_MEMCPY2D *hostToArray2D() {
    driver2D = {};
    driver2D.srcMemoryType = CU_MEMORYTYPE_HOST;
    driver2D.srcHost = bytes.data();
    driver2D.srcPitch = kRow;
    driver2D.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    driver2D.dstArray = driver(toArray);
    driver2D.WidthInBytes = kRow;
    driver2D.Height = kRows;
    return &driver2D;
  }
  CUDA_MEMCPY3D *arrayToDevice3D() {
    driver3D = {};
    driver3D.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    driver3D.srcArray = driver(fromArray);
    driver3D.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    driver3D.dstDevice = address(toDevice);
    driver3D.dstPitch = kRow;
    driver3D.WidthInBytes = kRow;
    driver3D.Height = kRows;
    driver3D.Depth = 1;
    return &driver3D;
  }

  std::vector<Form> synchronous() {
    const auto in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
    return {
        FORM(cudaMemcpy3D, Array, hostToArray()),
        FORM(cudaMemcpy2DToArray, Array, toArray, 0, 0, bytes.data(), kRow, kRow, kRows, in),
        FORM(cudaMemcpy2DFromArray, Host, toHost.data(), kRow, fromArray, 0, 0, kRow, kRows, out),
        FORM(cudaMemcpy2DArrayToArray, Array, toArray, 0, 0, fromArray, 0, 0, kRow, kRows),
        FORM(cudaMemcpyToArray, Array, toArray, 0, 0, bytes.data(), kSize, in),
        FORM(cudaMemcpyFromArray, Host, toHost.data(), fromArray, 0, 0, kSize, out),
        FORM(cudaMemcpyArrayToArray, Array, toArray, 0, 0, fromArray, 0, 0, kSize),
        FORM(cuMemcpy, Device, address(toDevice), address(fromDevice), kSize),
        FORM(cuMemcpyHtoD, Device, address(toDevice), bytes.data(), kSize),
        FORM(cuMemcpyDtoH, Host, toHost.data(), address(fromDevice), kSize),
        FORM(cuMemcpyDtoD, Device, address(toDevice), address(fromDevice), kSize),
        FORM(cuMemcpyHtoA, Line, driver(toLine), 0, bytes.data(), kSize),
        FORM(cuMemcpyAtoH, Host, toHost.data(), driver(fromLine), 0, kSize),
        FORM(cuMemcpyDtoA, Line, driver(toLine), 0, address(fromDevice), kSize),
        FORM(cuMemcpyAtoD, Device, address(toDevice), driver(fromLine), 0, kSize),
        FORM(cuMemcpyAtoA, Line, driver(toLine), 0, driver(fromLine), 0, kSize),
        FORM(cuMemcpy2D, Array, hostToArray2D()),
        FORM(cuMemcpy2DUnaligned, Array, hostToArray2D()),
        FORM(cuMemcpy3D, Device, arrayToDevice3D()),
    };
  }
  std::vector<Form> asynchronous() {
    const auto in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
    return {
        FORM(cudaMemcpy3DAsync, Array, hostToArray(), stream),
        FORM(cudaMemcpy2DToArrayAsync, Array, toArray, 0, 0, bytes.data(), kRow, kRow, kRows, in,
             stream),
        FORM(cudaMemcpy2DFromArrayAsync, Host, toHost.data(), kRow, fromArray, 0, 0, kRow, kRows,
             out, stream),
        FORM(cudaMemcpyToArrayAsync, Array, toArray, 0, 0, bytes.data(), kSize, in, stream),
        FORM(cudaMemcpyFromArrayAsync, Host, toHost.data(), fromArray, 0, 0, kSize, out, stream),
        FORM(cuMemcpyAsync, Device, address(toDevice), address(fromDevice), kSize, stream),
        FORM(cuMemcpyHtoDAsync, Device, address(toDevice), bytes.data(), kSize, stream),
        FORM(cuMemcpyDtoHAsync, Host, toHost.data(), address(fromDevice), kSize, stream),
        FORM(cuMemcpyDtoDAsync, Device, address(toDevice), address(fromDevice), kSize, stream),
        FORM(cuMemcpyHtoAAsync, Line, driver(toLine), 0, bytes.data(), kSize, stream),
        FORM(cuMemcpyAtoHAsync, Host, toHost.data(), driver(fromLine), 0, kSize, stream),
        FORM(cuMemcpy2DAsync, Array, hostToArray2D(), stream),
        FORM(cuMemcpy3DAsync, Device, arrayToDevice3D(), stream),
    };
  }
  // One copy each, so that a batch has the same effects as the others.
  std::vector<Form> batches() {
    return {
        Form{"cudaMemcpyBatchAsync", Target::Device,
             [this] {
               void *dst = toDevice;
               const void *src = bytes.data();
               cudaMemcpyAttributes attributes{};
               attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
               size_t size = kSize, first = 0;
               return int(
                   cudaMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, stream));
             }},
        Form{STRINGIFY(cuMemcpyBatchAsync), Target::Device,
             [this] {
               CUdeviceptr dst = address(toDevice), src = address(fromDevice);
               CUmemcpyAttributes attributes{};
               attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
               size_t size = kSize, first = 0;
               return int(cuMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, stream));
             }},
    };
  }

  void expectMoves(const Form &form, bool waits) {
    SCOPED_TRACE(form.name);
    clear();
    cudasim::failCall(form.name, 1, cudaErrorUnknown);
    EXPECT_EQ(cudaErrorUnknown, form.copy());
    EXPECT_EQ(Bytes(kSize), at(form.target));
    cudasim::recordTimeline(true);
    const auto before = cudasim::nowNs();
    EXPECT_EQ(cudaSuccess, form.copy());
    const auto after = cudasim::nowNs();
    const auto executed = cudasim::timeline();
    cudasim::recordTimeline(false);
    EXPECT_EQ(bytes, at(form.target));
    ASSERT_EQ(1u, executed.size());
    EXPECT_EQ("memcpy", executed[0].name);
    EXPECT_GT(after, before);
    if (waits)
      EXPECT_GE(after, executed[0].endNs);
    else
      EXPECT_LT(after, executed[0].endNs);
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  }

  const cudaChannelFormatDesc real = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaStream_t stream = nullptr;
  Bytes bytes = Bytes(kSize), toHost = Bytes(kSize);
  unsigned char *fromDevice = nullptr, *toDevice = nullptr;
  cudaArray_t fromArray = nullptr, toArray = nullptr; // of kRows rows
  cudaArray_t fromLine = nullptr, toLine = nullptr;
  cudaMemcpy3DParms params3D{};
  CUDA_MEMCPY2D driver2D{};
  CUDA_MEMCPY3D driver3D{};
};

TEST_F(CopyTest, SynchronousCopyIsWaitedFor) {
  for (const Form &form : synchronous())
    expectMoves(form, true);
}

TEST_F(CopyTest, AsynchronousCopyUsesItsStream) {
  // An asynchronous copy moves its bytes in its stream.
  for (const Form &form : asynchronous())
    expectMoves(form, false);
  for (const Form &form : batches())
    expectMoves(form, false);
}

TEST_F(CopyTest, CapturedCopyIsNode) {
  // A captured copy is a node that moves the bytes.
  for (const Form &form : asynchronous()) {
    SCOPED_TRACE(form.name);
    clear();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(cudaSuccess, form.copy());
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    EXPECT_EQ(Bytes(kSize), at(form.target));
    size_t nodes = 0;
    EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(1u, nodes);
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
    EXPECT_EQ(bytes, at(form.target));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  }
}

TEST_F(CopyTest, CopyStartsBehindStreamsWork) {
  // A copy starts when the stream's work before it ends.
  for (const Form &form : asynchronous()) {
    SCOPED_TRACE(form.name);
    cudasim::recordTimeline(true);
    ASSERT_EQ(cudaSuccess, cudaMemsetAsync(toDevice, 0, kSize, stream));
    EXPECT_EQ(cudaSuccess, form.copy());
    const auto executed = cudasim::timeline();
    cudasim::recordTimeline(false);
    ASSERT_EQ(2u, executed.size());
    EXPECT_EQ(executed[0].endNs, executed[1].startNs);
  }
}

// A one-dimensional copy is one for each run of like rows. Half a row, two whole ones, half a row.
TEST_F(CopyTest, LikeRowsAreOneCopy) {
  clear();
  cudasim::recordTimeline(true);
  ASSERT_EQ(cudaSuccess, cudaMemcpyToArrayAsync(toArray, 8, 0, bytes.data(), 48,
                                                cudaMemcpyHostToDevice, stream));
  EXPECT_EQ(3u, cudasim::timeline().size());
  cudasim::recordTimeline(false);
  Bytes expected(kSize);
  std::copy_n(bytes.begin(), 48, expected.begin() + 8);
  EXPECT_EQ(expected, at(Target::Array));
}

TEST_F(CopyTest, CopiesBetweenArraysOfUnlikeWidths) {
  cudaArray_t narrow = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMallocArray(&narrow, &real, 3, 4)); // rows of 12 bytes
  ASSERT_EQ(cudaSuccess, cudaMemcpyArrayToArray(narrow, 4, 0, fromArray, 8, 0, 40));
  const Bytes result = get(narrow, 12, 4);
  EXPECT_TRUE(std::equal(result.begin() + 4, result.begin() + 44, bytes.begin() + 8));
  EXPECT_EQ(0, result[3]);
  EXPECT_EQ(0, result[44]);
}

} // namespace
