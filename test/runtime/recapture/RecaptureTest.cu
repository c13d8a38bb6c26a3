// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs whose nodes are captured once more (CUDA 13.3): the capture must find the graph as the
// program made it, and its regions are those of the new capture.

#include "graphprof/cuda_driver.h"

#include "support/ByteGraphs.h"
#include "support/Conditionals.h"
#include "support/Newer.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;
using Callback = CUresult (*)(void *, CUgraphNode, const CUgraphNodeParams *,
                              const CUgraphNodeParams *, int);

CUresult beginOnDriver(CUstream stream, CUstreamCaptureMode mode, CUgraph graph, Callback callback,
                       void *data) {
  using Begin = CUresult(CUstream, CUstreamCaptureMode, CUgraph, Callback, void *);
  static Begin *const begin = newer<Begin>("cuStreamBeginRecaptureToGraph");
  return begin ? begin(stream, mode, graph, callback, data) : CUDA_ERROR_NOT_FOUND;
}

// The wrapper, as a toolkit that declares the function gets it.
GRAPHPROF_FORM_Recaptures(Driver, CUresult, beginRecapture, beginOnDriver,
                          (CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                           Callback callback, void *data),
                          (stream, mode, graph, callback, data))

    class Recapture : public ByteGraphs {
protected:
  void SetUp() override {
    ByteGraphs::SetUp();
    if (!newer<void()>("cuStreamBeginRecaptureToGraph"))
      GTEST_SKIP() << "needs CUDA 13.3";
  }
  void set(int value) { CUDA_OK(cudaMemsetAsync(byte_, value, 1, stream_)); }
  void updatable() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream_;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_OK(cudaLaunchKernelExC(&config, shortKernel(), nullptr));
  }
  // Captures what `body` does into `graph` once more, and returns what the capture's end returned.
  template <class Body>
  CUresult recapture(cudaGraph_t graph, Body body, Callback callback = nullptr,
                     void *data = nullptr) {
    EXPECT_EQ(CUDA_SUCCESS,
              beginRecapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, callback, data));
    body();
    CUgraph ended = nullptr;
    const CUresult result = cuda::cuStreamEndCapture(stream_, &ended);
    EXPECT_EQ(result == CUDA_SUCCESS ? graph : nullptr, ended);
    return result;
  }
  int launched(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    unsigned char seen = 0;
    EXPECT_EQ(cudaSuccess, cudaMemcpy(&seen, byte_, 1, cudaMemcpyDeviceToHost));
    return seen;
  }
};

TEST_F(Recapture, RegionsAreThoseOfTheNewCapture) {
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "first", on_stream(stream_));
    shortWork(stream_);
    set(1);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(1, launched(exec));
  EXPECT_EQ(CUDA_SUCCESS, recapture(graph, [&] {
              {
                GRAPHPROF_SCOPE(2, "kernel", on_stream(stream_));
                shortWork(stream_);
              }
              GRAPHPROF_SCOPE(3, "memset", on_capture());
              set(2);
            }));
  EXPECT_EQ(2u, nodeCount(graph)) << "no node was added";
  EXPECT_EQ(1, launched(exec)) << "an exec is another copy";
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
  EXPECT_EQ(2, launched(exec));
  const cudaGraphExec_t other = instantiate(graph);
  EXPECT_EQ(2, launched(other));
  EXPECT_EQ((Names{"first", "first", "kernel", "memset", "kernel", "memset"}), recorder.names());
  destroy({exec, other}, {graph});
}

TEST_F(Recapture, OtherShapeFails) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
    shortWork(stream_);
    set(1);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, recapture(graph, [&] {
              GRAPHPROF_SCOPE(2, "other", on_stream(stream_));
              EXPECT_EQ(918, cudaMemsetAsync(byte_, 2, 1, stream_));
              cudaGetLastError();
            }));
  EXPECT_EQ(before.invalidated + 1, losses().invalidated);
  EXPECT_EQ(1, launched(exec));
  EXPECT_EQ(Names{"work"}, recorder.names());
  destroy({exec}, {graph}); // it is undefined now
}

TEST_F(Recapture, ShorterCaptureFails) {
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    set(1);
  });
  EXPECT_EQ(918, recapture(graph, [&] { shortWork(stream_); }));
  destroy({}, {graph});
}

TEST_F(Recapture, CallbackHearsOfOtherParameters) {
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    set(1);
  });
  struct Seen {
    int calls = 0;
    unsigned before = 0, now = 0;
    CUresult answer = CUDA_SUCCESS;
  } seen;
  const Callback callback = [](void *data, CUgraphNode, const CUgraphNodeParams *before,
                               const CUgraphNodeParams *now, int) {
    Seen &mine = *static_cast<Seen *>(data);
    ++mine.calls;
    mine.before = before->memset.value;
    mine.now = now->memset.value;
    return mine.answer;
  };
  const auto again = [&](int value) {
    return recapture(
        graph,
        [&] {
          shortWork(stream_);
          cudaMemsetAsync(byte_, value, 1, stream_);
          cudaGetLastError();
        },
        callback, &seen);
  };
  EXPECT_EQ(CUDA_SUCCESS, again(1));
  EXPECT_EQ(0, seen.calls);
  EXPECT_EQ(CUDA_SUCCESS, again(2));
  EXPECT_EQ(1, seen.calls);
  EXPECT_EQ(1u, seen.before);
  EXPECT_EQ(2u, seen.now);
  seen.answer = CUDA_ERROR_INVALID_VALUE;
  EXPECT_NE(CUDA_SUCCESS, again(3));
  destroy({}, {graph});
}

