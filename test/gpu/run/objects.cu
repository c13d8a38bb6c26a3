// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// User objects that graphs and execs keep alive: each must be released when it is without
// graphprof, not earlier, when kernels may still use its memory, and not later. Prints what is
// released after each step.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "Check.h"

namespace {

constexpr int objects = 4, launches = 5;

std::atomic<int> released[objects];

void release(void *which) { ++released[reinterpret_cast<std::uintptr_t>(which)]; }

__global__ void add(unsigned *x, unsigned by) { *x += by; }

struct Range {
  explicit Range(const char *text) { nvtxRangePushA(text); }
  ~Range() { nvtxRangePop(); }
};

struct Program {
  unsigned *x = nullptr;
  cudaStream_t stream = nullptr;

  Program() {
    CHECK(cudaMalloc(&x, sizeof(unsigned)));
    CHECK(cudaMemset(x, 0, sizeof(unsigned)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
  }

  // As a library does, the object goes into the graph while it is being captured.
  cudaGraph_t capture(std::uintptr_t which, unsigned by) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    {
      const Range range("first");
      add<<<1, 1, 0, stream>>>(x, by);
    }
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr));
#else
    CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph));
#endif
    cudaUserObject_t object = nullptr;
    CHECK(cudaUserObjectCreate(&object, reinterpret_cast<void *>(which), release, 1,
                               cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    {
      const Range range("second");
      add<<<1, 1, 0, stream>>>(x, by);
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
  }

  cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
  }

  void launch(cudaGraphExec_t exec) {
    for (int i = 0; i < launches; ++i)
      CHECK(cudaGraphLaunch(exec, stream));
  }

  void wait() { CHECK(cudaStreamSynchronize(stream)); }
};

// The driver releases on a thread of its own: waits until nothing has changed for 100 ms.
void show(const char *after) {
  int seen[objects] = {};
  for (int same = 0; same < 20; ++same) {
    for (int i = 0; i < objects; ++i)
      if (const int now = released[i]; seen[i] != now) {
        seen[i] = now;
        same = 0;
      }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::printf("%s: released %d %d %d %d\n", after, seen[0], seen[1], seen[2], seen[3]);
}

} // namespace

int main() {
  Program p;
  const cudaGraph_t before = p.capture(0, 1), after = p.capture(1, 10);
  const cudaGraphExec_t exec = p.instantiate(before);
  p.launch(exec);
  p.wait();
  show("launched");
  CHECK(cudaGraphDestroy(before));
  show("its graph destroyed");
  cudaGraphExecUpdateResultInfo result{};
  CHECK(cudaGraphExecUpdate(exec, after, &result));
  show("updated");
  p.launch(exec);
  p.wait();
  show("launched again");
  CHECK(cudaGraphDestroy(after));
  show("the second graph destroyed");
  CHECK(cudaGraphExecDestroy(exec));
  show("the exec destroyed");

  // Execs that are destroyed while they run: of a clone, and of a graph with a child.
  const cudaGraph_t cloned = p.capture(2, 100), child = p.capture(3, 1000);
  cudaGraph_t clone = nullptr, parent = nullptr;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphClone(&clone, cloned));
  CHECK(cudaGraphCreate(&parent, 0));
  CHECK(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, child));
  const cudaGraphExec_t ofClone = p.instantiate(clone), ofParent = p.instantiate(parent);
  p.launch(ofClone);
  p.launch(ofParent);
  CHECK(cudaGraphDestroy(cloned));
  CHECK(cudaGraphDestroy(child));
  CHECK(cudaGraphExecDestroy(ofClone));
  CHECK(cudaGraphExecDestroy(ofParent));
  p.wait();
  show("execs of a clone and of a parent destroyed");
  CHECK(cudaGraphDestroy(clone));
  show("the clone destroyed");
  CHECK(cudaGraphDestroy(parent));
  show("the parent destroyed");

  unsigned x = 0;
  CHECK(cudaMemcpy(&x, p.x, sizeof x, cudaMemcpyDeviceToHost));
  std::printf("%u\n", x);
}
