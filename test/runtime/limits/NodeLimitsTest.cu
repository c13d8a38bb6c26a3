// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The bounds hold for nodes too. In the environment: GRAPHPROF_NODES=1, GRAPHPROF_MAX_REGIONS=3,
// GRAPHPROF_MAX_NAME=16.

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

TEST(NodeLimits, RegionsAndNodesShareBound) {
  // Regions and nodes share the bound, and the rest is counted.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream));
    for (int i = 0; i < 5; ++i)
      shortWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(3u, seen.size());
  EXPECT_EQ("region", seen[0].name);
  for (const Seen &each : seen)
    EXPECT_GE(each.durationNs, 0) << each.name;
  EXPECT_EQ(before.beyond_limit + 3, losses().beyond_limit);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(NodeLimits, PlainGraphsNodesAreBounded) {
  // An unannotated graph has as many nodes, and long names are cut.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    for (int i = 0; i < 5; ++i)
      shortWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(3u, seen.size());
  for (const Seen &each : seen) {
    EXPECT_EQ(16u, each.name.size());
    EXPECT_TRUE(each.name.ends_with("...")) << each.name;
  }
  EXPECT_EQ(before.beyond_limit + 2, losses().beyond_limit);
  EXPECT_EQ(before.names_truncated + 3, losses().names_truncated);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