TEST_F(Recapture, TimingNodesAreTakenOut) {
  // Of a graph with a kernel that the device may update, which is timed in place.
  Recorder recorder;
  const Losses before = losses();
  const auto body = [&](int take) {
    GRAPHPROF_SCOPE(1, "take {}", on_stream(stream_), take);
    updatable();
    shortWork(stream_);
  };
  const cudaGraph_t graph = capture(stream_, [&] { body(1); });
  cudaGraphExec_t exec = instantiate(graph);
  EXPECT_LT(2u, nodeCount(graph));
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  EXPECT_EQ(CUDA_SUCCESS, recapture(graph, [&] { body(2); }));
  EXPECT_EQ(2u, nodeCount(graph)) << "as the program made it";
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_)); // timed as before
  CUDA_OK(cudaStreamSynchronize(stream_));
  destroy({exec}, {});
  exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  CUDA_OK(cudaStreamSynchronize(stream_));
  // With events each launch of an exec needs the nodes that were taken out.
  EXPECT_EQ(withEvents() ? (Names{"take 1", "take 2"}) : (Names{"take 1", "take 1", "take 2"}),
            recorder.names());
  EXPECT_EQ(before.not_mirrored + (withEvents() ? 1 : 0), losses().not_mirrored);
  destroy({exec}, {graph});
}

TEST_F(Recapture, SeveralStreamsHaveRegionsOfTheirOwnOnly) {
  Recorder recorder;
  TestStream other;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreate(&fork));
  CUDA_OK(cudaEventCreate(&join));
  const auto body = [&] {
    GRAPHPROF_SCOPE(1, "all", on_capture());
    shortWork(stream_);
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cuda::cudaStreamWaitEvent(other, fork, 0));
    {
      GRAPHPROF_SCOPE(2, "one", on_stream(other));
      shortWork(other);
    }
    shortWork(stream_);
    CUDA_OK(cudaEventRecord(join, other));
    CUDA_OK(cuda::cudaStreamWaitEvent(stream_, join, 0));
    shortWork(stream_);
  };
  const cudaGraph_t graph = capture(stream_, body);
  EXPECT_EQ(CUDA_SUCCESS, recapture(graph, body));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_TRUE(flush());
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ((Names{"all", "one"}), recorder.names());
  EXPECT_EQ(-1, seen[0].durationNs);
  EXPECT_LT(0, seen[1].durationNs);
  destroy({exec}, {graph});
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

// What CUDA takes no node out of. Such graphs get no nodes, unless the driver has no recapture, or
// the program says that it captures no graph once more.
class Kept : public Conditionals {
protected:
  void SetUp() override {
    Conditionals::SetUp();
    CUDA_OK(cudaStreamSynchronize(stream_));
  }
  static bool hasRecapture() { return newer<void()>("cuStreamBeginRecaptureToGraph") != nullptr; }
  static bool isInPlace() { return !hasRecapture() || std::getenv("GRAPHPROF_IN_PLACE"); }
  void memory() {
    GRAPHPROF_SCOPE(1, "memory", on_stream(stream_));
    void *memory = nullptr;
    if (cudaMallocAsync(&memory, 64, stream_) == cudaSuccess)
      cudaFreeAsync(memory, stream_);
    cudaGetLastError();
  }
  CUresult recapture(cudaGraph_t graph, cudaStream_t stream, const std::function<void()> &body) {
    EXPECT_EQ(CUDA_SUCCESS,
              beginRecapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, nullptr, nullptr));
    body();
    CUgraph ended = nullptr;
    return cuda::cuStreamEndCapture(stream, &ended);
  }
};

TEST_F(Kept, MemoryNodesAreCapturedOnceMore) {
  Recorder recorder;
  const Losses before = losses();
  const cudaGraph_t graph = capture(stream_, [&] { memory(); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(isInPlace() ? Names{"memory"} : Names{}, recorder.names());
  EXPECT_EQ(before.not_instantiated + (isInPlace() ? 0 : 1), losses().not_instantiated);
  EXPECT_EQ(isInPlace(), nodeCount(graph) > 2);
  if (hasRecapture()) { // GRAPHPROF_IN_PLACE=1 was wrong: CUDA refuses it, and that is counted
    EXPECT_EQ(isInPlace(), recapture(graph, stream_, [&] { memory(); }) != CUDA_SUCCESS);
    EXPECT_EQ(before.not_mirrored + (isInPlace() ? 1 : 0), losses().not_mirrored);
  }
  destroy(exec, graph);
}

TEST_F(Kept, BodiesAreCapturedOnceMore) {
  if (withEvents())
    GTEST_SKIP() << "bodies take no events";
  Recorder recorder;
  const Losses before = losses();
  cudaGraph_t body = nullptr;
  const auto step = [&] { region(inner_, "step"); };
  const cudaGraph_t graph = capture(stream_, [&] {
    region(stream_, "before");
    body = addCaptured(stream_, cudaGraphCondTypeIf, 1, 1).bodies[0];
    captureInto(body, inner_, step);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  EXPECT_EQ(isInPlace() ? (Names{"before", "step"}) : Names{}, recorder.names());
  EXPECT_EQ(isInPlace(), before.not_instantiated == losses().not_instantiated);
  EXPECT_EQ(isInPlace(), nodeCount(graph) > 2);
  EXPECT_EQ(isInPlace(), nodeCount(body) > 1);
  if (hasRecapture() && !isInPlace())
    EXPECT_EQ(CUDA_SUCCESS, recapture(body, inner_, step));
  destroy(exec, graph);
}

} // namespace
} // namespace graphprof::test
