// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Recording in parts and in samples: what is recorded then, and that the program's work is done all
// the same.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

class Budget : public ByteGraphs {
protected:
  void TearDown() override {
    EXPECT_TRUE(set_recording_terms({}));
    ByteGraphs::TearDown();
  }

  // Layers of a short and a long region each, in a step; at its end the byte is set to `value`.
  cudaGraph_t layers(int count, int value = 1) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "step", on_stream(stream_));
      for (int layer = 0; layer < count; ++layer) {
        GRAPHPROF_SCOPE(2, "layer {}", on_stream(stream_), layer);
        {
          GRAPHPROF_SCOPE(3, "short", on_stream(stream_));
          shortWork(stream_);
        }
        GRAPHPROF_SCOPE(4, "long", on_stream(stream_));
        longWork(stream_);
      }
      set(value);
    });
  }
  void launch(cudaGraphExec_t exec, int times, cudaStream_t stream) {
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
  }
  void launch(cudaGraphExec_t exec, int times) { launch(exec, times, stream_); }
  [[nodiscard]] std::uint64_t leftOut() const { return losses().not_sampled - before_.not_sampled; }
  void expectNothingLost() const {
    EXPECT_EQ(before_.not_launched, losses().not_launched);
    EXPECT_EQ(before_.incomplete, losses().incomplete);
    EXPECT_EQ(before_.not_instantiated, losses().not_instantiated);
  }
  const Losses before_ = losses();
};

// The numbers of the replays of each region.
std::map<std::string, std::vector<std::uint64_t>> replaysOf(const std::vector<Seen> &seen) {
  std::map<std::string, std::vector<std::uint64_t>> replays;
  for (const Seen &record : seen) {
    EXPECT_GE(record.durationNs, 0) << record.name;
    replays[record.name].push_back(record.replay);
  }
  return replays;
}

TEST_F(Budget, PartsTogetherHoldEveryRegion) {
  ASSERT_TRUE(set_recording_terms({.parts = 4}));
  Recorder recorder;
  const cudaGraph_t graph = layers(6);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 24);
  EXPECT_EQ(1, *seen_);
  const std::vector<Seen> seen = recorder.all();
  auto replays = replaysOf(seen);
  // With stamps at begins, every second launch stamps ends at first.
  const bool stampsEnds = leftOut() > 0;
  const std::size_t recorded = stampsEnds ? 12 : 24;
  EXPECT_EQ(24 - recorded, leftOut());
  EXPECT_EQ(recorded, replays["step"].size()) << "around every part";
  std::size_t shorts = 0;
  for (int layer = 0; layer < 6; ++layer) {
    const auto &own = replays["layer " + std::to_string(layer)];
    EXPECT_GE(own.size(), recorded / 4) << layer;
    EXPECT_LT(own.size(), recorded) << layer;
    shorts += recorded / 4;
  }
  EXPECT_EQ(shorts, replays["short"].size()) << "each in one of four replays";
  EXPECT_EQ(shorts, replays["long"].size());
  expectNothingLost();
  destroy({exec}, {graph});
}

// A region is the same long, whichever part it is in.
TEST_F(Budget, PartsReadWholesTimes) {
  Recorder recorder;
  const cudaGraph_t graph = layers(4);
  ASSERT_TRUE(set_recording_terms({.parts = 3}));
  const cudaGraphExec_t inParts = instantiate(graph);
  launch(inParts, 12); // every second one may stamp ends: two of each part remain, one of them cold
  const std::size_t fromParts = recorder.all().size();
  ASSERT_TRUE(set_recording_terms({}));
  const cudaGraphExec_t whole = instantiate(graph);
  launch(whole, 3);
  const std::vector<Seen> seen = recorder.all();
  std::map<std::string, std::vector<std::int64_t>> longest;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i].cold)
      longest[seen[i].name + (i < fromParts ? " in parts" : "")].push_back(seen[i].durationNs);
  for (const char *name : {"short", "long", "layer 1", "layer 3"}) {
    auto parts = longest[std::string(name) + " in parts"], all = longest[name];
    ASSERT_FALSE(parts.empty()) << name;
    ASSERT_FALSE(all.empty()) << name;
    std::sort(parts.begin(), parts.end());
    std::sort(all.begin(), all.end());
    const auto part = static_cast<double>(parts[parts.size() / 2]),
               one = static_cast<double>(all[all.size() / 2]);
    EXPECT_LT(part, 1.5 * one) << name;
    EXPECT_GT(part, one / 1.5) << name;
  }
  destroy({inParts, whole}, {graph});
}

