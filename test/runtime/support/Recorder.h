// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Collects the records of a Profiler's callback, and other helpers for tests.

#ifndef GRAPHPROF_TEST_SUPPORT_RECORDER_H
#define GRAPHPROF_TEST_SUPPORT_RECORDER_H

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"

namespace graphprof::test {

/// A record that outlives the callback.
struct Seen {
  std::string name;
  std::vector<Value> context;
  int depth;
  std::int64_t beginNs, durationNs;
  Clock clock;
  bool cold;
  std::uint64_t graph, exec, replay;
  std::int64_t step;
  Kind kind;
  std::int64_t iteration = -1;
  Ends ends = Ends::Completion;
};

/// Each record's name and iteration, if it has one, indented by depth.
inline std::vector<std::string> told(const std::vector<Seen> &seen) {
  std::vector<std::string> lines;
  for (const Seen &record : seen)
    lines.push_back(std::string(2 * static_cast<std::size_t>(record.depth), ' ') + record.name +
                    (record.iteration < 0 ? "" : " " + std::to_string(record.iteration)));
  return lines;
}

/// At a boundary where one region's end and the next one's begin have separate nodes (in a body, a
/// child graph or beside them), either may read the time first. This is their largest difference.
inline constexpr std::int64_t raceNs = 5'000;

/// Expects that work ends in the order of the records, and that long regions are longer.
inline void expectInOrder(const std::vector<Seen> &seen) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_GT(seen[i].durationNs, 0) << seen[i].name;
    if (seen[i].name == "short" && i + 1 < seen.size() && seen[i + 1].name == "long")
      EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
    if (i > 0 && seen[i].depth == seen[i - 1].depth)
      EXPECT_GE(seen[i].beginNs + raceNs, seen[i - 1].beginNs + seen[i - 1].durationNs) << i;
  }
}

/// Keeps recording on during all tests, whatever a test looks at.
class Listens : public testing::Environment {
public:
  void SetUp() override {
    profiler_ = std::make_unique<Profiler>([](const Record &) {});
  }
  void TearDown() override { profiler_.reset(); }

private:
  std::unique_ptr<Profiler> profiler_;
};
inline testing::Environment *const listens = testing::AddGlobalTestEnvironment(new Listens);

/// While an object of this class lives, only the test's own outputs listen.
class NobodyElseListens {
public:
  NobodyElseListens() { listens->TearDown(); }
  ~NobodyElseListens() { listens->SetUp(); }
  NobodyElseListens(const NobodyElseListens &) = delete;
  NobodyElseListens &operator=(const NobodyElseListens &) = delete;
};

/// Whether the environment chooses the event clock.
inline bool withEvents() {
  const char *clock = std::getenv("GRAPHPROF_CLOCK");
  return clock && std::string_view(clock) == "event";
}

/// Whether stamps depend on the begins of kernels, as far as the environment says.
inline bool stampsAtBegins() {
  const char *edges = std::getenv("GRAPHPROF_EDGES");
  return !withEvents() && !(edges && std::string_view(edges) == "completion");
}

/// Records everything from the construction on.
class Recorder {
public:
  Recorder()
      : profiler_([this](const Record &record) {
          const std::lock_guard lock(mutex_);
          seen_.push_back({std::string(record.name),
                           std::vector<Value>(record.context, record.context + record.context_size),
                           record.depth, record.begin_ns, record.duration_ns, record.clock,
                           record.cold, record.graph, record.exec, record.replay, record.step,
                           record.kind, record.iteration, record.ends});
        }) {}

  /// Waits for all launches, and returns everything recorded so far.
  std::vector<Seen> all() {
    EXPECT_TRUE(profiler_.flush());
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const Seen &seen : all())
      names.push_back(seen.name);
    return names;
  }

private:
  std::mutex mutex_;
  std::vector<Seen> seen_;
  Profiler profiler_; // last, because its callback uses the members above
};

/// The number of bytes of each copy to the device that was timed in steps. Fails the test if
/// anything else was recorded.
inline std::vector<std::uint64_t> copiedBytes(Recorder &recorder) {
  std::vector<std::uint64_t> bytes;
  for (const Seen &copy : recorder.all()) {
    EXPECT_EQ("h2d", copy.name);
    EXPECT_EQ(Clock::Event, copy.clock);
    EXPECT_GE(copy.step, 0);
    EXPECT_GE(copy.durationNs, 0);
    if (copy.context.size() != 2) {
      ADD_FAILURE() << copy.context.size() << " context values";
      continue;
    }
    EXPECT_EQ("bytes", copy.context[0].key());
    EXPECT_EQ("memory", copy.context[1].key());
    bytes.push_back(copy.context[0].as_unsigned());
  }
  return bytes;
}

/// Fails the test if a CUDA call fails.
#define CUDA_OK(call) ASSERT_EQ(cudaSuccess, (call))

/// A stream that is destroyed at the end of its scope.
class TestStream {
public:
  TestStream() {
    EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~TestStream() { cudaStreamDestroy(stream_); }
  TestStream(const TestStream &) = delete;
  TestStream &operator=(const TestStream &) = delete;
  operator cudaStream_t() const { return stream_; } // NOLINT(google-explicit-constructor)

private:
  cudaStream_t stream_ = nullptr;
};

/// Captures `work(stream)` with the redirected calls.
inline cudaGraph_t capture(cudaStream_t stream, const std::function<void()> &work,
                           cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaStreamBeginCapture(stream, mode));
  work();
  EXPECT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(stream, &graph));
  return graph;
}

inline cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
  return exec;
}

/// Destroys execs before graphs.
inline void destroy(const std::vector<cudaGraphExec_t> &execs,
                    const std::vector<cudaGraph_t> &graphs) {
  for (const cudaGraphExec_t exec : execs)
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  for (const cudaGraph_t graph : graphs)
    CUDA_OK(cuda::cudaGraphDestroy(graph));
}

inline std::size_t nodeCount(cudaGraph_t graph) {
  std::size_t count = 0;
  EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_RECORDER_H
