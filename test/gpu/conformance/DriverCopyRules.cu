// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies of the driver API: the bytes that each form moves between which kinds of memory, and what
// it refuses.

#include "Copies.h"

namespace conformance {
namespace {

struct DriverCopyRules : Copies {
  CUDA_MEMCPY2D copy{}; // all of the host's bytes to the array

  DriverCopyRules() {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = source.data();
    copy.srcPitch = kRow;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = driverArray();
    copy.WidthInBytes = kRow;
    copy.Height = kRows;
  }
  void expectInvalid() const {
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy2D)(&copy));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy2DAsync)(&copy, stream));
  }
};

TEST_F(DriverCopyRules, PlainCopiesWorkBothWays) {
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyHtoD)(address(device), source.data(), kSize));
  EXPECT_EQ(source, inDevice());
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyDtoHAsync)(pinned, address(device), kSize, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(source, Bytes(pinned, pinned + kSize));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy)(address(device + 8), address(pinned), 8));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyAsync)(address(pinned + 32), address(device), 16, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(source, 8, 0, 0, 8, 1), Bytes(pinned + 40, pinned + 48));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyDtoD)(address(device), address(device + 32), 8));
  EXPECT_EQ(window(source, 8, 0, 4, 8, 1), window(inDevice(), 8, 0, 0, 8, 1));
}

TEST_F(DriverCopyRules, LineOfArrayCountsBytes) {
  // Copies of a line of an array count bytes.
  Array line;
  OK(cudaMallocArray(&line, &real, 8));
  const auto driverLine = reinterpret_cast<CUarray>(static_cast<cudaArray_t>(line));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyHtoA)(driverLine, 8, source.data(), 16));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyAtoD)(address(device), driverLine, 8, 16));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyDtoA)(driverLine, 0, address(device + 8), 8));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyAtoA)(driverLine, 28, driverLine, 0, 4));
  Bytes result(32), expected(32);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyAtoH)(result.data(), driverLine, 0, 28));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyAtoHAsync)(result.data() + 28, driverLine, 28, 4, stream));
  OK(cudaStreamSynchronize(stream));
  std::copy_n(source.begin() + 8, 8, expected.begin());
  std::copy_n(source.begin(), 16, expected.begin() + 8);
  std::copy_n(source.begin() + 8, 4, expected.begin() + 28);
  EXPECT_TRUE(std::equal(result.begin(), result.begin() + 24, expected.begin()));
  EXPECT_TRUE(std::equal(result.begin() + 28, result.end(), expected.begin() + 28));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpyHtoA)(driverLine, 20, source.data(), 16));
}

// A two-dimensional copy takes each type of memory. All pairs of memory types. One has the counted
// bytes and the other gets them.
TEST_F(DriverCopyRules, PlaneCopyTakesEveryMemoryType) {
  const CUmemorytype types[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY,
                                CU_MEMORYTYPE_UNIFIED};
  fill();
  unsigned char *target = nullptr;
  OK(cudaMalloc(&target, kSize));
  Array targetArray;
  OK(cudaMallocArray(&targetArray, &real, 4, kRows));
  for (const CUmemorytype from : types)
    for (const CUmemorytype to : types) {
      SCOPED_TRACE(testing::Message() << "from " << from << " to " << to);
      const Bytes none(kSize);
      Bytes host = none;
      OK(cudaMemset(target, 0, kSize));
      OK(cudaMemcpy2DToArray(targetArray, 0, 0, none.data(), kRow, kRow, kRows,
                             cudaMemcpyHostToDevice));
      copy = {};
      copy.srcMemoryType = from;
      if (from == CU_MEMORYTYPE_HOST)
        copy.srcHost = source.data();
      else if (from == CU_MEMORYTYPE_ARRAY)
        copy.srcArray = driverArray();
      else
        copy.srcDevice = address(from == CU_MEMORYTYPE_UNIFIED ? pinned : device);
      copy.srcPitch = kRow;
      copy.srcXInBytes = 4;
      copy.srcY = 1;
      copy.dstMemoryType = to;
      if (to == CU_MEMORYTYPE_HOST)
        copy.dstHost = host.data();
      else if (to == CU_MEMORYTYPE_ARRAY)
        copy.dstArray = reinterpret_cast<CUarray>(static_cast<cudaArray_t>(targetArray));
      else
        copy.dstDevice = address(target);
      copy.dstPitch = kRow;
      copy.dstXInBytes = 8;
      copy.WidthInBytes = 8;
      copy.Height = 2;
      EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy2DUnaligned)(&copy));
      if (to == CU_MEMORYTYPE_ARRAY)
        OK(cudaMemcpy2DFromArray(host.data(), kRow, targetArray, 0, 0, kRow, kRows,
                                 cudaMemcpyDeviceToHost));
      else if (to != CU_MEMORYTYPE_HOST)
        OK(cudaMemcpy(host.data(), target, kSize, cudaMemcpyDeviceToHost));
      EXPECT_EQ(window(source, kRow, 4, 1, 8, 2), window(host, kRow, 8, 0, 8, 2));
      EXPECT_EQ(kSize - 16, static_cast<std::size_t>(std::count(host.begin(), host.end(), 0)));
    }
  OK(cudaFree(target));
}

