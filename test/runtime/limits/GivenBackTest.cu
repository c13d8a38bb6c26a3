// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphs and execs took of CUDA's goes back with them: rings and events serve the next ones.
// On the simulation, which counts the driver's calls.

#include <atomic>
#include <chrono>
#include <thread>

#include "cudasim/cudasim.h"
#include "support/HeldHarvest.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

// Memory that was pinned, and events that were made.
unsigned taken() {
  return cudasim::callCount("cuMemHostRegister_v2") + cudasim::callCount("cuEventCreate");
}

cudaGraph_t regions(cudaStream_t stream) {
  return capture(stream, [&] {
    for (const char *name : {"a", "b", "c"}) {
      GRAPHPROF_SCOPE(1, "{}", on_stream(stream), name);
      shortWork(stream);
    }
  });
}

// Captured, used once, gone.
void comeAndGo(cudaStream_t stream) {
  const cudaGraph_t graph = regions(stream);
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  destroy({exec}, {graph});
}

TEST(GivenBack, PassingGraphsTakeLittle) {
  // Graphs that come and go take no more than one.
  Recorder recorder;
  TestStream stream;
  comeAndGo(stream);
  EXPECT_TRUE(flush());
  const unsigned before = taken();
  constexpr std::size_t graphs = 500;
  for (std::size_t i = 0; i < graphs; ++i) {
    comeAndGo(stream);
    EXPECT_TRUE(flush());
    EXPECT_TRUE(flush()); // what the first one read the second one gives back
  }
  EXPECT_LT(taken() - before, graphs / 10);
  EXPECT_EQ(3 * (graphs + 1), recorder.all().size());
}

TEST(GivenBack, UnusedCapturesTakeNothing) {
  // Graphs that are captured and never used take none.
  TestStream stream;
  comeAndGo(stream);
  const unsigned before = taken();
  for (int i = 0; i < 200; ++i) {
    const cudaGraph_t graph = regions(stream);
    destroy({}, {graph});
  }
  EXPECT_EQ(before, taken());
}

// Execs that are destroyed unseen take no more than a few. In code that is not instrumented, that
// is.
TEST(GivenBack, UnseenDestructionTakesLittle) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = regions(stream);
  const unsigned before = taken();
  constexpr std::size_t execs = 300;
  for (std::size_t i = 0; i < execs; ++i) {
    const cudaGraphExec_t exec = instantiate(graph);
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(::cudaGraphExecDestroy(exec));
    EXPECT_TRUE(flush());
    EXPECT_TRUE(flush()); // what the first one read the second one gives back
  }
  EXPECT_LT(taken() - before, execs / 3);
  EXPECT_EQ(3 * execs, recorder.all().size());
  destroy({}, {graph});
}

// Execs that are made while nothing is recorded hold no user object. CUDA takes microseconds more
// for each launch of an exec that holds a user object.
TEST(GivenBack, IdleExecHoldsNoObject) {
  const char *const make = "cuUserObjectCreate";
  TestStream stream;
  const cudaGraph_t graph = regions(stream);
  const unsigned before = cudasim::callCount(make);
  stop();
  const cudaGraphExec_t idle = instantiate(graph);
  start();
  EXPECT_EQ(before, cudasim::callCount(make));
  const cudaGraphExec_t recorded = instantiate(graph);
  EXPECT_EQ(before + 1, cudasim::callCount(make));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(idle, graph, &info));
  EXPECT_EQ(before + 1, cudasim::callCount(make)) << "nor is it given one later";

  Recorder recorder; // both are timed
  for (const cudaGraphExec_t exec : {idle, recorded})
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(flush());
  EXPECT_EQ(6U, recorder.all().size());
  destroy({idle, recorded}, {graph});
}

TEST(GivenBack, LaggingHarvestIsBounded) {
  // While the harvest lags, so much is kept, and the rest is counted.
  const Losses before = losses();
  std::atomic<bool> open{false};
  std::atomic<std::size_t> seen{0};
  HeldHarvest held([&](const Record &) {
    while (!open)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++seen;
  });
  TestStream stream;
  const unsigned early = taken();
  constexpr std::size_t graphs = 600;
  for (std::size_t i = 0; i < graphs; ++i)
    comeAndGo(stream);
  const unsigned late = taken();
  open = true;
  EXPECT_TRUE(held.flush());
  // A ring, or ten events each: of 128 execs, and what was in hand.
  EXPECT_LT(late - early, withEvents() ? 2000u : 200u);
  EXPECT_GT(seen, 3 * 100u);
  EXPECT_EQ(3 * graphs, seen + 3 * (losses().not_queued - before.not_queued));
}

} // namespace
} // namespace graphprof::test