TEST_F(Budget, SamplesRecordAndCount) {
  // Samples are recorded, and the others counted.
  ASSERT_TRUE(set_recording_terms({.sample_every = 5}));
  Recorder recorder;
  const cudaGraph_t graph = layers(2);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 50);
  const auto replays = replaysOf(recorder.all());
  const std::vector<std::uint64_t> &steps = replays.at("step");
  EXPECT_EQ(50U, steps.size() + leftOut());
  EXPECT_GE(steps.size(), 5U);
  EXPECT_LE(steps.size(), 20U);
  EXPECT_EQ(0U, steps.front()) << "a rare exec has a sample";
  EXPECT_EQ(2 * steps.size(), replays.at("long").size());
  expectNothingLost();
  destroy({exec}, {graph});
}

// A recorded launch behind one that is not, in another stream, needs a mark to wait for.
TEST_F(Budget, SamplesFollowOtherStreamsLaunches) {
  ASSERT_TRUE(set_recording_terms({.sample_every = 4}));
  Recorder recorder;
  const TestStream other;
  const cudaGraph_t graph = layers(1);
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 40; ++i)
    CUDA_OK(cuda::cudaGraphLaunch(exec, i % 2 == 0 ? stream_ : other));
  CUDA_OK(cudaStreamSynchronize(stream_));
  CUDA_OK(cudaStreamSynchronize(other));
  const auto replays = replaysOf(recorder.all());
  EXPECT_EQ(40U, replays.at("step").size() + leftOut());
  EXPECT_GE(replays.at("step").size(), 5U);
  expectNothingLost();
  destroy({exec}, {graph});
}

// What the program changes, the whole follows; parts would not.
TEST_F(Budget, EditEndsParts) {
  ASSERT_TRUE(set_recording_terms({.parts = 3}));
  Recorder recorder;
  const cudaGraph_t graph = layers(3);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 6);
  EXPECT_EQ(1, *seen_);
  const std::size_t before = recorder.all().size();
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three));
  launch(exec, 2);
  EXPECT_EQ(3, *seen_);
  EXPECT_EQ(before + 2 * (1 + 3 * 3), recorder.all().size()) << "whole from then on";
  expectNothingLost();
  destroy({exec}, {graph});
}

TEST_F(Budget, UpdateEndsParts) {
  ASSERT_TRUE(set_recording_terms({.parts = 3}));
  Recorder recorder;
  const cudaGraph_t graph = layers(3), next = layers(3, 7);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  const std::size_t before = recorder.all().size();
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, next, &info));
  launch(exec, 2);
  EXPECT_EQ(7, *seen_);
  EXPECT_EQ(before + 2 * (1 + 3 * 3), recorder.all().size());
  expectNothingLost();
  destroy({exec}, {graph, next});
}

// The program's graph may be gone when a part is first needed.
TEST_F(Budget, PartsOutliveTheGraph) {
  ASSERT_TRUE(set_recording_terms({.parts = 3}));
  Recorder recorder;
  const cudaGraph_t graph = layers(3);
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  launch(exec, 12);
  EXPECT_EQ(1, *seen_);
  EXPECT_EQ(12U, replaysOf(recorder.all())["step"].size() + leftOut());
  EXPECT_LE(leftOut(), 6U);
  expectNothingLost();
  destroy({exec}, {});
}

TEST_F(Budget, CostIsMeasuredAndKept) {
  ASSERT_TRUE(set_recording_terms({.budget = 0.01}));
  Recorder recorder;
  const cudaGraph_t graph = layers(8);
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 40; ++i) { // what was measured is read between launches
    launch(exec, 10);
    EXPECT_TRUE(flush());
  }
  const auto replays = replaysOf(recorder.all());
  EXPECT_GE(replays.at("step").size(), 8U);
  EXPECT_EQ(400U, replays.at("step").size() + leftOut());
  for (int layer = 0; layer < 8; ++layer)
    EXPECT_GE(replays.at("layer " + std::to_string(layer)).size(), 8U) << layer;
  expectNothingLost();
  destroy({exec}, {graph});
}

TEST_F(Budget, RefusesSenselessTerms) {
  EXPECT_FALSE(set_recording_terms({.budget = -0.01}));
  EXPECT_FALSE(set_recording_terms({.budget = 0.6}));
  EXPECT_FALSE(set_recording_terms({.sample_every = 2'000'000'000}));
  EXPECT_FALSE(set_recording_terms({.parts = 65}));
}

} // namespace
} // namespace graphprof::test
