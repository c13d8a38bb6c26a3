// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// When a node that depends on a port of a kernel runs: what a stamp there reads, compared with the
// begin and end of the kernels. Tests the order only; kernels are long compared with a launch.

#include "Edges.h"

namespace conformance {

// Kernels that write their begin and end into words that the host has reset.
__global__ void timed(unsigned long long *times, unsigned long long ns) { runTimed(times, ns); }
__global__ void timedTriggering(unsigned long long *times, unsigned long long ns) {
  triggerDependents();
  runTimed(times, ns);
}
__global__ void timedWaiting(unsigned long long *times, unsigned long long ns) {
  waitForDependencies();
  triggerDependents();
  runTimed(times, ns);
}
__global__ void stampNow(unsigned long long *word) {
  if (threadIdx.x == 0)
    *word = deviceTimeNs();
}
__global__ void stampTriggering(unsigned long long *word) {
  triggerDependents();
  *word = deviceTimeNs();
}
__global__ void writeAll(unsigned *values, unsigned size, const unsigned *value) {
  if (const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size)
    values[i] = *value;
}
// Each thread reads what a thread of another block wrote.
__global__ void countEqual(const unsigned *values, unsigned size, const unsigned *value,
                           unsigned *count) {
  if (const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size)
    if (values[size - 1 - i] == *value)
      atomicAdd(count, 1);
}
__global__ void stampWaiting(unsigned long long *word) {
  waitForDependencies();
  *word = deviceTimeNs();
}

namespace {

using Timed = void (*)(unsigned long long *, unsigned long long);
using Stamp = void (*)(unsigned long long *);

struct EdgeTimes : EdgeTest {
  static constexpr unsigned long long kKernelNs = 200'000;
  static constexpr int kWords = 32;

  struct Kernel {
    cudaGraphNode_t node = nullptr;
    const unsigned long long *times = nullptr;
    unsigned long long beginNs() const { return ~times[0]; }
    unsigned long long endNs() const { return times[1]; }
  };
  struct Reading {
    cudaGraphNode_t node = nullptr;
    const unsigned long long *word = nullptr;
    unsigned long long ns() const { return *word; }
  };

  unsigned long long *words = nullptr; // pinned
  int used = 0;

  EdgeTimes() { EXPECT_EQ(cudaSuccess, cudaMallocHost(&words, kWords * sizeof *words)); }
  ~EdgeTimes() override { cudaFreeHost(words); }

  Kernel addTimed(Timed kernel, const std::vector<Dependency> &after = {}, unsigned blocks = 1,
                  unsigned threads = 1) {
    unsigned long long *times = words + used, ns = kKernelNs;
    used += 2;
    void *given[] = {&times, &ns};
    cudaGraphNodeParams params = kernelParams(kernel, given);
    params.kernel.gridDim = dim3(blocks);
    params.kernel.blockDim = dim3(threads);
    Kernel added{nullptr, times};
    EXPECT_CUDA(cudaSuccess, tryAdd(graph, after, params, &added.node));
    return added;
  }
  Reading addStamp(Stamp kernel, const std::vector<Dependency> &after, unsigned threads = 1) {
    unsigned long long *word = words + used++;
    void *given[] = {&word};
    cudaGraphNodeParams params = kernelParams(kernel, given);
    params.kernel.blockDim = dim3(threads);
    Reading added{nullptr, word};
    EXPECT_CUDA(cudaSuccess, tryAdd(graph, after, params, &added.node));
    return added;
  }
  // The first launch runs cold code, so the second one counts.
  void run() {
    if (!exec)
      OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
      for (int word = 0; word < kWords; ++word)
        words[word] = 0;
      OK(cudaGraphLaunch(exec, stream));
      OK(cudaStreamSynchronize(stream));
    }
  }
  static void expectDuring(const Kernel &kernel, const Reading &stamp) {
    EXPECT_GE(stamp.ns(), kernel.beginNs());
    EXPECT_LT(stamp.ns(), kernel.endNs());
  }
};

TEST_F(EdgeTimes, CompletionStampReadsEnd) {
  // Behind completion, a stamp reads the end.
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kCompletion}});
  run();
  EXPECT_GE(stamp.ns(), kernel.endNs());
}

TEST_F(EdgeTimes, LaunchCompletionStampReadsBegin) {
  // Behind launch completion, a stamp reads the begin.
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kLaunched}});
  run();
  expectDuring(kernel, stamp);
}

TEST_F(EdgeTimes, ProgrammaticLaunchStampReadsBegin) {
  // Behind a programmatic edge at launch completion, a stamp reads the begin too.
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kProgrammaticLaunched}});
  run();
  expectDuring(kernel, stamp);
}

