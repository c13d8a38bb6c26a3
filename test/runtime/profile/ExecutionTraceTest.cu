// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphs are made of, as an execution trace says it: each node, what it waits for, and the
// region that it is in, wherever the graph came from.

#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/Files.h"
#include "support/Recorder.h"
#include "support/Stderr.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using nlohmann::json;

profile_options withGraphs() {
  profile_options options;
  options.execution_trace = true;
  return options;
}

class ExecutionTrace : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(cudaSuccess, cudaPeekAtLastError()); }

  void launch(cudaGraph_t graph, int times) {
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  }
  // The graphs that the profile's trace holds.
  json graphsOf(profile &profiler) {
    EXPECT_TRUE(profiler.stop());
    const std::string path = folder_.file("graphs.json");
    EXPECT_TRUE(profiler.export_execution_trace(path));
    std::ifstream file(path);
    return json::parse(file).at("graphs");
  }
  // The name of the region that a node is in; none: empty.
  static std::string regionOf(const json &graph, const json &node) {
    if (!node.contains("region"))
      return {};
    return graph["regions"][node["region"].get<std::size_t>()]["name"].get<std::string>();
  }
  static std::vector<std::string> regionsOfNodes(const json &graph) {
    std::vector<std::string> regions;
    for (const json &node : graph["nodes"])
      regions.push_back(regionOf(graph, node));
    return regions;
  }
  static std::vector<std::vector<int>> edges(const json &graph) {
    std::vector<std::vector<int>> after;
    for (const json &node : graph["nodes"])
      after.push_back(node["after"].get<std::vector<int>>());
    return after;
  }

  const Folder folder_;
  TestStream stream_;
};

using Names = std::vector<std::string>;
using Edges = std::vector<std::vector<int>>;

TEST_F(ExecutionTrace, NestedRegionsAreDrawn) {
  // A captured graph with a region in a region.
  profile profiler(withGraphs());
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream_));
    shortWork(stream_);
    {
      GRAPHPROF_SCOPE(2, "inner", on_stream(stream_));
      longWork(stream_);
    }
    shortWork(stream_);
  });
  launch(graph, 4);
  const json graphs = graphsOf(profiler);
  ASSERT_EQ(1u, graphs.size());
  const json &drawn = graphs[0];
  EXPECT_EQ((Names{"", "outer", "inner", "outer"}), regionsOfNodes(drawn));
  EXPECT_EQ((Edges{{}, {0}, {1}, {2}}), edges(drawn));
  EXPECT_EQ(4, drawn["replays"]);
  EXPECT_EQ(1, drawn["cold_replays"]);
  EXPECT_EQ(3, drawn["span"]["count"]);
  ASSERT_EQ(2u, drawn["regions"].size());
  EXPECT_EQ(0, drawn["regions"][1]["parent"]);
  EXPECT_FALSE(drawn["regions"][0].contains("parent"));
  for (const json &region : drawn["regions"]) {
    EXPECT_EQ(3, region["count"]) << region;
    EXPECT_GT(region["median_ns"], 0) << region;
  }
  EXPECT_NE(std::string::npos, drawn["nodes"][2]["name"].get<std::string>().find("LongWork"));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(ExecutionTrace, ForkedStreamsAreDrawn) {
  profile profiler(withGraphs());
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side, fork, 0));
    {
      GRAPHPROF_SCOPE(1, "left", on_stream(stream_));
      shortWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(2, "right", on_stream(side));
      shortWork(side);
    }
    CUDA_OK(cudaEventRecord(join, side));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    shortWork(stream_);
  });
  launch(graph, 2);
  const json graphs = graphsOf(profiler);
  ASSERT_EQ(1u, graphs.size());
  EXPECT_EQ((Names{"", "left", "right", ""}), regionsOfNodes(graphs[0]));
  EXPECT_EQ((Edges{{}, {0}, {0}, {1, 2}}), edges(graphs[0]));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

TEST_F(ExecutionTrace, ChildGraphStandsInItsNode) {
  // A child graph stands in the node that holds it.
  profile profiler(withGraphs());
  const cudaGraph_t child = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "in child", on_stream(stream_));
    longWork(stream_);
  });
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first = nullptr, second = nullptr;
  {
    GRAPHPROF_SCOPE(2, "first use", on_capture());
    CUDA_OK(cuda::cudaGraphAddChildGraphNode(&first, graph, nullptr, 0, child));
  }
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
  launch(graph, 2);
  const json graphs = graphsOf(profiler);
  ASSERT_EQ(1u, graphs.size());
  const json &drawn = graphs[0];
  EXPECT_EQ((Names{"first use", "", "in child", "in child"}), regionsOfNodes(drawn));
  ASSERT_EQ(4u, drawn["nodes"].size());
  EXPECT_EQ("child graph", drawn["nodes"][0]["type"]);
  ASSERT_EQ(3u, drawn["regions"].size());
  std::vector<int> holders;
  for (std::size_t i = 2; i < 4; ++i)
    holders.push_back(drawn["nodes"][i]["inside"]);
  std::sort(holders.begin(), holders.end());
  EXPECT_EQ((std::vector<int>{0, 1}), holders);
  EXPECT_NE(drawn["nodes"][2]["region"], drawn["nodes"][3]["region"]);
  for (const json &region : drawn["regions"])
    EXPECT_EQ(1, region["count"]) << region;
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cuda::cudaGraphDestroy(child));
}

