// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver's ids of graphs, execs and nodes (CUDA 13.1), on which CUDA's own tools join: asked
// about the program's, they are the program's, and they are in what graphprof writes.

#include "graphprof/cuda_driver.h"
#include "graphprof/profile.h"
#include "graphprof/profiler.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "support/Newer.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Ids : public testing::Test {
protected:
  void SetUp() override {
    if (!graphId_ || !execId_ || !toolsId_ || !localId_ || !graphOf_)
      GTEST_SKIP() << "needs CUDA 13.1";
  }
  unsigned idOf(CUgraph graph) {
    unsigned id = 0;
    EXPECT_EQ(CUDA_SUCCESS, graphId_(graph, &id));
    return id;
  }
  unsigned idOf(CUgraphExec exec) {
    unsigned id = 0;
    EXPECT_EQ(CUDA_SUCCESS, execId_(exec, &id));
    return id;
  }
  // What the driver says of each node: its own ids, and its graph.
  std::vector<std::string> nodesOf(CUgraph graph) {
    std::vector<CUgraphNode> nodes(nodeCount(graph));
    std::size_t count = nodes.size();
    EXPECT_EQ(CUDA_SUCCESS, cuGraphGetNodes(graph, nodes.data(), &count));
    std::vector<std::string> all;
    for (const CUgraphNode node : nodes) {
      unsigned local = 0;
      unsigned long long tools = 0;
      CUgraph containing = nullptr;
      EXPECT_EQ(CUDA_SUCCESS, localId_(node, &local));
      EXPECT_EQ(CUDA_SUCCESS, toolsId_(node, &tools));
      EXPECT_EQ(CUDA_SUCCESS, graphOf_(node, &containing));
      EXPECT_EQ(graph, containing);
      all.push_back(std::to_string(local) + ' ' + std::to_string(tools));
    }
    return all;
  }
  CUgraph captured() {
    return capture(stream_, [this] {
      GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
      shortWork(stream_);
      shortWork(stream_);
    });
  }
  // The trace of a profile in which `exec` is launched once.
  std::string traceOf(CUgraphExec exec) {
    const std::string path =
        testing::TempDir() + "/" + std::to_string(getpid()) + "-ids-trace.json";
    profile profile;
    EXPECT_EQ(CUDA_SUCCESS, cuda::cuGraphLaunch(exec, stream_));
    EXPECT_TRUE(profile.stop());
    EXPECT_TRUE(profile.export_chrome_trace(path));
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(path);
    return text;
  }
  static std::string written(unsigned graph, unsigned exec) {
    return "\"cuda_graph\":" + std::to_string(graph) + ",\"cuda_exec\":" + std::to_string(exec);
  }

  CUresult (*const graphId_)(CUgraph,
                             unsigned *) = newer<CUresult(CUgraph, unsigned *)>("cuGraphGetId");
  CUresult (*const execId_)(CUgraphExec, unsigned *) =
      newer<CUresult(CUgraphExec, unsigned *)>("cuGraphExecGetId");
  CUresult (*const localId_)(CUgraphNode, unsigned *) =
      newer<CUresult(CUgraphNode, unsigned *)>("cuGraphNodeGetLocalId");
  CUresult (*const toolsId_)(CUgraphNode, unsigned long long *) =
      newer<CUresult(CUgraphNode, unsigned long long *)>("cuGraphNodeGetToolsId");
  CUresult (*const graphOf_)(CUgraphNode, CUgraph *) =
      newer<CUresult(CUgraphNode, CUgraph *)>("cuGraphNodeGetContainingGraph");
  TestStream stream_;
};

TEST_F(Ids, StayTheProgramsAndAreWritten) {
  const CUgraph graph = captured(), next = captured();
  const unsigned id = idOf(graph);
  const std::vector<std::string> nodes = nodesOf(graph);
  EXPECT_EQ(2u, nodes.size());
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuda::cuGraphInstantiate(&exec, graph, 0));
  const unsigned execId = idOf(exec);

  EXPECT_THAT(traceOf(exec), HasSubstr(written(id, execId)));
  EXPECT_EQ(id, idOf(graph)) << "the graph is rebuilt elsewhere";
  EXPECT_EQ(nodes, nodesOf(graph));
  EXPECT_EQ(execId, idOf(exec)) << "graphprof launches another one, of which nobody is told";

  CUgraphExecUpdateResultInfo result{};
  ASSERT_EQ(CUDA_SUCCESS, cuda::cuGraphExecUpdate(exec, next, &result));
  EXPECT_EQ(execId, idOf(exec));
  EXPECT_THAT(traceOf(exec), HasSubstr(written(idOf(next), execId)));
  destroy({exec}, {graph, next});
}

TEST_F(Ids, OfTwoExecsAreTheirOwn) {
  const CUgraph graph = captured();
  const cudaGraphExec_t one = instantiate(graph), other = instantiate(graph);
  EXPECT_NE(idOf(one), idOf(other));
  EXPECT_THAT(traceOf(one), HasSubstr(written(idOf(graph), idOf(one))));
  EXPECT_THAT(traceOf(other), HasSubstr(written(idOf(graph), idOf(other))));
  destroy({one, other}, {graph});
}

TEST_F(Ids, AreInRecords) {
  const CUgraph graph = captured();
  const cudaGraphExec_t exec = instantiate(graph);
  std::vector<std::pair<unsigned, unsigned>> seen;
  {
    Profiler profiler(
        [&](const Record &record) { seen.emplace_back(record.cuda_graph, record.cuda_exec); });
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    {
      GRAPHPROF_SCOPE(2, "outside", on_stream(stream_));
      shortWork(stream_);
    }
    EXPECT_TRUE(flush());
  }
  EXPECT_THAT(seen, ElementsAre(std::pair(idOf(graph), idOf(exec)), std::pair(0U, 0U)));
  destroy({exec}, {graph});
}

} // namespace
} // namespace graphprof::test
