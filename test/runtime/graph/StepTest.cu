// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Steps: what is launched carries the number of its step.

#include <thread>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

constexpr std::int64_t outside = -1; // of all steps

std::vector<std::int64_t> stepsOf(const std::vector<Seen> &seen) {
  std::vector<std::int64_t> steps;
  for (const Seen &one : seen)
    steps.push_back(one.step);
  return steps;
}

TEST(Step, ReplayHasLaunchesStep) {
  // A replay carries the step of its launch, not of its capture.
  Recorder recorder;
  TestStream stream;
  cudaGraph_t graph = nullptr;
  {
    const Step captured;
    graph = capture(stream, [&] {
      GRAPHPROF_SCOPE(1, "work", on_stream(stream));
      shortWork(stream);
    });
  }
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  std::int64_t first = 0;
  for (int i = 0; i < 2; ++i) {
    GRAPHPROF_STEP(2);
    first = i == 0 ? current_step() : first;
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  }
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ((std::vector<std::int64_t>{outside, first, first + 1, outside}),
            stepsOf(recorder.all()));
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Step, EagerRegionHasBeginsStep) {
  // A region outside graphs carries the step in which it began.
  Recorder recorder;
  TestStream stream;
  std::int64_t number = outside;
  {
    GRAPHPROF_SCOPE(1, "around", on_stream(stream));
    GRAPHPROF_STEP(2);
    number = current_step();
    GRAPHPROF_SCOPE(3, "inside", on_stream(stream));
    shortWork(stream);
  }
  EXPECT_EQ((std::vector<std::int64_t>{outside, number}), stepsOf(recorder.all()));
}

TEST(Step, InnerStepIsPart) {
  // A step inside a step is part of it.
  const Step outer;
  const std::int64_t number = current_step();
  {
    const Step inner;
    EXPECT_EQ(number, current_step());
    step();
    EXPECT_EQ(number, current_step()) << "the guard says where the step ends";
  }
  EXPECT_EQ(number, current_step());
}

TEST(Step, StepHoldsForEveryThread) {
  std::int64_t seen = outside, beside = outside, number = outside;
  {
    const Step mine;
    number = current_step();
    std::thread([&] {
      seen = current_step();
      const Step theirs;
      beside = current_step();
    }).join();
    EXPECT_EQ(number, current_step());
  }
  EXPECT_EQ(number, seen);
  EXPECT_EQ(number, beside) << "a step beside one on another thread is part of that one";
  EXPECT_EQ(outside, current_step());
}

} // namespace
} // namespace graphprof::test
