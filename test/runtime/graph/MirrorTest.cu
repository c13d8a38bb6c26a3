// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program does to its exec happens to both execs of the pair.

#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

class Mirror : public ByteGraphs {
protected:
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  static inline const Site site_{"set {}", __FILE__, __LINE__, ""};
};

TEST_F(Mirror, UpdateReachesBothExecs) {
  // An update reaches both execs, and renames the regions.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t exec = instantiate(one);
  EXPECT_EQ(1, launchAndRead(exec));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, two, &info));
  EXPECT_EQ(2, launchAndRead(exec));
  stop();
  EXPECT_EQ(2, launchAndRead(exec)) << "the program's own exec was updated too";
  start();
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 2"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(one));
  CUDA_OK(cuda::cudaGraphDestroy(two));
}

TEST_F(Mirror, UpdateSurvivesItsGraph) {
  // An update from a graph that is destroyed right away holds.
  Recorder recorder;
  const cudaGraph_t first = setting(1);
  const cudaGraphExec_t exec = instantiate(first);
  CUDA_OK(cuda::cudaGraphDestroy(first));
  for (int value = 2; value < 12; ++value) {
    const cudaGraph_t graph = setting(value);
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
    EXPECT_EQ(value, launchAndRead(exec));
  }
  EXPECT_EQ(10u, recorder.names().size());
  EXPECT_EQ("set 11", recorder.names().back());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
}

TEST_F(Mirror, RefusedUpdateChangesNeither) {
  Recorder recorder;
  const cudaGraph_t one = setting(1), other = setting(2, true, true);
  const cudaGraphExec_t exec = instantiate(one);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaErrorGraphExecUpdateFailure, cuda::cudaGraphExecUpdate(exec, other, &info));
  EXPECT_NE(cudaGraphExecUpdateSuccess, info.result);
  EXPECT_EQ(cudaErrorGraphExecUpdateFailure, cudaGetLastError()) << "as it would be without us";
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(one));
  CUDA_OK(cuda::cudaGraphDestroy(other));
}

TEST_F(Mirror, UpdateRemakesProfiledExec) {
  // An update to other regions makes the profiled exec anew.
  Recorder recorder;
  const cudaGraph_t plain = setting(1, false), timed = setting(2, true);
  const cudaGraphExec_t exec = instantiate(plain);
  EXPECT_EQ(1, launchAndRead(exec));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, timed, &info));
  EXPECT_EQ(2, launchAndRead(exec)); // not recorded: the test below says why
  EXPECT_EQ(2, launchAndRead(exec));
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, plain, &info));
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 2"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(plain));
  CUDA_OK(cuda::cudaGraphDestroy(timed));
}

TEST_F(Mirror, NewParametersReachBothExecs) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  stop();
  EXPECT_EQ(3, launchAndRead(exec));
  start();
  EXPECT_EQ(1u, recorder.all().size());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(Mirror, DisabledNodeReachesBothExecs) {
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(1, launchAndRead(exec));
  CUDA_OK(cuda::cudaGraphNodeSetEnabled(exec, memsetNode(graph), 0));
  CUDA_OK(cudaMemset(byte_, 9, 1));
  EXPECT_EQ(9, launchAndRead(exec));
  stop();
  EXPECT_EQ(9, launchAndRead(exec));
  start();
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(Mirror, PendingErrorStopsChange) {
  // While an error is pending, a change is not repeated, and the error stays.
  const Losses before = losses();
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const cudaError_t pending = cudaPeekAtLastError();
  EXPECT_NE(cudaSuccess, pending);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec)) << "on the program's own exec";
  EXPECT_EQ(pending, cudaGetLastError());
  EXPECT_EQ(before.not_mirrored + 1, losses().not_mirrored);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(Mirror, ClonesReplaysAreRecorded) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaGraph_t clone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, graph));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  const cudaGraphExec_t exec = instantiate(clone);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(clone), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 1"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(clone));
}

TEST_F(Mirror, UploadIsHarmless) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphUpload(exec, stream_));
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1u, recorder.all().size());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(Mirror, LaunchesKeepTheirOrder) {
  // Launches keep their order across streams and switches.
  Recorder recorder;
  TestStream other;
  // Each launch appends the byte's new value behind the old one; any overlap or reordering shows in
  // the chain of values.
  constexpr int launches = 60;
  unsigned char *trail = nullptr;
  CUDA_OK(cudaMalloc(&trail, launches + 1));
  CUDA_OK(cudaMemset(trail, 0, launches + 1));
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "shift", on_stream(stream_));
    longWork(stream_);
    // trail[1..n] = trail[0..n-1], one at a time from the end: after k launches the first k+1 bytes
    // are 7.
    for (int i = launches; i > 0; --i)
      cudaMemcpyAsync(trail + i, trail + i - 1, 1, cudaMemcpyDeviceToDevice, stream_);
    cudaMemsetAsync(trail, 7, 1, stream_);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  const cudaStream_t streams[] = {stream_, other};
  for (int i = 0; i < launches; ++i) {
    if (i % 7 == 3)
      stop();
    if (i % 7 == 5)
      start();
    CUDA_OK(cuda::cudaGraphLaunch(exec, streams[(i / 2) % 2]));
  }
  start();
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<unsigned char> result(launches + 1);
  CUDA_OK(cudaMemcpy(result.data(), trail, result.size(), cudaMemcpyDeviceToHost));
  for (int i = 0; i < launches; ++i)
    EXPECT_EQ(7, result[i]) << "after launch " << launches << ", byte " << i;
  EXPECT_EQ(0, result[launches]);
  EXPECT_GT(recorder.all().size(), 10u);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaFree(trail));
}

// An exec that gets regions by an update keeps its launches in order. Its launches before the
// update are not known to graphprof; they are ordered with those behind it.
TEST_F(Mirror, UpdatedExecKeepsLaunchOrder) {
  Recorder recorder;
  TestStream other;
  const auto setting = [&](int value, void (*work)(cudaStream_t), bool withRegion) {
    return capture(stream_, [&] {
      const Scope scope = withRegion ? Scope(site_, on_stream(stream_), value) : Scope();
      for (int i = 0; i < 20; ++i)
        work(stream_);
      cudaMemsetAsync(byte_, value, 1, stream_);
    });
  };
  const cudaGraph_t slow = setting(1, longWork, false), quick = setting(2, shortWork, true);
  const cudaGraphExec_t exec = instantiate(slow);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, quick, &info));
  for (int i = 0; i < 3; ++i)
    CUDA_OK(cuda::cudaGraphLaunch(exec, other));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemcpy(seen_, byte_, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(2, *seen_) << "the slow launch ended last";
  EXPECT_EQ(2u, recorder.all().size()) << "a launch of the program's own exec goes before";
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(slow));
  CUDA_OK(cuda::cudaGraphDestroy(quick));
}

} // namespace
} // namespace graphprof::test