TEST_F(EdgeTimes, TriggerStampReadsTrigger) {
  // Behind the trigger, a stamp reads the trigger.
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel kernel = addTimed(timedTriggering);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kProgrammatic}});
  run();
  expectDuring(kernel, stamp);
}

TEST_F(EdgeTimes, UntriggeredKernelTriggersAtEnd) {
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kProgrammatic}});
  run();
  EXPECT_GE(stamp.ns(), kernel.endNs());
}

TEST_F(EdgeTimes, WaitingStampReadsEnd) {
  // Behind the trigger, a stamp that waits reads the end.
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel kernel = addTimed(timedTriggering);
  const Reading stamp = addStamp(stampWaiting, {{kernel.node, kProgrammatic}});
  run();
  EXPECT_GE(stamp.ns(), kernel.endNs());
}

TEST_F(EdgeTimes, WaitingKernelBeginsAfterPrevious) {
  // A kernel that waits begins its work when the one before has ended.
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel first = addTimed(timedTriggering);
  const Kernel second = addTimed(timedWaiting, {{first.node, kProgrammatic}});
  const Kernel third = addTimed(timedWaiting, {{second.node, kProgrammatic}});
  const Reading stamps[] = {addStamp(stampWaiting, {{first.node, kProgrammatic}}),
                            addStamp(stampWaiting, {{second.node, kProgrammatic}}),
                            addStamp(stampWaiting, {{third.node, kProgrammatic}})};
  run();
  EXPECT_GE(second.beginNs(), first.endNs());
  EXPECT_GE(third.beginNs(), second.endNs());
  EXPECT_GE(stamps[0].ns(), first.endNs());
  EXPECT_LT(stamps[0].ns(), second.endNs());
  EXPECT_GE(stamps[1].ns(), second.endNs());
  EXPECT_LT(stamps[1].ns(), third.endNs());
  EXPECT_GE(stamps[2].ns(), third.endNs());
}

// A chain of stamps reads each kernel's begin. graphprof's side chain on the port: a stamp waits
// for the previous one, and no kernel waits for a stamp.
TEST_F(EdgeTimes, StampChainReadsEachBegin) {
  Kernel kernels[3];
  Reading stamps[3];
  for (int i = 0; i < 3; ++i) {
    kernels[i] = i ? addTimed(timed, {{kernels[i - 1].node, kCompletion}}) : addTimed(timed);
    std::vector<Dependency> after = {{kernels[i].node, kLaunched}};
    if (i)
      after.push_back({stamps[i - 1].node, kCompletion});
    stamps[i] = addStamp(stampNow, after);
  }
  run();
  for (int i = 0; i < 3; ++i) {
    expectDuring(kernels[i], stamps[i]);
    if (i)
      EXPECT_GE(kernels[i].beginNs(), kernels[i - 1].endNs());
  }
}

// What waits for kernel and stamp begins when the kernel has ended. graphprof's diamond: what
// follows the kernel waits for the stamp too.
TEST_F(EdgeTimes, DiamondWaitsForKernel) {
  const Kernel first = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{first.node, kLaunched}});
  const Kernel second = addTimed(timed, {{first.node, kCompletion}, {stamp.node, kCompletion}});
  run();
  expectDuring(first, stamp);
  EXPECT_GE(second.beginNs(), first.endNs());
}

// If a kernel fills the device, the stamp waits for room until blocks end.
TEST_F(EdgeTimes, FullDeviceDelaysStamp) {
  int multiprocessors = 0, blocks = 0;
  OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, timed, 1024, 0));
  const Kernel kernel = addTimed(timed, {}, static_cast<unsigned>(multiprocessors * blocks), 1024);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kLaunched}});
  run();
  EXPECT_GE(stamp.ns(), kernel.beginNs());
  EXPECT_GT(stamp.ns(), kernel.beginNs() + (kernel.endNs() - kernel.beginNs()) / 2);
}

TEST_F(EdgeTimes, SmallBlocksLeaveStampRoom) {
  // Beside a block on every multiprocessor there is room.
  int multiprocessors = 0;
  OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const Kernel kernel = addTimed(timed, {}, static_cast<unsigned>(multiprocessors), 256);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kLaunched}});
  run();
  expectDuring(kernel, stamp);
}

