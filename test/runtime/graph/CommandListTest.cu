// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Streams whose work goes into a command list of a graphics API (CUDA 13.2): it runs once, and
// nothing of graphprof's is in it.

#include "graphprof/cuda_driver.h"

#include "support/ByteGraphs.h"
#include "support/Newer.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

// cuda.h of 13.2 has them.
struct Shared {
  int type;
  void *data;
};
struct Params {
  Shared *shared;
};

CUresult beginOnDriver(CUstream stream, Params *params) {
  static auto *const begin = newer<CUresult(CUstream, Params *)>("cuStreamBeginCaptureToCig");
  return begin ? begin(stream, params) : CUDA_ERROR_NOT_FOUND;
}
CUresult endOnDriver(CUstream stream) {
  static auto *const end = newer<CUresult(CUstream)>("cuStreamEndCaptureToCig");
  return end ? end(stream) : CUDA_ERROR_NOT_FOUND;
}

// The wrappers, as a toolkit that declares the functions gets them.
GRAPHPROF_FORM_BeginsCommandList(Driver, CUresult, beginList, beginOnDriver,
                                 (CUstream stream, Params *params), (stream, params))
    GRAPHPROF_FORM_EndsCommandList(Driver, CUresult, endList, endOnDriver, (CUstream stream),
                                   (stream))

        class CommandList : public ByteGraphs {
protected:
  void SetUp() override {
    ByteGraphs::SetUp();
    if (!newer<void()>("cuStreamBeginCaptureToCig"))
      GTEST_SKIP() << "needs CUDA 13.2";
  }
  template <class Work> CUresult list(Work work) {
    Shared shared{1, this};
    Params params{&shared};
    EXPECT_EQ(CUDA_SUCCESS, beginList(stream_, &params));
    work();
    return endList(stream_);
  }
  unsigned char seen() {
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
};

TEST_F(CommandList, ExecRunsInItAsTheProgramMadeIt) {
  Recorder recorder;
  const Losses before = losses();
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  CUDA_OK(cuda::cudaGraphLaunch(first, stream_));
  EXPECT_EQ(1, seen());
  EXPECT_EQ(CUDA_SUCCESS, list([&] {
              CUDA_OK(cuda::cudaGraphLaunch(second, stream_));
              EXPECT_EQ(1, *seen_) << "not yet";
            }));
  EXPECT_EQ(2, seen());
  EXPECT_EQ(before.not_launched + 1, losses().not_launched);
  CUDA_OK(cuda::cudaGraphLaunch(first, stream_));
  EXPECT_EQ(1, seen());
  CUDA_OK(cuda::cudaGraphLaunch(second, stream_)); // behind the one in the list
  CUDA_OK(cuda::cudaGraphLaunch(second, stream_));
  EXPECT_EQ(2, seen());
  EXPECT_EQ((Names{"set 1", "set 1", "set 2"}), recorder.names());
  EXPECT_EQ(before.not_launched + 2, losses().not_launched);
  destroy({first, second}, {one, two});
}

TEST_F(CommandList, RegionInItHasNoTimeAndIsCounted) {
  Recorder recorder;
  const Losses before = losses();
  EXPECT_EQ(CUDA_SUCCESS, list([&] {
              GRAPHPROF_SCOPE(1, "in a list", on_stream(stream_));
              set(3);
            }));
  EXPECT_EQ(3, seen());
  {
    GRAPHPROF_SCOPE(2, "behind it", on_stream(stream_));
    set(4);
  }
  EXPECT_EQ(4, seen());
  EXPECT_EQ(Names{"behind it"}, recorder.names());
  EXPECT_EQ(before.regions_outside_graphs_failed + 1, losses().regions_outside_graphs_failed);
}

TEST_F(CommandList, RefusedOneChangesNothing) {
  Recorder recorder;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, beginList(stream_, nullptr));
  {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    set(5);
  }
  EXPECT_EQ(5, seen());
  EXPECT_EQ(Names{"region"}, recorder.names());
}

} // namespace
} // namespace graphprof::test
