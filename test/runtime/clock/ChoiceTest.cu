// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_CLOCK=auto: stamps, but for devices whose timer is too coarse for them.

#include <cudasim/cudasim.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

// The clock of a captured region on a device whose timer moves by `stepNs`.
Clock clockAt(std::uint64_t stepNs) {
  cudaDeviceReset(); // what was found out about it is forgotten
  cudasim::setTimerStep(stepNs);
  Recorder recorder;
  TestStream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream));
    longWork(stream);
  }
  EXPECT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  cudasim::setTimerStep(1);
  if (seen.size() != 1) {
    ADD_FAILURE() << seen.size() << " records";
    return Clock::Host;
  }
  EXPECT_NEAR(100'000.0, static_cast<double>(seen[0].durationNs), 2000.0 + stepNs);
  return seen[0].clock;
}

TEST(Choice, FineTimerGivesStamps) { EXPECT_EQ(Clock::Stamp, clockAt(1)); }

TEST(Choice, FineH200TimerGivesStamps) { EXPECT_EQ(Clock::Stamp, clockAt(32)); }

TEST(Choice, CoarseTimerGivesEvents) { EXPECT_EQ(Clock::Event, clockAt(1024)); }

// No power of two divides it much.
TEST(Choice, MicrosecondTimerGivesEvents) { EXPECT_EQ(Clock::Event, clockAt(1000)); }

} // namespace
} // namespace graphprof::test
