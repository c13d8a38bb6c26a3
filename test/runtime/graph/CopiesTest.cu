// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which copies are timed (graphprof/copies.h): whose step it is, the modes, the directions, and
// where memory is that no argument tells of.

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "graphprof/copies.h"
#include "graphprof/cuda_driver.h"
#include "graphprof/step.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

using Strings = std::vector<std::string>;

// Copies of 1, 2, 3, ... bytes are told apart by their bytes.
class CopyChoice : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMalloc(&device, bytes));
    CUDA_OK(cudaMallocHost(&pinned, bytes));
    CUDA_OK(cudaMallocManaged(&managed, bytes));
  }
  void TearDown() override {
    set_copies({});
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaFree(managed));
    CUDA_OK(cudaFreeHost(pinned));
    CUDA_OK(cudaFree(device));
  }
  void copy(void *target, const void *source, std::size_t count,
            cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    EXPECT_EQ(cudaSuccess, cuda::cudaMemcpyAsync(target, source, count, kind, stream));
  }
  // "h2d 4 pinned", in the order in which they were made.
  Strings seen() {
    Strings lines;
    for (const Seen &copy : recorder.all())
      lines.push_back(copy.context.size() == 2
                          ? copy.name + " " + std::to_string(copy.context[0].as_unsigned()) + " " +
                                std::string(copy.context[1].as_text())
                          : copy.name);
    return lines;
  }

  static constexpr std::size_t bytes = 4096;
  Recorder recorder;
  TestStream stream;
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  std::vector<char> pageable = std::vector<char>(bytes);
};

TEST_F(CopyChoice, StepCoversOwnThread) {
  // Copies are chosen only in a step of their own thread.
  {
    const Step step;
    std::thread([this] {
      EXPECT_FALSE(in_step());
      copy(device, pinned, 1);
      const Step part; // of the same
      EXPECT_TRUE(in_step());
      copy(device, pinned, 2);
    }).join();
    EXPECT_TRUE(in_step());
    copy(device, pinned, 3);
  }
  EXPECT_FALSE(in_step());
  const profile ending; // ends the last one of those that follow
  step();               // begins one for this thread alone
  std::thread([this] { copy(device, pinned, 4); }).join();
  copy(device, pinned, 5);
  std::thread([] { step(); }).join(); // another's, which ends it
  EXPECT_FALSE(in_step());
  copy(device, pinned, 6);
  EXPECT_EQ((Strings{"h2d 2 pinned", "h2d 3 pinned", "h2d 5 pinned"}), seen());
}

TEST_F(CopyChoice, CopiesSayHostMemory) {
  // Copies say where their host memory is.
  const Step step;
  copy(device, pinned, 1);
  copy(device, pageable.data(), 2);
  copy(device, managed, 3);
  EXPECT_EQ((Strings{"h2d 1 pinned", "h2d 2 pageable", "h2d 3 managed"}), seen());
}

TEST_F(CopyChoice, DriverFindsOutKind) {
  // Copies of a kind that the driver is to find out are chosen by it.
  set_copies({CopyMode::Auto, true, true});
  const Step step;
  copy(device, pinned, 1, cudaMemcpyDefault);
  copy(device, pageable.data(), 2, cudaMemcpyDefault);
  copy(pinned, device, 3, cudaMemcpyDefault);
  copy(device + 100, device, 4, cudaMemcpyDefault);
  copy(pinned + 100, pinned, 5, cudaMemcpyDefault); // stays on the host
  EXPECT_EQ((Strings{"h2d 1 pinned", "h2d 2 pageable", "d2h 3 pinned", "d2d 4 device"}), seen());
}

// A copy of unknown kind on a thread that calls CUDA for the first time has no time. Where no call
// of the runtime's has made a context current yet: it cannot be said then whose the default stream
// is.
TEST_F(CopyChoice, ThreadsFirstCallIsUntimed) {
  const std::uint64_t notTimed = losses().regions_outside_graphs_failed;
  std::thread([this] {
    const Step step;
    copy(device, pinned, 1, cudaMemcpyDefault);
  }).join();
  std::thread([this] {
    const Step step;
    EXPECT_EQ(cudaSuccess, cuda::cudaMemcpy(device, pinned, 2, cudaMemcpyDefault));
    EXPECT_EQ(cudaSuccess, cuda::cudaMemcpy(device, pinned, 3, cudaMemcpyDefault));
  }).join();
  EXPECT_EQ((Strings{"h2d 1 pinned", "h2d 3 pinned"}), seen());
  EXPECT_EQ(notTimed + 1, losses().regions_outside_graphs_failed);
}

