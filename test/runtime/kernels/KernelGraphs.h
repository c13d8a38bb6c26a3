// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with kernels that have annotated statements, and what JSON lines say of them.

#ifndef GRAPHPROF_TEST_KERNELS_KERNELGRAPHS_H
#define GRAPHPROF_TEST_KERNELS_KERNELGRAPHS_H

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/Phases.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {

/// A line of a kernel.
struct KernelLine {
  std::string name, path;
  int node = -1;
  std::uint64_t exec = 0, replay = 0;
  bool isTwin = false, isCold = false;
  std::int64_t durationNs = -1;
  struct Inside {
    std::string name, source;
    int around = -1; // the place of the one around it
    std::uint64_t warps = 0, iterations = 0;
    double percent = 0;
    std::int64_t medianNs = 0, p95Ns = 0;
  };
  std::vector<Inside> inside;
  struct Warp {
    unsigned block = 0, warp = 0, multiprocessor = 0;
    std::int64_t beginNs = 0, durationNs = 0;
    struct Time {
      unsigned row, iterations;
      std::int64_t ns;
    };
    std::vector<Time> times;
  };
  std::vector<Warp> warps;
};

/// Those that were written since the last call.
std::vector<KernelLine> newRunsOfFile();

class Kernels : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMallocHost(&written_, sizeof(Written)));
    *written_ = {};
    newRuns();
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // so that no replays are left for the next test
    cudaFreeHost(written_);
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }

  /// Whether the clock takes twins.
  static bool timesInside() { return !withEvents(); }
  cudaGraph_t captured(int value, int rounds, bool withRegion = true) {
    return capture(stream_, [&] {
      if (withRegion) {
        GRAPHPROF_SCOPE(1, "step", on_stream(stream_));
        phases(stream_, written_, value, rounds);
      } else {
        phases(stream_, written_, value, rounds);
      }
    });
  }
  void launch(cudaGraphExec_t exec, int times) {
    for (int i = 0; i < times; ++i)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }
  static std::vector<KernelLine> newRuns() {
    EXPECT_TRUE(flush());
    return newRunsOfFile();
  }
  [[nodiscard]] std::uint64_t lostKernels() const {
    return losses().plain_kernels - before_.plain_kernels;
  }
  static cudaGraphNode_t kernelNode(cudaGraph_t graph) {
    cudaGraphNode_t node = nullptr;
    std::size_t count = 1;
    EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, &node, &count));
    return node;
  }

  TestStream stream_;
  Written *written_ = nullptr;
  const Losses before_ = losses();
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_KERNELS_KERNELGRAPHS_H
