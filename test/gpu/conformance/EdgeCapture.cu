// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures of launches with programmatic attributes, and of events that a launch records.

#include "Edges.h"

namespace conformance {
namespace {

struct EdgeCapture : EdgeTest {
  Stream branch;
  Event marked{cudaEventDisableTiming}, joined{cudaEventDisableTiming};
  std::vector<cudaGraphNode_t> nodes;

  static cudaLaunchAttribute serialized() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
  }
  static cudaLaunchAttribute programmatic(cudaEvent_t event, bool atBlockStart) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    attribute.val.programmaticEvent.triggerAtBlockStart = atBlockStart;
    return attribute;
  }
  static cudaLaunchAttribute launched(cudaEvent_t event) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
    attribute.val.launchCompletionEvent.event = event;
    return attribute;
  }
  static cudaError_t launchWith(cudaLaunchAttribute attribute, cudaStream_t on) {
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = on;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, spin, kShortNs);
  }
  void begin() { OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); }
  void end() {
    OK(cudaStreamEndCapture(stream, &other));
    nodes = nodesOf(other);
    OK(cudaGraphInstantiate(&exec, other, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
  }
  // Captures a kernel that records the event in one stream, and a kernel that waits for it in
  // another.
  void captureBranchBehind(cudaLaunchAttribute attribute) {
    begin();
    OK(launchWith(attribute, stream));
    OK(cudaStreamWaitEvent(branch, marked, 0));
    spinOn(branch);
    OK(cudaEventRecord(joined, branch));
    OK(cudaStreamWaitEvent(stream, joined, 0));
    end();
    ASSERT_EQ(2u, nodes.size());
  }
};

TEST_F(EdgeCapture, SerializedLaunchHangsOnTrigger) {
  // A serialized launch hangs on the kernel's trigger.
  NEEDS_PROGRAMMATIC_EDGES;
  begin();
  spinOn(stream);
  OK(launchWith(serialized(), stream));
  spinOn(stream);
  end();
  ASSERT_EQ(3u, nodes.size());
  expectSame(kProgrammatic, onlyEdgeTo(nodes[1]));
  expectSame(kCompletion, onlyEdgeTo(nodes[2]));
}

TEST_F(EdgeCapture, NonKernelGivesOrdinaryEdge) {
  // Behind what is no kernel, a serialized launch has an ordinary edge.
  NEEDS_PROGRAMMATIC_EDGES;
  int *word = nullptr;
  OK(cudaMalloc(&word, sizeof *word));
  begin();
  OK(cudaMemsetAsync(word, 0, sizeof *word, stream));
  OK(launchWith(serialized(), stream));
  end();
  ASSERT_EQ(2u, nodes.size());
  expectSame(kCompletion, onlyEdgeTo(nodes[1]));
  OK(cudaFree(word));
}

TEST_F(EdgeCapture, FirstLaunchDependsOnNothing) {
  // At the begin, a serialized launch depends on nothing.
  NEEDS_PROGRAMMATIC_EDGES;
  begin();
  OK(launchWith(serialized(), stream));
  end();
  ASSERT_EQ(1u, nodes.size());
  EXPECT_TRUE(dependenciesOf(nodes[0]).empty());
}

TEST_F(EdgeCapture, ProgrammaticEventHangsOnTrigger) {
  // Who waits for a programmatic event hangs on the trigger.
  NEEDS_PROGRAMMATIC_EDGES;
  captureBranchBehind(programmatic(marked, false));
  expectSame(kProgrammatic, onlyEdgeTo(nodes[1]));
}

TEST_F(EdgeCapture, BlockStartEventHangsOnLaunchCompletion) {
  // Who waits for an event that triggers at block start hangs on launch completion.
  NEEDS_PROGRAMMATIC_EDGES;
  captureBranchBehind(programmatic(marked, true));
  expectSame(kProgrammaticLaunched, onlyEdgeTo(nodes[1]));
}

TEST_F(EdgeCapture, LaunchCompletionEventGivesPlainEdge) {
  // Who waits for a launch completion event hangs on that plainly.
  captureBranchBehind(launched(marked));
  expectSame(kLaunched, onlyEdgeTo(nodes[1]));
}

TEST_F(EdgeCapture, FrontierTellsTheEdge) {
  // The waiting stream's frontier tells the edge.
  begin();
  OK(launchWith(launched(marked), stream));
  OK(cudaStreamWaitEvent(branch, marked, 0));
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *frontier = nullptr;
  const cudaGraphEdgeData *told = nullptr;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo(branch, &status, nullptr, nullptr, &frontier, &told, &count));
  ASSERT_EQ(1u, count);
  expectSame(kLaunched, told[0]);
  // The edge in the launching stream is an ordinary one.
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &frontier, &told, &count));
  ASSERT_EQ(1u, count);
  expectSame(kCompletion, told[0]);
  spinOn(branch);
  OK(cudaEventRecord(joined, branch));
  OK(cudaStreamWaitEvent(stream, joined, 0));
  end();
}

TEST_F(EdgeCapture, LaunchEventRefusesTiming) {
  // The event of a launch is none that has times.
  Event timing;
  EXPECT_CUDA(cudaErrorNotSupported, launchWith(launched(timing), stream));
  begin();
  EXPECT_CUDA(cudaErrorNotSupported, launchWith(launched(timing), stream));
  end();
}

TEST_F(EdgeCapture, UncapturedEventIsRecorded) {
  // Outside a capture, the event is recorded.
  OK(launchWith(launched(marked), stream));
  OK(cudaStreamWaitEvent(branch, marked, 0));
  spinOn(branch);
  OK(cudaEventSynchronize(marked));
  OK(cudaStreamSynchronize(branch));
}

TEST_F(EdgeCapture, DriverLaunchTakesSameAttributes) {
  NEEDS_PROGRAMMATIC_EDGES;
  cudaFunction_t function = nullptr;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(spin)));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  begin();
  spinOn(stream);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuLaunchKernelEx)(&config, function, arguments, nullptr));
  end();
  ASSERT_EQ(2u, nodes.size());
  expectSame(kProgrammatic, onlyEdgeTo(nodes[1]));
}

} // namespace
} // namespace conformance
