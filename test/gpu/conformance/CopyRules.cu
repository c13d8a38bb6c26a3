// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies of the runtime API: the bytes that the less common forms move, their units, and what they
// refuse.

#include "Copies.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the 1D copies to and from arrays

namespace conformance {
namespace {

struct CopyRules : Copies {};

TEST_F(CopyRules, ArrayCopyCountsElements) {
  // Where an array takes part, extents and all positions count elements.
  Array volume;
  OK(cudaMalloc3DArray(&volume, &real, make_cudaExtent(4, 3, 2)));
  const Bytes host = counted(96); // of the same extent: rows of 16, slices of 48
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char *>(host.data()), 16, 16, 3);
  in.dstArray = volume;
  in.extent = make_cudaExtent(4, 3, 2);
  in.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&in));

  Bytes result(96);
  cudaMemcpy3DParms out{};
  out.srcArray = volume;
  out.srcPos = make_cudaPos(1, 1, 1);
  out.dstPtr = make_cudaPitchedPtr(result.data(), 16, 16, 3);
  out.dstPos = make_cudaPos(2, 0, 1); // 8 bytes
  out.extent = make_cudaExtent(2, 2, 1);
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3DAsync(&out, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(host, 16, 4, 3 + 1, 8, 2), window(result, 16, 8, 3, 8, 2));
  EXPECT_EQ(80, std::count(result.begin(), result.end(), 0));
}

TEST_F(CopyRules, PointerCopyCountsBytes) {
  // Between pointers, extents count bytes.
  cudaMemcpy3DParms params{};
  params.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char *>(source.data()), 8, 8, 4);
  params.srcPos = make_cudaPos(1, 1, 1);
  params.dstPtr = make_cudaPitchedPtr(device, 8, 8, 4);
  params.extent = make_cudaExtent(3, 2, 1);
  params.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&params));
  EXPECT_EQ(window(source, 8, 1, 5, 3, 2), window(inDevice(), 8, 0, 0, 3, 2));
}

TEST_F(CopyRules, PlaneCopyOfArrayCountsBytes) {
  // Two-dimensional copies to and from arrays count bytes.
  OK(cudaMemcpy2DToArrayAsync(array, 4, 1, source.data(), 10, 8, 2, cudaMemcpyHostToDevice,
                              stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(source, 10, 0, 0, 8, 2), window(inArray(), kRow, 4, 1, 8, 2));
  Array other;
  OK(cudaMallocArray(&other, &real, 4, kRows));
  OK(cudaMemcpy2DArrayToArray(other, 0, 2, array, 4, 1, 8, 2));
  Bytes result(16);
  OK(cudaMemcpy2DFromArray(result.data(), 8, other, 0, 2, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(window(source, 10, 0, 0, 8, 2), result);
}

TEST_F(CopyRules, LineCopyEntersNextRow) {
  // A one-dimensional copy goes on in the array's next row.
  OK(cudaMemcpyToArray(array, 8, 0, source.data(), 44, cudaMemcpyHostToDevice));
  Bytes expected(kSize), result(44);
  std::copy_n(source.begin(), 44, expected.begin() + 8);
  EXPECT_EQ(expected, inArray());
  OK(cudaMemcpyFromArrayAsync(result.data(), array, 8, 0, 44, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(source, 44, 0, 0, 44, 1), result);
}

TEST_F(CopyRules, ArrayIsNotHostMemory) {
  // An array is not the host's.
  EXPECT_CUDA(
      cudaErrorInvalidMemcpyDirection,
      cudaMemcpy2DToArray(array, 0, 0, source.data(), kRow, kRow, kRows, cudaMemcpyHostToHost));
  auto params = hostToArray();
  params.kind = cudaMemcpyDefault;
  OK(cudaMemcpy3D(&params));
  EXPECT_EQ(source, inArray());
}

TEST_F(CopyRules, OverflowingArrayIsRefused) {
  // What does not fit an array is refused.
  const auto to = [&](std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
    return cudaMemcpy2DToArray(array, x, y, source.data(), kRow, width, height,
                               cudaMemcpyHostToDevice);
  };
  EXPECT_CUDA(cudaErrorInvalidValue, to(4, 0, kRow, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, to(0, 1, kRow, kRows));
  auto params = hostToArray();
  params.extent.width = 5;
  params.srcPtr.pitch = 20;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&params));
  params = hostToArray();
  params.dstPos.z = 1;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&params));
}

TEST_F(CopyRules, PlaneCopySplitsElements) {
  // Two-dimensional copies may move parts of elements.
  OK(cudaMemcpy2DToArray(array, 2, 0, source.data(), kRow, 7, 1, cudaMemcpyHostToDevice));
  Bytes expected(kSize);
  std::copy_n(source.begin(), 7, expected.begin() + 2);
  EXPECT_EQ(expected, inArray());
}

TEST_F(CopyRules, CopyEndsMustMatch) {
  // An end is one thing, and arrays have elements of one size.
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3DAsync(nullptr, stream));
  auto params = hostToArray();
  params.srcPtr.ptr = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&params));
  params = hostToArray();
  params.srcArray = array;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&params));
  const cudaChannelFormatDesc narrow =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  Array other;
  OK(cudaMallocArray(&other, &narrow, 4, kRows));
  params = hostToArray();
  params.srcPtr = {};
  params.srcArray = other;
  params.kind = cudaMemcpyDeviceToDevice;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&params));
}