// Blocks of so many threads find room beside large blocks, which leave a multiprocessor little
// shared memory (graphprof's stampThreads). One thread does not.
TEST_F(EdgeTimes, LargeBlocksLeaveStampRoom) {
  int multiprocessors = 0;
  OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  struct Pair {
    unsigned threads;
    Kernel kernel;
    Reading stamp;
  };
  std::vector<Pair> pairs;
  Kernel before;
  for (const unsigned threads : {128U, 512U, 768U, 1024U}) {
    const std::vector<Dependency> after = before.node
                                              ? std::vector<Dependency>{{before.node, kCompletion}}
                                              : std::vector<Dependency>();
    before = addTimed(timed, after, static_cast<unsigned>(multiprocessors), threads);
    pairs.push_back({threads, before, addStamp(stampNow, {{before.node, kLaunched}}, 256)});
  }
  run();
  for (const auto &[threads, kernel, stamp] : pairs) {
    SCOPED_TRACE(threads);
    expectDuring(kernel, stamp);
  }
}

// Behind the trigger of a stamp, a kernel still waits for the whole of another. graphprof's stamps
// in the chain of a graph with event nodes.
TEST_F(EdgeTimes, StampsTriggerKeepsKernelOrder) {
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel first = addTimed(timed);
  const Reading stamp = addStamp(stampTriggering, {{first.node, kCompletion}});
  const Kernel second = addTimed(timed, {{first.node, kCompletion}, {stamp.node, kProgrammatic}});
  run();
  EXPECT_GE(stamp.ns(), first.endNs());
  EXPECT_LT(stamp.ns(), second.endNs());
  EXPECT_GE(second.beginNs(), first.endNs());
}

TEST_F(EdgeTimes, StampsTriggerKeepsWritesVisible) {
  // Behind the trigger of a stamp, a kernel reads what the kernel before the stamp wrote.
  NEEDS_PROGRAMMATIC_EDGES;
  constexpr unsigned blocks = 256, threads = 256;
  unsigned size = blocks * threads;
  unsigned *values = nullptr, *value = nullptr, *count = nullptr;
  OK(cudaMalloc(&values, size * sizeof *values));
  OK(cudaMallocHost(&value, sizeof *value));
  OK(cudaMallocHost(&count, sizeof *count));
  void *writing[] = {&values, &size, &value}, *counting[] = {&values, &size, &value, &count};
  cudaGraphNodeParams writes = kernelParams(writeAll, writing),
                      counts = kernelParams(countEqual, counting);
  writes.kernel.gridDim = counts.kernel.gridDim = dim3(blocks);
  writes.kernel.blockDim = counts.kernel.blockDim = dim3(threads);
  cudaGraphNode_t writer = nullptr, counter = nullptr;
  OK(tryAdd(graph, {}, writes, &writer));
  const Reading stamp = addStamp(stampTriggering, {{writer, kCompletion}});
  OK(tryAdd(graph, {{writer, kCompletion}, {stamp.node, kProgrammatic}}, counts, &counter));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (unsigned replay = 1; replay <= 200; ++replay) {
    *value = replay;
    *count = 0;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ASSERT_EQ(size, *count) << "replay " << replay;
  }
  OK(cudaFree(values));
  OK(cudaFreeHost(value));
  OK(cudaFreeHost(count));
}

TEST_F(EdgeTimes, CloneRunsAsOriginal) {
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kLaunched}});
  OK(cudaGraphClone(&other, graph));
  OK(cudaGraphInstantiate(&exec, other, 0));
  run();
  expectDuring(kernel, stamp);
}

TEST_F(EdgeTimes, UpdatedExecRunsAsBefore) {
  const Kernel kernel = addTimed(timed);
  const Reading stamp = addStamp(stampNow, {{kernel.node, kLaunched}});
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphClone(&other, graph));
  cudaGraphExecUpdateResultInfo info{};
  OK(cudaGraphExecUpdate(exec, other, &info));
  run();
  expectDuring(kernel, stamp);
}

TEST_F(EdgeTimes, DisabledKernelsStampRuns) {
  const Kernel first = addTimed(timed);
  const Kernel second = addTimed(timed, {{first.node, kCompletion}});
  const Reading stamp = addStamp(stampNow, {{second.node, kLaunched}});
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphNodeSetEnabled(exec, second.node, 0));
  run();
  EXPECT_EQ(0u, second.endNs());
  EXPECT_GE(stamp.ns(), first.endNs());
}

TEST_F(EdgeTimes, DisabledKernelsWaitingStampRuns) {
  NEEDS_PROGRAMMATIC_EDGES;
  const Kernel first = addTimed(timed);
  const Kernel second = addTimed(timedTriggering, {{first.node, kCompletion}});
  const Reading stamp = addStamp(stampWaiting, {{second.node, kProgrammatic}});
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphNodeSetEnabled(exec, second.node, 0));
  run();
  EXPECT_EQ(0u, second.endNs());
  EXPECT_GE(stamp.ns(), first.endNs());
}

} // namespace
} // namespace conformance
