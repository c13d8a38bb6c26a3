// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What `graphprof run --check` finds, once each, in functions by whose names it is told where: work
// that a capture misses, calls that make it invalid, a host function that calls CUDA, and memory
// that was freed before a launch. And captures without a fault, of which nothing may be said.
// test/gpu/run/run compares what is found with its list.

#include <cstdio>
#include <cstdlib>
#include <thread>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do                                                                                               \
    if (const cudaError_t error = (call); error != cudaSuccess) {                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                   \
      std::exit(1);                                                                                \
    }                                                                                              \
  while (0)
// The call must be refused.
#define REFUSED(call)                                                                              \
  do {                                                                                             \
    const cudaError_t error = (call);                                                              \
    std::printf("%s: %s\n", #call, cudaGetErrorName(error));                                       \
    if (error == cudaSuccess)                                                                      \
      std::exit(1);                                                                                \
    cudaGetLastError();                                                                            \
  } while (0)

// Whose names are found by the dynamic linker: compiled with -Xcompiler -rdynamic.
#define VISIBLE extern "C" __attribute__((visibility("default"), noinline))

__global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }
__global__ void stray(float *x) { x[threadIdx.x] += 1; }

constexpr int floats = 64;
static cudaStream_t captured, other;
static cudaEvent_t event;
static float *x, *y;

static cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}
template <class Fill>
static cudaGraph_t graphOf(Fill fill, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(captured, mode));
  fill();
  CHECK(cudaStreamEndCapture(captured, &graph));
  return graph;
}
template <class Break> static void broken(Break breaks) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  scale<<<1, floats, 0, captured>>>(x, 2);
  breaks();
  REFUSED(cudaStreamEndCapture(captured, &graph));
}

// A kernel and a memset of another stream, which is not in the capture.
VISIBLE void launches_elsewhere() {
  graphOf([] {
    scale<<<1, floats, 0, captured>>>(x, 2);
    stray<<<1, floats, 0, other>>>(y);
    CHECK(cudaMemsetAsync(y, 0, sizeof(float), other));
  });
}
VISIBLE void allocates() {
  broken([] {
    void *more = nullptr;
    REFUSED(cudaMalloc(&more, 64));
  });
}
VISIBLE void frees() {
  broken([] { REFUSED(cudaFree(y)); });
}
VISIBLE void destroys(cudaGraphExec_t exec) {
  broken([&] { REFUSED(cudaGraphExecDestroy(exec)); });
}
VISIBLE void waits() {
  broken([] { REFUSED(cudaStreamSynchronize(other)); });
}
VISIBLE void asks() {
  broken([] { REFUSED(cudaEventQuery(event)); });
}
VISIBLE void waits_for_all() {
  broken([] { REFUSED(cudaDeviceSynchronize()); });
}
VISIBLE void allocates_on_another_thread() {
  void *more = nullptr;
  REFUSED(cudaMalloc(&more, 64));
}
VISIBLE void does_not_join() {
  broken([] {
    CHECK(cudaEventRecord(event, captured));
    CHECK(cudaStreamWaitEvent(other, event));
    scale<<<1, floats, 0, other>>>(y, 2);
  });
}
VISIBLE void host_function(void *answer) {
  *static_cast<cudaError_t *>(answer) = cudaStreamQuery(other);
}
VISIBLE void quiet_function(void *) {}

VISIBLE void calls_in_host_function() {
  cudaError_t answer = cudaSuccess;
  cudaGraph_t graph = graphOf([&] { CHECK(cudaLaunchHostFunc(captured, host_function, &answer)); });
  cudaGraphExec_t exec = instantiated(graph);
  CHECK(cudaGraphLaunch(exec, captured));
  CHECK(cudaStreamSynchronize(captured));
  std::printf("in a host function: %s\n", cudaGetErrorName(answer));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}
// Neighbours keep the page there, so that the GPU finds something.
VISIBLE void launches_freed() {
  float *neighbours[3];
  for (float *&each : neighbours)
    CHECK(cudaMalloc(&each, floats * sizeof(float)));
  cudaGraphExec_t kernel =
      instantiated(graphOf([&] { scale<<<1, floats, 0, captured>>>(neighbours[1], 2); }));
  cudaGraphExec_t copy = instantiated(graphOf([&] {
    CHECK(cudaMemcpyAsync(y, neighbours[1], sizeof(float), cudaMemcpyDeviceToDevice, captured));
  }));
  for (cudaGraphExec_t exec : {kernel, copy})
    CHECK(cudaGraphLaunch(exec, captured));
  CHECK(cudaStreamSynchronize(captured));
  CHECK(cudaFree(neighbours[1]));
  for (cudaGraphExec_t exec : {kernel, copy})
    CHECK(cudaGraphLaunch(exec, captured));
  CHECK(cudaStreamSynchronize(captured));
}

// No fault: joined streams, what CUDA allows in a capture, memory from a pool and of the graph's
// own, an exec that is updated before the old memory goes.
VISIBLE void without_fault() {
  cudaGraph_t graph = graphOf([] {
    CHECK(cudaEventRecord(event, captured));
    CHECK(cudaStreamWaitEvent(other, event));
    scale<<<1, floats, 0, other>>>(y, 2);
    CHECK(cudaEventRecord(event, other));
    CHECK(cudaStreamWaitEvent(captured, event));
    void *own = nullptr;
    CHECK(cudaMallocAsync(&own, 64, captured));
    CHECK(cudaMemsetAsync(own, 0, 64, captured));
    CHECK(cudaFreeAsync(own, captured));
    CHECK(cudaLaunchHostFunc(captured, quiet_function, nullptr));
  });
  cudaGraphExec_t exec = instantiated(graph);
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(exec, captured));
  CHECK(cudaStreamSynchronize(captured));
  graphOf(
      [] {
        std::thread([] {
          void *more = nullptr;
          CHECK(cudaMalloc(&more, 64));
          CHECK(cudaFree(more));
        }).join();
      },
      cudaStreamCaptureModeThreadLocal);
  float *before = nullptr, *after = nullptr;
  CHECK(cudaMalloc(&before, floats * sizeof(float)));
  CHECK(cudaMalloc(&after, floats * sizeof(float)));
  cudaGraphExec_t updated =
      instantiated(graphOf([&] { scale<<<1, floats, 0, captured>>>(before, 2); }));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(updated, graphOf([&] { scale<<<1, floats, 0, captured>>>(after, 2); }),
                            &info));
  CHECK(cudaFree(before));
  CHECK(cudaGraphLaunch(updated, captured));
  CHECK(cudaStreamSynchronize(captured));
}

int main() {
  CHECK(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&x, floats * sizeof(float)));
  CHECK(cudaMalloc(&y, floats * sizeof(float)));
  CHECK(cudaEventRecord(event, other));
  without_fault();
  std::printf("without fault\n");
  launches_elsewhere();
  allocates();
  frees();
  destroys(instantiated(graphOf([] { scale<<<1, floats, 0, captured>>>(x, 2); })));
  waits();
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamSynchronize(other));
  asks();
  waits_for_all();
  broken([] { std::thread(allocates_on_another_thread).join(); });
  does_not_join();
  calls_in_host_function();
  launches_freed();
  std::printf("done\n");
}