TEST_F(ExecutionTrace, BodyStandsInItsNode) {
  if (withEvents())
    GTEST_SKIP() << "no events in conditional bodies";
  profile profiler(withGraphs());
  unsigned *counter = nullptr;
  CUDA_OK(cudaMallocHost(&counter, sizeof *counter));
  cudaGraph_t body = nullptr;
  const cudaGraph_t graph = capture(stream_, [&] {
    cudaStreamCaptureStatus status{};
    cudaGraph_t captured = nullptr;
    CUDA_OK(
        cudaStreamGetCaptureInfo(stream_, &status, nullptr, &captured, nullptr, nullptr, nullptr));
    cudaGraphConditionalHandle handle{};
    CUDA_OK(cudaGraphConditionalHandleCreate(&handle, captured, 1, cudaGraphCondAssignDefault));
    {
      GRAPHPROF_SCOPE(1, "before", on_stream(stream_));
      setCounter(stream_, counter, 3, handle, 1);
    }
    const cudaGraphNode_t *frontier = nullptr;
    std::size_t count = 0;
    CUDA_OK(
        cudaStreamGetCaptureInfo(stream_, &status, nullptr, &captured, &frontier, nullptr, &count));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    CUDA_OK(cuda::cudaGraphAddNode(&node, captured, frontier, nullptr, count, &params));
    body = params.conditional.phGraph_out[0];
    const TestStream inner;
    CUDA_OK(cuda::cudaStreamBeginCaptureToGraph(inner, body, nullptr, nullptr, 0,
                                                cudaStreamCaptureModeRelaxed));
    {
      GRAPHPROF_SCOPE(2, "iteration", on_stream(inner));
      countDown(inner, counter, handle);
    }
    CUDA_OK(cuda::cudaStreamEndCapture(inner, nullptr));
    CUDA_OK(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1,
                                                cudaStreamSetCaptureDependencies));
  });
  launch(graph, 3);
  const json graphs = graphsOf(profiler);
  ASSERT_EQ(1u, graphs.size());
  const json &drawn = graphs[0];
  ASSERT_EQ(3u, drawn["nodes"].size()) << drawn;
  EXPECT_EQ((Names{"before", "", "iteration"}), regionsOfNodes(drawn));
  EXPECT_EQ("conditional", drawn["nodes"][1]["type"]);
  EXPECT_EQ(1, drawn["nodes"][2]["inside"]);
  ASSERT_EQ(2u, drawn["regions"].size());
  EXPECT_EQ(1, drawn["regions"][1]["inside"]);
  EXPECT_EQ(6, drawn["regions"][1]["count"]) << "three in each of two warm replays";
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaFreeHost(counter));
}

TEST_F(ExecutionTrace, RecapturedGraphIsDrawnOnce) {
  profile profiler(withGraphs());
  for (int i = 0; i < 3; ++i) {
    const cudaGraph_t graph = capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "same", on_stream(stream_));
      shortWork(stream_);
    });
    launch(graph, 2);
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
  const json graphs = graphsOf(profiler);
  ASSERT_EQ(1u, graphs.size());
  EXPECT_EQ(3, graphs[0]["graphs"]);
  EXPECT_EQ(6, graphs[0]["replays"]);
  EXPECT_EQ(3, graphs[0]["regions"][0]["count"]);
}

class Observer : public ExecutionTrace {
protected:
  void SetUp() override { observer_.register_callback(path_); }
  [[nodiscard]] json graphs() const {
    std::ifstream file(path_);
    return file ? json::parse(file).at("graphs") : json();
  }
  cudaGraph_t oneRegion(const char *name) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "region {}", on_stream(stream_), name);
      shortWork(stream_);
    });
  }
  void launchAndDestroy(cudaGraph_t graph, int times) {
    launch(graph, times);
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }

  const std::string path_ = folder_.file("observed.json");
  ExecutionTraceObserver observer_;
};

