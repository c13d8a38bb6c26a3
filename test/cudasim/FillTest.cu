// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each form of the driver's fills sets its elements and nothing else, at once or in a stream or a
// graph, and refuses an address that is not aligned to its elements.

#include <cuda.h>
#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr size_t kPitch = 32, kRows = 4;
constexpr size_t kWidth = 3, kHeight = 2; // what is filled, from the second row on

struct Form {
  std::string name;
  size_t elementSize, rows;
  unsigned value;
  bool waits;
  std::function<int(CUdeviceptr)> fill;
};

struct FillTest : testing::Test {
  void SetUp() override {
    cudasim::reset();
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, kPitch * kRows));
    at = reinterpret_cast<CUdeviceptr>(memory) + kPitch;
  }
  void TearDown() override { cudasim::reset(); }

  std::vector<Form> forms() {
    std::vector<Form> all;
    const auto add = [&](const char *name, auto value, bool waits, size_t rows, auto fill) {
      all.push_back({name, sizeof value, rows, value, waits, fill});
    };
#define FORMS(BITS, T, VALUE)                                                                      \
  add("D" #BITS, static_cast<T>(VALUE), true, 1,                                                   \
      [](CUdeviceptr to) { return int(cuMemsetD##BITS(to, VALUE, kWidth)); });                     \
  add("D" #BITS "Async", static_cast<T>(VALUE), false, 1,                                          \
      [this](CUdeviceptr to) { return int(cuMemsetD##BITS##Async(to, VALUE, kWidth, stream)); });  \
  add("D2D" #BITS, static_cast<T>(VALUE), true, kHeight,                                           \
      [](CUdeviceptr to) { return int(cuMemsetD2D##BITS(to, kPitch, VALUE, kWidth, kHeight)); });  \
  add("D2D" #BITS "Async", static_cast<T>(VALUE), false, kHeight, [this](CUdeviceptr to) {         \
    return int(cuMemsetD2D##BITS##Async(to, kPitch, VALUE, kWidth, kHeight, stream));              \
  });
    FORMS(8, unsigned char, 0xa1)
    FORMS(16, unsigned short, 0xa1b2)
    FORMS(32, unsigned int, 0xa1b2c3d4)
#undef FORMS
    return all;
  }

  std::vector<unsigned char> bytes() {
    std::vector<unsigned char> all(kPitch * kRows);
    EXPECT_EQ(cudaSuccess, cudaMemcpy(all.data(), memory, all.size(), cudaMemcpyDeviceToHost));
    return all;
  }
  static std::vector<unsigned char> filled(const Form &form) {
    std::vector<unsigned char> all(kPitch * kRows);
    for (size_t y = 0; y < form.rows; ++y)
      for (size_t x = 0; x < kWidth; ++x)
        std::memcpy(&all[(y + 1) * kPitch + x * form.elementSize], &form.value, form.elementSize);
    return all;
  }

  cudaStream_t stream = nullptr;
  unsigned char *memory = nullptr;
  CUdeviceptr at = 0;
};

TEST_F(FillTest, FormSetsOnlyItsElements) {
  for (const Form &form : forms()) {
    SCOPED_TRACE(form.name);
    ASSERT_EQ(cudaSuccess, cudaMemset(memory, 0, kPitch * kRows));
    EXPECT_EQ(CUDA_SUCCESS, form.fill(at));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    EXPECT_EQ(filled(form), bytes());
  }
}

TEST_F(FillTest, StreamFormsAreCaptured) {
  // Forms that take a stream are captured.
  for (const Form &form : forms()) {
    if (form.waits)
      continue;
    SCOPED_TRACE(form.name);
    ASSERT_EQ(cudaSuccess, cudaMemset(memory, 0, kPitch * kRows));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(CUDA_SUCCESS, form.fill(at));
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    EXPECT_EQ(std::vector<unsigned char>(kPitch * kRows), bytes()) << "before the replay";
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    EXPECT_EQ(filled(form), bytes());
  }
}

TEST_F(FillTest, UnalignedAddressIsRefused) {
  for (const Form &form : forms()) {
    SCOPED_TRACE(form.name);
    EXPECT_EQ(form.elementSize == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, form.fill(at + 1));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, form.fill(0));
  }
}

} // namespace
