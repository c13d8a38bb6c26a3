// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What regions of a finished capture contain, from counts of its nodes. Tested on a chain of nodes,
// with counts and orders that a driver might give.

#include "graph/timing/CaptureExtents.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class CaptureExtentsTest : public testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaGraphCreate(&graph_, 0));
    for (cudaGraphNode_t &node : nodes_)
      CUDA_OK(cudaGraphAddEmptyNode(&node, graph_, &node == nodes_ ? nullptr : &node - 1,
                                    &node == nodes_ ? 0 : 1));
    facts_.nodes.assign(std::begin(nodes_), std::end(nodes_));
    extents_.frontiers.emplace_back(); // behind no node, behind the first, ...
    for (const cudaGraphNode_t node : nodes_)
      extents_.frontiers.push_back({node});
  }
  void TearDown() override { CUDA_OK(cudaGraphDestroy(graph_)); }

  struct Opened {
    Holds holds;
    int thread;
    std::uint32_t first, last; // as counted, and the boundaries
  };
  // Whether each of these has a time.
  std::vector<bool> timed(std::initializer_list<Opened> regions) {
    const Shape shape(graph_);
    CaptureExtents extents(shape, facts_, {}, extents_);
    std::vector<Added> added;
    for (const Opened &opened : regions) {
      added.push_back({opened.holds, opened.first, opened.last, false, threads_[opened.thread]});
      Region region;
      region.begin = opened.first;
      region.end = opened.last;
      extents.add(region, added.back());
    }
    extents.keepApart(added);
    loss_ = extents.loss();
    std::vector<bool> result;
    for (const Extent &extent : extents_.regions)
      result.push_back(extent.ends());
    extents_.regions.clear();
    return result;
  }
  static std::thread::id idOfAThread() {
    std::thread thread([] {});
    const std::thread::id id = thread.get_id();
    thread.join();
    return id;
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t nodes_[8] = {};
  CaptureFacts facts_;
  Extents extents_;
  std::string loss_;
  // The second is of none.
  const std::thread::id threads_[3] = {std::this_thread::get_id(), {}, idOfAThread()};
};

using Timed = std::vector<bool>;

TEST_F(CaptureExtentsTest, SingleThreadsRegionsAreTimed) {
  EXPECT_EQ((Timed{true, true, true}),
            timed({{Holds::All, 0, 0, 8}, {Holds::All, 0, 1, 3}, {Holds::ItsStream, 0, 3, 5}}));
  EXPECT_EQ("", loss_);
}

TEST_F(CaptureExtentsTest, ReorderedNodesCostTimes) {
  // The graph does not list its nodes in the order of the capture.
  std::swap(facts_.nodes[2], facts_.nodes[5]);
  EXPECT_EQ((Timed{false, true}), timed({{Holds::All, 0, 1, 3}, {Holds::All, 0, 6, 8}}));
  EXPECT_NE(std::string::npos, loss_.find("does not list nodes in the order"));
}

TEST_F(CaptureExtentsTest, SecondThreadInsideFirst) {
  // A thread inside regions of the first.
  EXPECT_EQ((Timed{true, true, true, true}), timed({{Holds::All, 0, 0, 8},
                                                    {Holds::OfThread, 1, 2, 6},
                                                    {Holds::OfThread, 1, 2, 4},
                                                    {Holds::All, 0, 6, 7}}));
}

TEST_F(CaptureExtentsTest, SecondThreadAroundFirst) {
  // A thread around regions of the first.
  EXPECT_EQ((Timed{false, true, true}),
            timed({{Holds::OfThread, 1, 1, 6}, {Holds::All, 0, 2, 4}, {Holds::OfThread, 1, 4, 5}}));
  EXPECT_NE(std::string::npos, loss_.find("several threads"));
}

TEST_F(CaptureExtentsTest, ConcurrentThreadsCostTimes) {
  // Regions of two threads that mark at once have no time.
  EXPECT_EQ((Timed{true, false, false, true}), timed({{Holds::OfThread, 1, 0, 2},
                                                      {Holds::OfThread, 1, 2, 5},
                                                      {Holds::OfThread, 2, 4, 6},
                                                      {Holds::OfThread, 2, 6, 7}}));
}

TEST_F(CaptureExtentsTest, EmptyRangeOfFirstThread) {
  // An empty range of the first thread meanwhile.
  EXPECT_EQ((Timed{true, true}), timed({{Holds::OfThread, 1, 1, 4}, {Holds::All, 0, 2, 2}}));
}

} // namespace
} // namespace graphprof::test
