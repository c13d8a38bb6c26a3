// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which calls may not stay as they are, because results would change.

#include "facts/GraphFunctions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graphprof::instrument {
namespace {

TEST(GraphFunctionsTest, MostFunctionsChangeGraphs) {
  // Everything but making and using graphs changes them.
  std::vector<std::string> Others;
  for (const llvm::StringRef Each : graphFunctions())
    if (Each.starts_with("cuda") && !changesGraphs(Each))
      Others.push_back(Each.str());
  EXPECT_EQ(Others,
            (std::vector<std::string>{
                "cudaGraphClone", "cudaGraphCreate", "cudaGraphGetEdges", "cudaGraphGetNodes",
                "cudaGraphGetRootNodes", "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags",
                "cudaGraphInstantiateWithParams", "cudaGraphLaunch", "cudaGraphNodeGetDependencies",
                "cudaGraphNodeGetDependentNodes", "cudaGraphUpload", "cudaProfilerStart",
                "cudaProfilerStop", "cudaStreamBeginCapture", "cudaStreamEndCapture",
                "cudaStreamWaitEvent"}));
  EXPECT_TRUE(changesGraphs("cuGraphExecDestroy"));
  EXPECT_FALSE(changesGraphs("cuGraphLaunch"));
  EXPECT_FALSE(changesGraphs("cudaMalloc"));
  EXPECT_FALSE(changesGraphs("graphDestroy"));
}

TEST(GraphFunctionsTest, HarmlessCallsMayStay) {
  // What costs no times may stay without a word.
  EXPECT_TRUE(mayStay("cudaStreamWaitEvent"));
  EXPECT_TRUE(mayStay("cuStreamWaitEvent_ptsz"));
  EXPECT_TRUE(mayStay("cudaMalloc"));
  EXPECT_FALSE(mayStay("cudaGraphLaunch"));
  EXPECT_FALSE(mayStay("cudaGraphExecDestroy"));
  EXPECT_FALSE(mayStay("cudaEventRecord"));
}

TEST(GraphFunctionsTest, OverloadsMatchCudaRuntime) {
  EXPECT_TRUE(hasOverloads("cudaGraphInstantiate"));
  EXPECT_TRUE(hasOverloads("cudaGraphAddMemcpyNodeToSymbol"));
  EXPECT_TRUE(hasOverloads("cudaMallocHost"));
  EXPECT_TRUE(hasOverloads("cudaMemcpyFromSymbolAsync"));
  EXPECT_FALSE(hasOverloads("cudaGraphInstantiateWithFlags"));
  EXPECT_FALSE(hasOverloads("cudaMalloc3D"));
  EXPECT_FALSE(hasOverloads("cudaFree"));
  EXPECT_FALSE(hasOverloads("cuMemAlloc"));
}

TEST(GraphFunctionsTest, WordsMatchWhole) {
  // A word of a text is a whole.
  EXPECT_EQ(mentionedChange("f(cudaGraphExecDestroy(e));"), "cudaGraphExecDestroy");
  EXPECT_EQ(mentionedChange("cuGraphExecUpdate_v2"), "cuGraphExecUpdate_v2");
  EXPECT_EQ(mentionedChange("my_cudaGraphDestroy cudaGraphDestroyed cudaGraphLaunch"), "");
  EXPECT_EQ(mentionedChange("cu cudaGraphDestroy"), "cudaGraphDestroy");
  EXPECT_EQ(mentionedChange(""), "");
}

} // namespace
} // namespace graphprof::instrument
