// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphs and launches are called: who gives a name, and how long it lasts.

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;

class GraphNames : public testing::Test {
protected:
  GraphNames() { EXPECT_EQ(cudaSuccess, cudaStreamCreate(&stream_)); }
  ~GraphNames() override {
    destroy(execs_, graphs_);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream_));
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }

  cudaGraph_t captured() {
    graphs_.push_back(capture(stream_, [this] {
      const Scope region(site_, StreamRef(stream_));
      shortWork(stream_);
    }));
    return graphs_.back();
  }
  cudaGraphExec_t instantiated(cudaGraph_t graph) {
    execs_.push_back(instantiate(graph));
    return execs_.back();
  }
  void launch(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
  }
  // What each launch in `work` served.
  std::vector<std::string> served(const std::function<void()> &work) {
    std::vector<std::string> names;
    Profiler profiler([&](const Record &record) {
      if (record.kind == Kind::Region)
        names.emplace_back(record.graph_name);
    });
    work();
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    EXPECT_TRUE(profiler.flush());
    return names;
  }
  std::vector<std::string> servedBy(cudaGraphExec_t exec) {
    return served([&] { launch(exec); });
  }
  std::vector<std::string> servedBy(cudaGraph_t graph) { return servedBy(instantiated(graph)); }

  static inline const Site site_{"region", __FILE__, __LINE__, ""};
  cudaStream_t stream_ = nullptr;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

TEST_F(GraphNames, CaptureGivesTheName) {
  cudaGraph_t graph = nullptr;
  {
    const GraphScope around("outer");
    const GraphScope serves("decode {}", "long", key("batch", 8), key("exact", true));
    graph = captured();
  }
  EXPECT_THAT(servedBy(graph), ElementsAre("decode long batch=8 exact=true"));
  EXPECT_THAT(servedBy(captured()), ElementsAre(""));
}

TEST_F(GraphNames, InstantiationGivesItOnlyToThoseWithout) {
  const cudaGraph_t unnamed = captured();
  cudaGraph_t named = nullptr;
  {
    const GraphScope first("first");
    named = captured();
  }
  {
    const GraphScope second("second");
    instantiated(unnamed);
    instantiated(named);
  }
  EXPECT_THAT(servedBy(execs_[0]), ElementsAre("second"));
  EXPECT_THAT(servedBy(execs_[1]), ElementsAre("first"));
}

TEST_F(GraphNames, LaunchHasItsOwn) {
  cudaGraph_t graph = nullptr;
  {
    const GraphScope serves("decode", key("batch", 8));
    graph = captured();
  }
  const cudaGraphExec_t exec = instantiated(graph);
  EXPECT_THAT(served([&] {
                launch(exec);
                for (const int used : {5, 7, 5}) {
                  const GraphScope serves("decode", key("batch", 8), key("used", used));
                  launch(exec);
                  launch(exec);
                }
                launch(exec);
              }),
              ElementsAre("decode batch=8", "decode batch=8 used=5", "decode batch=8 used=5",
                          "decode batch=8 used=7", "decode batch=8 used=7", "decode batch=8 used=5",
                          "decode batch=8 used=5", "decode batch=8"));
}

TEST_F(GraphNames, ClonesKeepIt) {
  cudaGraph_t graph = nullptr, clone = nullptr;
  {
    const GraphScope serves("decode");
    graph = captured();
  }
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphClone(&clone, graph));
  graphs_.push_back(clone);
  EXPECT_THAT(servedBy(clone), ElementsAre("decode"));
}

TEST_F(GraphNames, EditedGraphsKeepIt) {
  cudaGraph_t graph = nullptr;
  {
    const GraphScope serves("decode");
    graph = captured();
  }
  EXPECT_THAT(servedBy(graph), ElementsAre("decode"));
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  EXPECT_THAT(servedBy(graph), ElementsAre("decode"));
}

TEST_F(GraphNames, EachThreadHasItsOwn) {
  const GraphScope mine("mine");
  cudaGraph_t other = nullptr, others = nullptr;
  std::thread([&] {
    other = captured();
    const GraphScope scope("theirs");
    others = captured();
  }).join();
  std::vector<std::string> names;
  std::thread([&] {
    names = servedBy(other);
    const std::vector<std::string> more = servedBy(others);
    names.insert(names.end(), more.begin(), more.end());
  }).join();
  EXPECT_THAT(names, ElementsAre("", "theirs"));
}

TEST_F(GraphNames, AnotherThreadMayEndIt) {
  const GraphScope outer("outer");
  auto first = std::make_unique<GraphScope>("first"),
       second = std::make_unique<GraphScope>("second");
  std::thread([&] {
    first.reset();
    const GraphScope theirs("theirs");
  }).join();
  const cudaGraph_t inSecond = captured();
  std::thread([&] { second.reset(); }).join();
  EXPECT_THAT(served([&] { launch(instantiated(captured())); }), ElementsAre("outer"));
  std::vector<std::string> names;
  std::thread([&] { names = servedBy(inSecond); }).join();
  EXPECT_THAT(names, ElementsAre("second"));
}

TEST_F(GraphNames, ScopesMayEndInAnyOrder) {
  auto first = std::make_unique<GraphScope>("first");
  auto second = std::make_unique<GraphScope>("second");
  first.reset();
  const cudaGraph_t graph = captured();
  second.reset();
  EXPECT_THAT(servedBy(graph), ElementsAre("second"));
}

TEST_F(GraphNames, WrongFormatIsShownAsItIs) {
  const GraphScope serves("decode {} {}", 1);
  EXPECT_THAT(servedBy(captured()), ElementsAre("decode {} {}"));
}

// Of the key only the address is given, and the library that has it may be closed.
TEST_F(GraphNames, KeysAreCopied) {
  std::string name = "batch";
  cudaGraph_t graph = nullptr;
  {
    const GraphScope serves("decode", key(name.c_str(), 8));
    name = "gone!";
    graph = captured();
  }
  EXPECT_THAT(servedBy(graph), ElementsAre("decode batch=8"));
}

} // namespace
} // namespace graphprof::test
