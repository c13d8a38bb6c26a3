// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Steps of a profile cost the program no CUDA call at all, whatever follows what: on the
// simulation, whose clock moves with every call that a thread makes.

#include "cudasim/cudasim.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

constexpr ProfilerAction everyAction[] = {ProfilerAction::NONE, ProfilerAction::WARMUP,
                                          ProfilerAction::RECORD, ProfilerAction::RECORD_AND_SAVE};

constexpr const char *synchronizing[] = {"cuCtxSynchronize",      "cuStreamSynchronize",
                                         "cuEventSynchronize",    "cudaDeviceSynchronize",
                                         "cudaStreamSynchronize", "cudaEventSynchronize"};

TEST(NoStall, StepNeverWaits) {
  // A step makes no call, and a launch behind it none that waits.
  TestStream stream, other;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream));
    longWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  unsigned before = 0, after = 0;
  for (const char *name : synchronizing)
    before += cudasim::callCount(name);
  for (const ProfilerAction from : everyAction)
    for (const ProfilerAction to : everyAction) {
      profile_options options;
      options.schedule = [=](std::int64_t step) { return step == 0 ? from : to; };
      options.on_trace_ready = [](const Trace &) {};
      profile profile(options, defer_start);
      const auto costNs = [&](auto call) {
        const std::uint64_t beginNs = cudasim::nowNs();
        call();
        return cudasim::nowNs() - beginNs;
      };
      EXPECT_EQ(0u, costNs([&] { profile.start(); }));
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
      CUDA_OK(cuda::cudaGraphLaunch(exec, other));
      EXPECT_EQ(0u, costNs([&] { profile.step(); }));
      // In another stream, behind work that has not finished.
      CUDA_OK(cuda::cudaGraphLaunch(exec, other));
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
      EXPECT_EQ(0u, costNs([&] { profile.toggle_collection_dynamic(false, Activities::all()); }));
      EXPECT_EQ(0u, costNs([&] { profile.stop(0); }));
    }
  for (const char *name : synchronizing)
    after += cudasim::callCount(name);
  EXPECT_EQ(before, after);
  EXPECT_TRUE(flush());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// That the test above would see a wait.
TEST(NoStall, SynchronizationIsSeen) {
  TestStream stream;
  longWork(stream);
  const unsigned before = cudasim::callCount("cudaStreamSynchronize");
  const std::uint64_t beginNs = cudasim::nowNs();
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(before + 1, cudasim::callCount("cudaStreamSynchronize"));
  EXPECT_GT(cudasim::nowNs(), beginNs);
}

} // namespace
} // namespace graphprof::test