// Four floats by two, so that each of its copies has bytes of its own.
class CopyForms : public CopyChoice {
protected:
  void SetUp() override {
    CopyChoice::SetUp();
    const cudaChannelFormatDesc channels =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    CUDA_OK(cudaMallocArray(&array, &channels, 4, 2));
    CUDA_OK(cudaMallocArray(&other, &channels, 4, 2));
    driverArray = reinterpret_cast<CUarray>(array);
    driverOther = reinterpret_cast<CUarray>(other);
    onDevice = reinterpret_cast<CUdeviceptr>(device);
    onPinned = reinterpret_cast<CUdeviceptr>(pinned);
    set_copies({CopyMode::Auto, true, true});
  }
  void TearDown() override {
    CUDA_OK(cudaFreeArray(other));
    CUDA_OK(cudaFreeArray(array));
    CopyChoice::TearDown();
  }

  cudaArray_t array = nullptr, other = nullptr;
  CUarray driverArray = nullptr, driverOther = nullptr;
  CUdeviceptr onDevice = 0, onPinned = 0;
};

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

__device__ char symbol[64];

TEST_F(CopyForms, SymbolCopies) {
  const Step step;
  CUDA_OK(cuda::cudaMemcpyFromSymbol(pinned, symbol, 1));
  CUDA_OK(cuda::cudaMemcpyFromSymbolAsync(pinned, symbol, 2, 0, cudaMemcpyDeviceToHost, stream));
  CUDA_OK(cuda::cudaMemcpyFromSymbolAsync(device, symbol, 3, 0, cudaMemcpyDefault, stream));
  CUDA_OK(cuda::cudaMemcpyToSymbolAsync(symbol, pinned, 4, 0, cudaMemcpyDefault, stream));
  EXPECT_EQ((Strings{"d2h 1 pinned", "d2h 2 pinned", "d2d 3 device", "h2d 4 pinned"}), seen());
}

TEST_F(CopyForms, BlockCopies) {
  const Step step;
  cudaMemcpy3DParms block{};
  block.srcPtr = make_cudaPitchedPtr(pinned, 16, 16, 2);
  block.dstPtr = make_cudaPitchedPtr(device, 16, 16, 2);
  block.extent = make_cudaExtent(3, 2, 2); // of bytes
  block.kind = cudaMemcpyDefault;
  CUDA_OK(cuda::cudaMemcpy3D(&block));
  block.dstPtr = {};
  block.dstArray = array;
  block.extent = make_cudaExtent(3, 2, 1); // of floats
  block.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cuda::cudaMemcpy3DAsync(&block, stream));
  block.srcPtr = {};
  block.srcArray = array;
  block.dstArray = nullptr;
  block.dstPtr = make_cudaPitchedPtr(pageable.data(), 16, 4, 2);
  block.extent = make_cudaExtent(1, 2, 1);
  block.kind = cudaMemcpyDefault;
  CUDA_OK(cuda::cudaMemcpy3D(&block));
  EXPECT_EQ((Strings{"h2d 12 pinned", "h2d 24 pinned", "d2h 8 pageable"}), seen());
}

TEST_F(CopyForms, CopiesOfUnknownKind) {
  // Copies of a kind that the driver is to find out.
  const Step step;
  constexpr auto unknown = cudaMemcpyDefault;
  CUDA_OK(cuda::cudaMemcpy(pinned, device, 1, unknown));
  CUDA_OK(cuda::cudaMemcpy2D(device, 16, pinned, 16, 1, 2, unknown));
  CUDA_OK(cuda::cudaMemcpy2DAsync(pinned, 16, device, 16, 3, 1, unknown, stream));
  CUDA_OK(cuda::cudaMemcpy2DToArray(array, 0, 0, pageable.data(), 16, 4, 1, unknown));
  CUDA_OK(cuda::cudaMemcpy2DFromArray(device, 16, array, 0, 0, 8, 1, unknown));
  CUDA_OK(cuda::cudaMemcpy2DFromArrayAsync(pinned, 16, array, 0, 0, 12, 1, unknown, stream));
  CUDA_OK(cuda::cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 16, 1, unknown));
  CUDA_OK(cuda::cudaMemcpyToSymbol(symbol, pinned, 5, 0, unknown));
  CUDA_OK(cuda::cudaMemcpyFromSymbol(pageable.data(), symbol, 6, 0, unknown));
  cudaMemcpy3DParms block{};
  block.srcPtr = make_cudaPitchedPtr(device, 16, 16, 2);
  block.dstPtr = make_cudaPitchedPtr(pinned, 16, 16, 2);
  block.extent = make_cudaExtent(7, 1, 1);
  block.kind = unknown;
  CUDA_OK(cuda::cudaMemcpy3DAsync(&block, stream));
  EXPECT_EQ(
      (Strings{"d2h 1 pinned", "h2d 2 pinned", "d2h 3 pinned", "h2d 4 pageable", "d2d 8 device",
               "d2h 12 pinned", "d2d 16 device", "h2d 5 pinned", "d2h 6 pageable", "d2h 7 pinned"}),
      seen());
}