TEST_F(Observer, CycleEndWritesAllGraphs) {
  // It writes the graphs of all cycles at the end of each.
  std::vector<json> seen; // in on_trace_ready
  profile_options options;
  options.schedule = graphprof::schedule(1, 0, 1, 2);
  options.execution_trace_observer = observer_;
  options.on_trace_ready = [&](const Trace &) { seen.push_back(graphs()); };
  {
    profile profiler(options);
    const cudaGraph_t first = oneRegion("a"), second = oneRegion("b");
    launchAndDestroy(oneRegion("not recorded"), 1);
    profiler.step();
    launchAndDestroy(first, 2);
    profiler.step();
    EXPECT_TRUE(profiler.flush());
    profiler.step();
    launchAndDestroy(second, 3);
    EXPECT_TRUE(profiler.stop());
    EXPECT_TRUE(observer_.is_registered());
  }
  EXPECT_FALSE(observer_.is_registered()) << "as at the end of PyTorch's profile";
  ASSERT_EQ(2u, seen.size());
  ASSERT_EQ(1u, seen[0].size());
  EXPECT_EQ((Names{"region a"}), regionsOfNodes(seen[0][0]));
  ASSERT_EQ(2u, seen[1].size());
  EXPECT_EQ(2, seen[1][0]["replays"]);
  EXPECT_EQ((Names{"region b"}), regionsOfNodes(seen[1][1]));
  EXPECT_EQ(3, seen[1][1]["replays"]);
  EXPECT_EQ(seen[1], graphs());
}

TEST_F(Observer, RecordsBetweenStartAndStop) {
  ExecutionTraceObserver copy = observer_; // the same one
  const cudaGraph_t graph = oneRegion("a");
  const cudaGraphExec_t exec = instantiate(graph);
  const auto launches = [&](int times) {
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  };
  launches(1);
  EXPECT_FALSE(copy.is_running());
  copy.start();
  copy.start();
  EXPECT_TRUE(observer_.is_running());
  launches(2);
  observer_.stop();
  EXPECT_FALSE(copy.is_running());
  launches(4);
  ASSERT_EQ(1u, graphs().size());
  EXPECT_EQ(2, graphs()[0]["replays"]);
  observer_.start();
  launches(3);
  copy.unregister_callback(); // stops
  EXPECT_FALSE(observer_.is_registered());
  ASSERT_EQ(1u, graphs().size());
  EXPECT_EQ(5, graphs()[0]["replays"]);
  observer_.start();
  EXPECT_FALSE(observer_.is_running()) << "it is not registered";
  EXPECT_EQ(path_, observer_.get_output_file_path());
  destroy({exec}, {graph});
}

TEST_F(Observer, KnowsGraphsMadeWhileRegistered) {
  // It knows the graphs that are made while it is registered.
  observer_.unregister_callback();
  const cudaGraph_t graph = oneRegion("early");
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(&observer_, &observer_.register_callback(path_));
  captureStderr();
  observer_.start();
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  observer_.stop();
  EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find(
                                   "made before its ExecutionTraceObserver was registered"));
  EXPECT_TRUE(graphs().empty());
  destroy({exec}, {graph});
}

TEST_F(Observer, RefusesPathWithoutForm) {
  ExecutionTraceObserver other;
  captureStderr();
  other.register_callback(folder_.file("graphs.png"));
  EXPECT_NE(std::string::npos,
            testing::internal::GetCapturedStderr().find("graphs.png must end in .json or .dot"));
  EXPECT_FALSE(other.is_registered());
  EXPECT_EQ("", other.get_output_file_path());
  other.start();
  EXPECT_FALSE(other.is_running());
}

TEST_F(Observer, KeepsItsFirstPath) {
  // It stays with its first path until it is unregistered.
  observer_.register_callback(folder_.file("other.json"));
  EXPECT_EQ(path_, observer_.get_output_file_path());
  observer_.unregister_callback();
  observer_.register_callback(folder_.file("other.json"));
  EXPECT_EQ(folder_.file("other.json"), observer_.get_output_file_path());
}

TEST_F(Observer, SaysMissingFileOnce) {
  // It says once where no file can be made.
  observer_.unregister_callback();
  observer_.register_callback(folder_.file("missing/graphs.json"));
  captureStderr();
  for (int i = 0; i < 2; ++i) {
    observer_.start();
    launchAndDestroy(oneRegion("a"), 1);
    observer_.stop();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t at = said.find("nothing was exported: ");
  ASSERT_NE(std::string::npos, at);
  EXPECT_EQ(std::string::npos, said.find("nothing was exported: ", at + 1));
}

TEST_F(ExecutionTrace, GraphsAreIgnoredWithoutObserver) {
  profile profiler;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    shortWork(stream_);
  });
  launch(graph, 2);
  EXPECT_TRUE(graphsOf(profiler).empty());
  EXPECT_FALSE(profiler.export_execution_trace(folder_.file("graphs.png")));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
