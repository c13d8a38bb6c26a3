// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// When profiled execs are made, and what becomes of those that cannot be. On the simulation, which
// counts the driver's calls: the program's own are the runtime's.

#include "cudasim/cudasim.h"
#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

constexpr const char *instantiates = "cuGraphInstantiateWithFlags";

class LateExecs : public ByteGraphs {
protected:
  // What the first graph of a process costs besides: the trial of edges, the alignment of clocks.
  void SetUp() override {
    ByteGraphs::SetUp();
    const cudaGraph_t graph = setting(1);
    const cudaGraphExec_t exec = instantiate(graph);
    launchAndRead(exec);
    destroy({exec}, {graph});
    EXPECT_TRUE(flush());
    before_ = cudasim::callCount(instantiates);
  }
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  // Since the test's begin.
  [[nodiscard]] unsigned made() const { return cudasim::callCount(instantiates) - before_; }

  unsigned before_ = 0;
  const Losses lossesBefore_ = losses();
};

TEST_F(LateExecs, UnrecordedExecsAreNeverMade) {
  // Profiled execs that are never recorded are never made.
  constexpr int count = 50;
  const unsigned pinned = cudasim::callCount("cuMemHostRegister_v2");
  const unsigned events = cudasim::callCount("cuEventCreate");
  const cudaGraph_t graph = setting(1), other = setting(2);
  std::vector<cudaGraphExec_t> execs;
  for (int i = 0; i < count; ++i)
    execs.push_back(instantiate(graph));
  stop();
  cudaGraphExecUpdateResultInfo info{};
  for (const cudaGraphExec_t exec : execs) {
    CUDA_OK(cuda::cudaGraphUpload(exec, stream_));
    EXPECT_EQ(1, launchAndRead(exec));
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
    EXPECT_EQ(2, launchAndRead(exec));
  }
  start();
  EXPECT_EQ(0u, made());
  EXPECT_EQ(pinned, cudasim::callCount("cuMemHostRegister_v2"));
  EXPECT_EQ(events, cudasim::callCount("cuEventCreate"));
  destroy(execs, {graph, other});
}

TEST_F(LateExecs, FirstRecordedLaunchMakesExec) {
  // A profiled exec is made once, by the first launch that is recorded.
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(0u, made());
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1u, made());
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1u, made());
  destroy({exec}, {graph});
}

TEST_F(LateExecs, UploadOrEditMakesExec) {
  // A profiled exec is made by an upload or an edit, too.
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t uploaded = instantiate(graph), edited = instantiate(graph);
  CUDA_OK(cuda::cudaGraphUpload(uploaded, stream_));
  EXPECT_EQ(1u, made());
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(edited, memsetNode(graph), &three));
  EXPECT_EQ(2u, made());
  EXPECT_EQ(1, launchAndRead(uploaded));
  EXPECT_EQ(3, launchAndRead(edited));
  EXPECT_EQ(2u, made());
  destroy({uploaded, edited}, {graph});
}

TEST_F(LateExecs, LaunchIntoCaptureMakesNone) {
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  TestStream other;
  CUDA_OK(cuda::cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  EXPECT_NE(cudaSuccess, cuda::cudaGraphLaunch(exec, other));
  cudaGetLastError();
  cudaGraph_t none = nullptr;
  EXPECT_NE(cudaSuccess, cuda::cudaStreamEndCapture(other, &none));
  cudaGetLastError();
  EXPECT_EQ(0u, made());
  EXPECT_EQ(lossesBefore_.not_launched + 1, losses().not_launched);
  destroy({exec}, {graph});
}

TEST_F(LateExecs, RefusedExecIsCountedOnce) {
  // An exec that the driver refuses is counted once, and its launches are plain.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  cudasim::failCall(instantiates, 1, cudaErrorMemoryAllocation);
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1u, made());
  EXPECT_EQ(lossesBefore_.not_instantiated + 1, losses().not_instantiated);
  EXPECT_EQ(lossesBefore_.not_launched, losses().not_launched);
  EXPECT_EQ(0u, recorder.names().size());
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
  launchAndRead(exec); // behind a plain one there is no mark to wait for in another stream
  EXPECT_EQ(1u, recorder.names().size()) << "made by the next chance";
  destroy({exec}, {graph});
}

TEST_F(LateExecs, RefusedExecForEditIsCounted) {
  // An exec that an edit needs and the driver refuses is counted, too.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  cudasim::failCall(instantiates, 1, cudaErrorMemoryAllocation);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ(lossesBefore_.not_instantiated + 1, losses().not_instantiated);
  EXPECT_EQ(lossesBefore_.not_mirrored, losses().not_mirrored);
  EXPECT_EQ(0u, recorder.names().size());
  destroy({exec}, {graph});
}

// Where the first graph is refused, the one it was updated from serves. The memory of the graph
// that it was made of may be gone.
TEST_F(LateExecs, UpdateServesForRefusedGraph) {
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t exec = instantiate(one), updated = instantiate(one);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, two, &info));
  CUDA_OK(cuda::cudaGraphExecUpdate(updated, two, &info));
  cudasim::failCall(instantiates, 1, cudaErrorInvalidValue);
  EXPECT_EQ(2, launchAndRead(exec));
  cudasim::failCall("cuGraphExecUpdate_v2", 1, cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(2, launchAndRead(updated));
  EXPECT_EQ((std::vector<std::string>{"set 2", "set 2"}), recorder.names());
  EXPECT_EQ(lossesBefore_.not_instantiated, losses().not_instantiated);
  destroy({exec, updated}, {one, two});
}

} // namespace
} // namespace graphprof::test
