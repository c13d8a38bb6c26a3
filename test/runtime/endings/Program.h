// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the programs of this test do before they end: capture a graph with regions, launch it, and
// print what they see of CUDA. With GRAPHPROF_TEST_PLAIN they do so without the tool's additions.

#ifndef GRAPHPROF_TEST_ENDINGS_PROGRAM_H
#define GRAPHPROF_TEST_ENDINGS_PROGRAM_H

#include <cuda_runtime_api.h>

#include <cstdio>

#ifdef GRAPHPROF_TEST_PLAIN
#define REGION(id, name, stream) static_assert(true, "")
#define WITH_TEXT(id, name, stream, text) static_assert(true, "")
namespace calls {
using ::cudaDeviceReset;
using ::cudaGraphDestroy;
using ::cudaGraphExecDestroy;
using ::cudaGraphInstantiateWithFlags;
using ::cudaGraphLaunch;
using ::cudaStreamBeginCapture;
using ::cudaStreamEndCapture;
} // namespace calls
#else
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#define REGION(id, name, stream) GRAPHPROF_SCOPE(id, name, ::graphprof::on_stream(stream))
#define WITH_TEXT(id, name, stream, text)                                                          \
  GRAPHPROF_SCOPE(id, name, ::graphprof::on_stream(stream), text)
namespace calls = graphprof::cuda;
#endif

namespace graphprof::test {

inline void see(const char *what, cudaError_t status) {
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
  std::fflush(stdout); // so that output before a crash is not lost
}
#define SEE(call) ::graphprof::test::see(#call, call)

/// A graph of two regions that records the order of its launches in four bytes.
class Replayed {
public:
  Replayed() {
    SEE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    SEE(cudaMalloc(reinterpret_cast<void **>(&bytes_), 4));
    SEE(cudaMallocHost(reinterpret_cast<void **>(&shown_), 4));
    SEE(calls::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    {
      REGION(1, "first", stream_);
      SEE(cudaMemcpyAsync(bytes_ + 1, bytes_, 3, cudaMemcpyDeviceToDevice, stream_));
      SEE(cudaMemsetAsync(bytes_, 7, 1, stream_));
    }
    {
      REGION(2, "second", stream_);
      SEE(cudaMemcpyAsync(shown_, bytes_, 4, cudaMemcpyDeviceToHost, stream_));
    }
    SEE(calls::cudaStreamEndCapture(stream_, &graph_));
    SEE(calls::cudaGraphInstantiateWithFlags(&exec_, graph_, 0));
  }
  Replayed(const Replayed &) = delete;
  Replayed &operator=(const Replayed &) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  void launch(int times) const {
    for (int i = 0; i < times; ++i)
      SEE(calls::cudaGraphLaunch(exec_, stream_));
  }
  void launchUnseen() const { (void)calls::cudaGraphLaunch(exec_, stream_); }
  void show() const {
    SEE(cudaStreamSynchronize(stream_));
    std::printf("%d %d %d %d\n", shown_[0], shown_[1], shown_[2], shown_[3]);
    std::fflush(stdout);
  }
  void destroy() const {
    SEE(calls::cudaGraphExecDestroy(exec_));
    SEE(calls::cudaGraphDestroy(graph_));
  }

private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  unsigned char *bytes_ = nullptr, *shown_ = nullptr;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_ENDINGS_PROGRAM_H