TEST_F(CopyRules, WrongPitchHasOwnError) {
  // A wrong pitch and a wrong kind have errors of their own.
  EXPECT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2DToArray(array, 0, 0, source.data(), 8, kRow, 2, cudaMemcpyHostToDevice));
  const auto wrong = static_cast<cudaMemcpyKind>(77);
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy2DToArray(array, 0, 0, source.data(), kRow, kRow, 1, wrong));
  auto params = hostToArray();
  params.kind = wrong;
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&params));
}

TEST_F(CopyRules, NullIsInvalidValue) {
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 0, 0, nullptr, kRow, kRow, 1, cudaMemcpyHostToDevice));
}

TEST_F(CopyRules, CapturedArrayCopyUnits) {
  // A captured copy from an array is told in bytes by the driver and in elements by the runtime.
  fill();
  std::memset(pinned, 0, kSize);
  Graph graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaMemcpy2DFromArrayAsync(pinned, 8, array, 4, 1, 8, 2, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  const auto nodes = nodesOf(graph);
  ASSERT_EQ(1u, nodes.size());
  CUDA_MEMCPY3D copy{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphMemcpyNodeGetParams)(nodes[0], &copy));
  EXPECT_EQ(CU_MEMORYTYPE_ARRAY, copy.srcMemoryType);
  EXPECT_EQ(driverArray(), copy.srcArray);
  EXPECT_EQ(4u, copy.srcXInBytes);
  EXPECT_EQ(1u, copy.srcY);
  EXPECT_EQ(8u, copy.WidthInBytes);
  EXPECT_EQ(2u, copy.Height);
  EXPECT_EQ(1u, copy.Depth);
  cudaMemcpy3DParms inElements{};
  OK(cudaGraphMemcpyNodeGetParams(nodes[0], &inElements));
  EXPECT_EQ(static_cast<cudaArray_t>(array), inElements.srcArray);
  EXPECT_EQ(1u, inElements.srcPos.x);
  EXPECT_EQ(2u, inElements.extent.width);
  Graph rebuilt;
  Exec exec;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphCreate(&rebuilt, 0));
  CUcontext context = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuCtxGetCurrent)(&context));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphAddMemcpyNode)(&node, rebuilt, nullptr, 0, &copy, context));
  OK(cudaGraphInstantiate(&exec, rebuilt, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(source, kRow, 4, 1, 8, 2), Bytes(pinned, pinned + 16));
}

} // namespace
} // namespace conformance