TEST_F(CopyForms, ArrayCopies) {
  const Step step;
  constexpr auto in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  CUDA_OK(cuda::cudaMemcpy2DToArray(array, 0, 0, pinned, 16, 4, 2, in));
  CUDA_OK(cuda::cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 16, 8, 2, cudaMemcpyDefault, stream));
  CUDA_OK(cuda::cudaMemcpy2DFromArray(pageable.data(), 16, array, 0, 0, 4, 1, out));
  CUDA_OK(cuda::cudaMemcpy2DFromArrayAsync(pinned, 16, array, 0, 0, 12, 1, out, stream));
  CUDA_OK(cuda::cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 12, 2));
  EXPECT_EQ((Strings{"h2d 8 pinned", "h2d 16 pinned", "d2h 4 pageable", "d2h 12 pinned",
                     "d2d 24 device"}),
            seen());
}

TEST_F(CopyForms, DriverCopies) {
  const Step step;
  CU_OK(cuda::cuMemcpy(onDevice, onPinned, 1));
  CU_OK(cuda::cuMemcpyAsync(onPinned, onDevice, 2, stream));
  CU_OK(cuda::cuMemcpyHtoD(onDevice, pinned, 3));
  CU_OK(cuda::cuMemcpyHtoDAsync(onDevice, pinned, 4, stream));
  CU_OK(cuda::cuMemcpyDtoH(pageable.data(), onDevice, 5));
  CU_OK(cuda::cuMemcpyDtoHAsync(pinned, onDevice, 6, stream));
  CU_OK(cuda::cuMemcpyDtoD(onDevice + 8, onDevice, 7));
  CU_OK(cuda::cuMemcpyDtoDAsync(onDevice + 8, onDevice, 8, stream));
  EXPECT_EQ((Strings{"h2d 1 pinned", "d2h 2 pinned", "h2d 3 pinned", "h2d 4 pinned",
                     "d2h 5 pageable", "d2h 6 pinned", "d2d 7 device", "d2d 8 device"}),
            seen());
}

TEST_F(CopyForms, DriverArrayCopies) {
  const Step step;
  CU_OK(cuda::cuMemcpyHtoA(driverArray, 0, pinned, 4));
  CU_OK(cuda::cuMemcpyHtoAAsync(driverArray, 0, pinned, 8, stream));
  CU_OK(cuda::cuMemcpyAtoH(pageable.data(), driverArray, 0, 12));
  CU_OK(cuda::cuMemcpyAtoHAsync(pinned, driverArray, 0, 4, stream));
  CU_OK(cuda::cuMemcpyAtoD(onDevice, driverArray, 0, 8));
  CU_OK(cuda::cuMemcpyDtoA(driverArray, 0, onDevice, 12));
  CU_OK(cuda::cuMemcpyAtoA(driverOther, 0, driverArray, 0, 16));
  EXPECT_EQ((Strings{"h2d 4 pinned", "h2d 8 pinned", "d2h 12 pageable", "d2h 4 pinned",
                     "d2d 8 device", "d2d 12 device", "d2d 16 device"}),
            seen());
}

TEST_F(CopyForms, DriverStructCopies) {
  const Step step;
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = pinned;
  rows.srcPitch = 16;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = onDevice;
  rows.dstPitch = 16;
  rows.WidthInBytes = 5;
  rows.Height = 2;
  CU_OK(cuda::cuMemcpy2D(&rows));
  CU_OK(cuda::cuMemcpy2DUnaligned(&rows));
  rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.dstArray = driverArray;
  rows.WidthInBytes = 8;
  CU_OK(cuda::cuMemcpy2DAsync(&rows, stream));
  CUDA_MEMCPY3D cube{};
  cube.srcMemoryType = cube.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  cube.srcDevice = onDevice;
  cube.dstDevice = onPinned;
  cube.srcPitch = cube.dstPitch = 16;
  cube.srcHeight = cube.dstHeight = 2;
  cube.WidthInBytes = 3;
  cube.Height = 2;
  cube.Depth = 2;
  CU_OK(cuda::cuMemcpy3D(&cube));
  cube.dstMemoryType = CU_MEMORYTYPE_HOST;
  cube.dstHost = pageable.data();
  cube.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  cube.Depth = 1;
  CU_OK(cuda::cuMemcpy3DAsync(&cube, stream));
  cube.srcMemoryType = CU_MEMORYTYPE_HOST;
  cube.srcHost = pinned;
  CU_OK(cuda::cuMemcpy3D(&cube)); // stays on the host
  EXPECT_EQ((Strings{"h2d 10 pinned", "h2d 10 pinned", "h2d 16 pinned", "d2h 12 pinned",
                     "d2h 6 pageable"}),
            seen());
}