TEST_F(DriverCopyRules, HeightsSpaceTheSlices) {
  // Slices are as far apart as the heights say.
  CUDA_MEMCPY3D volume{};
  volume.srcMemoryType = CU_MEMORYTYPE_HOST;
  volume.srcHost = source.data();
  volume.srcPitch = 8;
  volume.srcHeight = 4;
  volume.srcY = 1;
  volume.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  volume.dstDevice = address(device);
  volume.dstPitch = 4;
  volume.dstHeight = 3;
  volume.WidthInBytes = 3;
  volume.Height = 2;
  volume.Depth = 2;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy3D)(&volume));
  const Bytes result = inDevice();
  EXPECT_EQ(window(source, 8, 0, 1, 3, 2), window(result, 4, 0, 0, 3, 2));
  EXPECT_EQ(window(source, 8, 0, 5, 3, 2), window(result, 4, 0, 3, 3, 2));
}

TEST_F(DriverCopyRules, VolumeCopyCountsBytes) {
  // A three-dimensional copy counts bytes, also in arrays.
  fill();
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = driverArray();
  copy.srcXInBytes = 4;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pinned;
  copy.dstPitch = 8;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  copy.Depth = 1;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy3DAsync)(&copy, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(window(source, kRow, 4, 1, 8, 2), Bytes(pinned, pinned + 16));
}

TEST_F(DriverCopyRules, NullIsInvalidValue) {
  // A null pointer or struct is an invalid value.
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy)(0, address(device), 8));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpyDtoH)(nullptr, address(device), 8));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            DRIVER(cuMemcpyDtoHAsync)(nullptr, address(device), 8, stream));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpyHtoA)(driverArray(), 0, nullptr, 4));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy2D)(nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy3DAsync)(nullptr, stream));
}

TEST_F(DriverCopyRules, MissingPitchIsWidth) {
  copy.srcPitch = 0;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy2D)(&copy));
  EXPECT_EQ(source, inArray());
}

TEST_F(DriverCopyRules, PitchHoldsWholeRow) {
  // A pitch that is given holds a row.
  copy.srcPitch = 12;
  expectInvalid();
}

TEST_F(DriverCopyRules, MemoryTypeIsOneOfFour) {
  copy.srcMemoryType = static_cast<CUmemorytype>(9);
  expectInvalid();
}

TEST_F(DriverCopyRules, RegionMustFitArray) {
  copy.dstY = 1;
  expectInvalid();
  copy.dstY = 0;
  copy.dstXInBytes = 4;
  expectInvalid();
}

TEST_F(DriverCopyRules, PositionMaySplitElement) {
  // A position in an array may be within an element.
  copy.WidthInBytes = 4;
  copy.dstXInBytes = 2;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy2D)(&copy));
  Bytes expected(kSize);
  for (std::size_t row = 0; row < copy.Height; ++row)
    std::copy_n(source.begin() + row * copy.srcPitch, 4, expected.begin() + row * kRow + 2);
  EXPECT_EQ(expected, inArray());
}

TEST_F(DriverCopyRules, LevelOfDetailIsRefused) {
  // An array has no levels of detail to copy.
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = CU_MEMORYTYPE_HOST;
  params.srcHost = source.data();
  params.srcPitch = kRow;
  params.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  params.dstArray = driverArray();
  params.WidthInBytes = kRow;
  params.Height = kRows;
  params.Depth = 1;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpy3D)(&params));
  params.dstLOD = 1;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemcpy3D)(&params));
}

TEST_F(DriverCopyRules, DefaultStreamNeedsContext) {
  // Copies on the default stream need a context.
  onAnotherThread([&] {
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuCtxSetCurrent)(nullptr));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, DRIVER(cuMemcpyHtoD)(address(device), source.data(), 8));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT,
              DRIVER(cuMemcpyHtoDAsync)(address(device), source.data(), 8, nullptr));
  });
}

TEST_F(DriverCopyRules, OtherStreamNeedsNoContext) {
  // Copies on another stream than the default one need no context.
  onAnotherThread([&] {
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuCtxSetCurrent)(nullptr));
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemcpyHtoDAsync)(address(device), source.data(), 8, stream));
  });
  OK(cudaStreamSynchronize(stream));
}

TEST_F(DriverCopyRules, DescriptorHasTwoForms) {
  // Both forms of a descriptor are told.
  CUDA_ARRAY_DESCRIPTOR descriptor{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuArrayGetDescriptor)(&descriptor, driverArray()));
  EXPECT_EQ(4u, descriptor.Width);
  EXPECT_EQ(kRows, descriptor.Height);
  EXPECT_EQ(CU_AD_FORMAT_FLOAT, descriptor.Format);
  EXPECT_EQ(1u, descriptor.NumChannels);
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, DRIVER(cuArrayGetDescriptor)(&descriptor, nullptr));
}

} // namespace
} // namespace conformance
