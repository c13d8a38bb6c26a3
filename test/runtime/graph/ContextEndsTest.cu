// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Contexts that end while their graphs are profiled: those of other contexts stay timed, and no
// call names what ended. The simulated driver ends the process if one does.

#include "graphprof/cuda_driver.h"

#include "support/Newer.h"
#include "support/Recorder.h"
#include "support/Work.h"
#include <algorithm>

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

class ContextEnds : public ::testing::Test {
protected:
  void SetUp() override { CUDA_OK(cudaFree(nullptr)); }
  void TearDown() override { EXPECT_TRUE(flush()); }

  // An exec with a region of that name, and where it runs. Its context is current when it is made.
  struct Timed {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;

    explicit Timed(const char *name) {
      EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      graph = capture(stream, [&] {
        GRAPHPROF_SCOPE(1, "{}", on_stream(stream), name);
        shortWork(stream);
      });
      exec = instantiate(graph);
    }
    void launch() const {
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
      EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    }
    void region(const char *name) const {
      GRAPHPROF_SCOPE(2, "{}", on_stream(stream), name);
      shortWork(stream);
    }
    void destroy() const {
      test::destroy({exec}, {graph});
      CUDA_OK(cudaStreamDestroy(stream));
    }
  };
  // Another context, which is current until it is left.
  struct Other {
    CUcontext context = nullptr;

    Other() {
      using Create = CUresult(CUcontext *, unsigned, CUdevice);
      EXPECT_EQ(CUDA_SUCCESS, newer<Create>("cuCtxCreate_v2")(&context, 0, 0));
    }
    static void leave() {
      CUcontext left = nullptr;
      EXPECT_EQ(CUDA_SUCCESS, cuCtxPopCurrent(&left));
    }
  };
};

TEST_F(ContextEnds, DestroyedOneTakesItsGraphsOnly) {
  Recorder recorder;
  const Losses before = losses();
  const Timed kept("kept");
  for (int round = 0; round < 2; ++round) { // the second context may have the handle of the first
    const Other other;
    const Timed gone("gone");
    gone.launch();
    gone.region("outside");
    CUDA_OK(cudaStreamSynchronize(gone.stream));
    Other::leave();
    kept.launch();
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuCtxDestroy(other.context)); // with unread times
    kept.launch();
    CUDA_OK(cuda::cudaGraphDestroy(gone.graph));
  }
  std::vector<std::string> names = recorder.names();
  std::ranges::sort(names);
  EXPECT_EQ((Names{"gone", "gone", "kept", "kept", "kept", "kept", "outside", "outside"}), names);
  EXPECT_EQ(before.unfinished, losses().unfinished);
  EXPECT_EQ(before.not_launched, losses().not_launched);
  kept.destroy();
}

TEST_F(ContextEnds, ResetOfDeviceKeepsOtherContexts) {
  Recorder recorder;
  const Timed gone("gone");
  const Other other;
  const Timed kept("kept");
  Other::leave();
  gone.launch();
  kept.launch();
  CUDA_OK(cuda::cudaDeviceReset());
  EXPECT_EQ(CUDA_SUCCESS, cuCtxPushCurrent(other.context));
  kept.launch();
  kept.destroy();
  Other::leave();
  EXPECT_EQ((Names{"gone", "kept", "kept"}), recorder.names());
  EXPECT_EQ(CUDA_SUCCESS, cuda::cuCtxDestroy(other.context));
}

TEST_F(ContextEnds, ReleaseThatIsNotTheLastEndsNothing) {
  Recorder recorder;
  const Timed kept("kept");
  kept.launch();
  CUcontext primary = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuda::cuDevicePrimaryCtxRelease(0));
  kept.launch();
  EXPECT_EQ((Names{"kept", "kept"}), recorder.names());
  kept.destroy();
}

TEST_F(ContextEnds, DestroyOfNoContextChangesNothing) {
  Recorder recorder;
  const Timed kept("kept");
  EXPECT_NE(CUDA_SUCCESS, cuda::cuCtxDestroy(nullptr));
  kept.launch();
  EXPECT_EQ(Names{"kept"}, recorder.names());
  kept.destroy();
}

TEST_F(ContextEnds, GreenOneTakesItsGraphsOnly) {
  using Create = CUresult(CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned);
  auto *const create = newer<Create>("cuGreenCtxCreate");
  using CreateStream = CUresult(CUstream *, CUgreenCtx, unsigned, int);
  auto *const createStream = newer<CreateStream>("cuGreenCtxStreamCreate");
  if (!createStream)
    GTEST_SKIP() << "needs CUDA 12.5";
  Recorder recorder;
  const Timed kept("kept");
  CUdevResource all{};
  CUdevResourceDesc description = nullptr;
  CUgreenCtx green = nullptr;
  CUcontext context = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  ASSERT_EQ(CUDA_SUCCESS, cuDevResourceGenerateDesc(&description, &all, 1));
  ASSERT_EQ(CUDA_SUCCESS, create(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxFromGreenCtx(&context, green));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxPushCurrent(context));
  const Timed gone("gone");
  gone.launch();
  Other::leave();
  kept.launch();
  EXPECT_EQ(CUDA_SUCCESS, cuda::cuGreenCtxDestroy(green));
  kept.launch();
  CUDA_OK(cuda::cudaGraphDestroy(gone.graph));
  std::vector<std::string> names = recorder.names();
  std::ranges::sort(names);
  EXPECT_EQ((Names{"gone", "kept", "kept"}), names);
  kept.destroy();
}

} // namespace
} // namespace graphprof::test
