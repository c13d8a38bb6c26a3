// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which copies are timed (graphprof/copies.h): whose step it is, the modes, the directions, and
// where memory is that no argument tells of.

#include <string>
#include <thread>
#include <vector>

#include "graphprof/copies.h"
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
                          ? copy.name + " " + std::to_string(copy.context[0].asUnsigned()) + " " +
                                std::string(copy.context[1].asText())
                          : copy.name);
    return lines;
  }

  static constexpr std::size_t bytes = 4096;
  Recorder recorder;
  TestStream stream;
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  std::vector<char> pageable = std::vector<char>(bytes);
};

TEST_F(CopyChoice, OnlyInAStepOfTheirOwnThread) {
  {
    const Step step;
    std::thread([this] {
      EXPECT_FALSE(inStep());
      copy(device, pinned, 1);
      const Step part; // of the same
      EXPECT_TRUE(inStep());
      copy(device, pinned, 2);
    }).join();
    EXPECT_TRUE(inStep());
    copy(device, pinned, 3);
  }
  EXPECT_FALSE(inStep());
  const profile ending; // ends the last one of those that follow
  step();               // begins one for this thread alone
  std::thread([this] { copy(device, pinned, 4); }).join();
  copy(device, pinned, 5);
  std::thread([] { step(); }).join(); // another's, which ends it
  EXPECT_FALSE(inStep());
  copy(device, pinned, 6);
  EXPECT_EQ((Strings{"h2d 2 pinned", "h2d 3 pinned", "h2d 5 pinned"}), seen());
}

TEST_F(CopyChoice, SayWhereTheirHostMemoryIs) {
  const Step step;
  copy(device, pinned, 1);
  copy(device, pageable.data(), 2);
  copy(device, managed, 3);
  EXPECT_EQ((Strings{"h2d 1 pinned", "h2d 2 pageable", "h2d 3 managed"}), seen());
}

TEST_F(CopyChoice, OfAKindThatTheDriverIsToFindOut) {
  set_copies({CopyMode::Auto, true, true});
  const Step step;
  copy(device, pinned, 1, cudaMemcpyDefault);
  copy(device, pageable.data(), 2, cudaMemcpyDefault);
  copy(pinned, device, 3, cudaMemcpyDefault);
  copy(device + 100, device, 4, cudaMemcpyDefault);
  copy(pinned + 100, pinned, 5, cudaMemcpyDefault); // stays on the host
  EXPECT_EQ((Strings{"h2d 1 pinned", "h2d 2 pageable", "d2h 3 pinned", "d2d 4 device"}), seen());
}

// Where no call of the runtime's has made a context current yet: it cannot be said then whose the
// default stream is.
TEST_F(CopyChoice, OnAThreadThatCallsCudaForTheFirstTime) {
  const std::uint64_t notTimed = losses().eager;
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
  EXPECT_EQ(notTimed + 1, losses().eager);
}

TEST_F(CopyChoice, InOtherDirectionsWhereTheyAreAskedFor) {
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

TEST_F(CopyChoice, SelectedByAScope) {
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

TEST_F(CopyChoice, ChosenOneByOne) {
  set_copies({CopyMode::Manual});
  const auto wrapped = wrap_h2d(pinned + 8);
  copy(device, wrapped, 1); // in no step
  const Step step;
  const patch_h2d nothing; // is Selective's
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

TEST_F(CopyChoice, CapturedOnesAreRegionsOfTheirGraph) {
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