#if CUDART_VERSION >= 13000
TEST_F(CopyForms, BatchCopies) {
  const Step step;
  std::array<void *, 2> targets = {device, device + 100};
  std::array<const void *, 2> sources = {pinned, pinned + 100};
  const std::array<std::size_t, 2> sizes = {3, 4};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t from = 0;
  CUDA_OK(cuda::cudaMemcpyBatchAsync(targets.data(), sources.data(), sizes.data(), 2, &attributes,
                                     &from, 1, stream));
  std::array<char *, 1> typed = {pinned};
  std::array<char *, 1> typedFrom = {device};
  CUDA_OK(cuda::cudaMemcpyBatchAsync(typed.data(), typedFrom.data(), sizes.data(), 1, attributes,
                                     stream));
  EXPECT_EQ((Strings{"h2d 7 pinned", "d2h 3 pinned"}), seen());
}

TEST_F(CopyForms, DriverBatchCopies) {
  const Step step;
  std::array<CUdeviceptr, 2> targets = {onDevice, onDevice + 100};
  std::array<CUdeviceptr, 2> sources = {onPinned, onPinned + 100};
  std::array<std::size_t, 2> sizes = {3, 4};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  std::size_t from = 0;
  CU_OK(cuda::cuMemcpyBatchAsync(targets.data(), sources.data(), sizes.data(), 2, &attributes,
                                 &from, 1, stream));
  EXPECT_EQ((Strings{"h2d 7 pinned"}), seen());
}
#endif

TEST_F(CopyForms, NullCopies) {
  const Step step;
  EXPECT_EQ(cudaErrorInvalidValue, cuda::cudaMemcpy3D(nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemcpy2D(nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemcpy3D(nullptr));
  EXPECT_EQ(Strings(), seen());
}

TEST_F(CopyChoice, ChosenDirectionsAreTimed) {
  // Copies in other directions are timed where they are asked for.
  const Step step;
  const auto both = [this](std::size_t count) {
    copy(pinned, device, count, cudaMemcpyDeviceToHost);
    copy(device + 100, device, count + 1, cudaMemcpyDeviceToDevice);
    copy(pinned, pinned + 100, count + 2, cudaMemcpyHostToHost);
  };
  both(1);
  set_copies({CopyMode::Auto, true, false});
  both(11);
  set_copies({CopyMode::Auto, false, true});
  both(21);
  EXPECT_EQ((Strings{"d2h 11 pinned", "d2d 22 device"}), seen());
}

TEST_F(CopyChoice, ScopeSelectsCopies) {
  set_copies({CopyMode::Selective});
  const Step step;
  copy(device, pinned, 1);
  {
    const patch_h2d outer;
    {
      const patch_h2d inner;
      copy(device, pinned, 2);
    }
    copy(device, pinned, 3);
    std::thread([this] {
      const Step part;
      copy(device, pinned, 4); // another thread's
    }).join();
  }
  copy(device, pinned, 5);
  copy(device, wrap_h2d(pinned), 6);
  EXPECT_EQ((Strings{"h2d 2 pinned", "h2d 3 pinned", "h2d 6 pinned"}), seen());
}

TEST_F(CopyChoice, CopiesAreChosenOneByOne) {
  set_copies({CopyMode::Manual});
  const auto wrapped = wrap_h2d(pinned + 8);
  copy(device, wrapped, 1); // in no step
  const Step step;
  copy(device, pinned + 8, 10); // not wrapped here
  const patch_h2d nothing;      // is Selective's
  copy(device, pinned, 2);
  copy(device, wrapped, 3);
  copy(device, pinned + 8, 4); // the same memory, not wrapped
  const char *const source = wrapped;
  copy(device, pinned, 5); // another one's comes before
  copy(device, source, 6);
  copy(device, source, 7);
  EXPECT_EQ((Strings{"h2d 3 pinned", "h2d 6 pinned"}), seen());
  set_copies({});
  copy(device, wrap_h2d(pinned), 8);
  EXPECT_EQ((Strings{"h2d 3 pinned", "h2d 6 pinned", "h2d 8 pinned"}), seen()) << "once";
}

template <class T>
concept CanBeWrapped = requires(T source) { wrap_h2d(source); };
static_assert(CanBeWrapped<const float *>);
static_assert(!CanBeWrapped<WrappedH2D<const float>>, "twice");

TEST_F(CopyChoice, CapturedCopiesAreGraphsRegions) {
  cudaGraph_t graph = nullptr;
  {
    const Step step;
    graph = capture(stream, [this] { copy(device, pinned, 7, cudaMemcpyDefault); });
  }
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ((Strings{"h2d 7 pinned"}), seen());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
