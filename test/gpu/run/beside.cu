// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs beside a kernel that waits for them, as with NCCL and persistent kernels: the host ends
// the kernel's wait once the graph ran. So at no launch, capture, instantiation or update may
// anything wait for the device: the program would hang.
//
//     beside LAZY|EAGER WHAT [GO]      CUDA's way to load modules, and what is done beside the
//     kernel:
//
//   launch       the exec was made before
//   make         capture, instantiation, launch
//   update       the exec was launched before, and is updated from a new capture
//   again        the graph was launched before, and is instantiated once more
//   set          the exec was launched before, and gets other parameters for a kernel
//   unload       the exec is destroyed, with its graph, while another is launched
//   context      as `make`, in a context that was made after graphs ran in another
//   go           launches until the file GO exists: for a tool that looks in meanwhile
//
// Prints the same in every run: what the kernels computed, and that each graph ran beside the
// kernel that waits.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "Check.h"

namespace {

constexpr int rounds = 4, launches = 5;

__global__ void waiting(volatile unsigned *flag) {
  while (!*flag)
    __nanosleep(500);
}

template <unsigned I> __global__ void step(unsigned *x) { x[threadIdx.x] = x[threadIdx.x] * 5 + I; }

struct Range {
  explicit Range(const char *text) { nvtxRangePushA(text); }
  ~Range() { nvtxRangePop(); }
};

// The driver's function for contexts; the runtime has none that makes a second one.
void makeContextCurrent() {
  void *make = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxCreate", &make, 11000, cudaEnableDefault, &found));
  CUcontext context = nullptr;
  if (found != cudaDriverEntryPointSuccess ||
      reinterpret_cast<CUresult (*)(CUcontext *, unsigned, CUdevice)>(make)(&context, 0, 0) !=
          CUDA_SUCCESS) {
    std::printf("no second context\n");
    std::exit(1);
  }
}

class Program {
public:
  Program() {
    CHECK(cudaMalloc(&x_, 64 * sizeof(unsigned)));
    CHECK(cudaMemset(x_, 0, 64 * sizeof(unsigned)));
    CHECK(cudaHostAlloc(&flag_, sizeof(unsigned), cudaHostAllocMapped));
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ran_, cudaEventDisableTiming));
    // Everything of the program's own is loaded: beside the kernel, loading hangs without
    // graphprof, too.
    *flag_ = 1;
    waiting<<<1, 1, 0, side_>>>(flag_);
    steps();
    CHECK(cudaMemsetAsync(x_ + 32, 7, 4, stream_));
    CHECK(cudaDeviceSynchronize());
  }

  void captureGraph() {
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    steps();
    CHECK(cudaMemsetAsync(x_ + 32, 7, 4, stream_));
    CHECK(cudaStreamEndCapture(stream_, &graph_));
  }
  void instantiate() { CHECK(cudaGraphInstantiate(&exec_, graph_, 0)); }
  void destroyExec() { CHECK(cudaGraphExecDestroy(exec_)); }
  void destroyGraph() { CHECK(cudaGraphDestroy(graph_)); }

  void updateExec() {
    destroyGraph();
    captureGraph();
    cudaGraphExecUpdateResultInfo result{};
    CHECK(cudaGraphExecUpdate(exec_, graph_, &result));
  }

  void setParameters() {
    std::size_t count = 1;
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphGetRootNodes(graph_, &node, &count));
    cudaKernelNodeParams parameters{};
    CHECK(cudaGraphKernelNodeGetParams(node, &parameters));
    CHECK(cudaGraphExecKernelNodeSetParams(exec_, node, &parameters));
  }

  void launch(int times = launches) {
    for (int i = 0; i < times; ++i)
      CHECK(cudaGraphLaunch(exec_, stream_));
  }
  void launchBefore() {
    launch(2);
    CHECK(cudaStreamSynchronize(stream_));
  }

  void startWaiting() {
    *flag_ = 0;
    waiting<<<1, 1, 0, side_>>>(flag_);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // The kernel must still wait when the graph is over.
  void endWaiting() {
    CHECK(cudaEventRecord(ran_, stream_));
    while (cudaEventQuery(ran_) == cudaErrorNotReady)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    beside_ += cudaStreamQuery(side_) == cudaErrorNotReady;
    *static_cast<volatile unsigned *>(flag_) = 1;
    CHECK(cudaStreamSynchronize(side_));
  }

  void print(bool values) {
    unsigned x[32];
    CHECK(cudaMemcpy(x, x_, sizeof x, cudaMemcpyDeviceToHost));
    std::printf("%d of %d beside the kernel", beside_, rounds);
    if (values)
      std::printf(", %u %u", x[0], x[31]);
    std::printf("\n");
  }

private:
  void steps() {
    {
      const Range range("one");
      step<1><<<1, 32, 0, stream_>>>(x_);
      step<2><<<1, 32, 0, stream_>>>(x_);
    }
    const Range range("two");
    step<3><<<1, 32, 0, stream_>>>(x_);
    step<4><<<1, 32, 0, stream_>>>(x_);
  }

  unsigned *x_ = nullptr, *flag_ = nullptr;
  cudaStream_t stream_ = nullptr, side_ = nullptr;
  cudaEvent_t ran_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int beside_ = 0;
};

void round(Program &p, const std::string &what, const char *go) {
  const bool makes = what == "make" || what == "context";
  if (!makes) {
    p.captureGraph();
    p.instantiate();
  }
  if (what != "launch" && !makes)
    p.launchBefore();
  p.startWaiting();
  if (makes) {
    p.captureGraph();
    p.instantiate();
  } else if (what == "update") {
    p.updateExec();
  } else if (what == "set") {
    p.setParameters();
  } else if (what == "again") {
    p.destroyExec();
    p.instantiate();
  } else if (what == "unload") {
    p.destroyExec();
    p.destroyGraph();
    p.captureGraph();
    p.instantiate();
  }
  do {
    p.launch();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (go && access(go, F_OK) != 0);
  p.endWaiting();
  p.destroyExec();
  p.destroyGraph();
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 2 ? argv[2] : "launch";
  setenv("CUDA_MODULE_LOADING", argc > 1 ? argv[1] : "LAZY", 1);
  if (what == "context") {
    Program first;
    round(first, "launch", nullptr);
    makeContextCurrent();
  }
  Program p;
  for (int i = 0; i < rounds; ++i)
    round(p, what, argc > 3 ? argv[3] : nullptr);
  // Nothing waits any more: these must be recorded.
  p.captureGraph();
  p.instantiate();
  p.launchBefore();
  p.destroyExec();
  p.destroyGraph();
  p.print(what != "go");
}
