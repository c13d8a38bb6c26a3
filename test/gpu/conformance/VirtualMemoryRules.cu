// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory that a program maps itself: the lifetime of an allocation, which decides when graphprof
// counts it as freed.

#include "Conformance.h"

namespace conformance {
namespace {

struct VirtualMemoryRules : Conformance {
  CUmemAllocationProp properties{CU_MEM_ALLOCATION_TYPE_PINNED,
                                 CU_MEM_HANDLE_TYPE_NONE,
                                 {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                 nullptr,
                                 {}};
  std::size_t bytes = 0; // the smallest possible
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr space = 0; // reserved: twice that size

  void SetUp() override {
    Conformance::SetUp();
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemGetAllocationGranularity)(
                                &bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemCreate)(&handle, bytes, &properties, 0));
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemAddressReserve)(&space, 2 * bytes, 0, 0, 0));
  }
  void TearDown() override {
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemAddressFree)(space, 2 * bytes));
    Conformance::TearDown();
  }

  CUresult map(CUdeviceptr at) const { return DRIVER(cuMemMap)(at, bytes, 0, handle, 0); }
  CUresult unmap(CUdeviceptr at, unsigned times = 1) const {
    return DRIVER(cuMemUnmap)(at, times * bytes);
  }
  CUresult release() const { return DRIVER(cuMemRelease)(handle); }
  CUresult retain(CUdeviceptr at, CUmemGenericAllocationHandle *retained) const {
    return DRIVER(cuMemRetainAllocationHandle)(retained, reinterpret_cast<void *>(at));
  }
  CUresult open(CUdeviceptr at, unsigned times = 1) const {
    const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return DRIVER(cuMemSetAccess)(at, times * bytes, &access, 1);
  }
  static int read(CUdeviceptr at) {
    int value = -1;
    EXPECT_EQ(cudaSuccess, cudaMemcpy(&value, reinterpret_cast<void *>(at), sizeof value,
                                      cudaMemcpyDeviceToHost));
    return value;
  }
  static void write(CUdeviceptr at, int value) {
    EXPECT_EQ(cudaSuccess, cudaMemcpy(reinterpret_cast<void *>(at), &value, sizeof value,
                                      cudaMemcpyHostToDevice));
  }
};

TEST_F(VirtualMemoryRules, MappingKeepsReleasedMemory) {
  // Memory outlives its handle while it is mapped.
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  ASSERT_EQ(CUDA_SUCCESS, open(space));
  EXPECT_EQ(CUDA_SUCCESS, release());
  write(space, 42);
  EXPECT_EQ(42, read(space));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space));
}

TEST_F(VirtualMemoryRules, MappingTellsItsHandle) {
  // The handle of what is mapped is the one that it was mapped with.
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  CUmemGenericAllocationHandle retained = 0;
  ASSERT_EQ(CUDA_SUCCESS, retain(space + bytes / 2, &retained));
  EXPECT_EQ(handle, retained);
  EXPECT_EQ(CUDA_SUCCESS, release());
  EXPECT_EQ(CUDA_SUCCESS, release()) << "once for each reference";
  EXPECT_EQ(CUDA_SUCCESS, unmap(space));
}

TEST_F(VirtualMemoryRules, ReferenceKeepsUnmappedMemory) {
  // A reference keeps memory that is not mapped.
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  ASSERT_EQ(CUDA_SUCCESS, open(space));
  write(space, 42);
  CUmemGenericAllocationHandle retained = 0;
  ASSERT_EQ(CUDA_SUCCESS, retain(space, &retained));
  EXPECT_EQ(CUDA_SUCCESS, release());
  EXPECT_EQ(CUDA_SUCCESS, unmap(space));
  ASSERT_EQ(CUDA_SUCCESS, map(space + bytes));
  ASSERT_EQ(CUDA_SUCCESS, open(space + bytes));
  EXPECT_EQ(42, read(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, release());
}

TEST_F(VirtualMemoryRules, MappingsShareMemory) {
  // Two mappings show the same, and are taken away by one call.
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  ASSERT_EQ(CUDA_SUCCESS, map(space + bytes));
  ASSERT_EQ(CUDA_SUCCESS, open(space, 2));
  write(space, 7);
  EXPECT_EQ(7, read(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2));
  EXPECT_EQ(CUDA_SUCCESS, release());
}

TEST_F(VirtualMemoryRules, UnmapTakesRangeWithHoles) {
  // What is mapped in a range is taken away with what is not.
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2)) << "nothing";
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2));
  ASSERT_EQ(CUDA_SUCCESS, map(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2));
  ASSERT_EQ(CUDA_SUCCESS, map(space)) << "both are gone";
  ASSERT_EQ(CUDA_SUCCESS, map(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2));
  EXPECT_EQ(CUDA_SUCCESS, release());
}

TEST_F(VirtualMemoryRules, PartialUnmapIsRefused) {
  CUmemGenericAllocationHandle large = 0;
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemCreate)(&large, 2 * bytes, &properties, 0));
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemMap)(space, 2 * bytes, 0, large, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, unmap(space));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, unmap(space + bytes));
  EXPECT_EQ(CUDA_SUCCESS, unmap(space, 2));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemRelease)(large));
  EXPECT_EQ(CUDA_SUCCESS, release());
}

TEST_F(VirtualMemoryRules, WrongCallsAreRefused) {
  CUmemGenericAllocationHandle other = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemCreate)(&other, 0, &properties, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemCreate)(&other, bytes / 2, &properties, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemCreate)(nullptr, bytes, &properties, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuMemCreate)(&other, bytes, nullptr, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, unmap(space, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, unmap(0)) << "nobody has reserved it";
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, retain(space, &other));
  ASSERT_EQ(CUDA_SUCCESS, map(space));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, map(space)) << "something is";
  EXPECT_EQ(CUDA_SUCCESS, unmap(space));
  EXPECT_EQ(CUDA_SUCCESS, release());
}

} // namespace
} // namespace conformance
