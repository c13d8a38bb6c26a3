// Code that can capture a graph once more (CUDA 13.3) says so when it is loaded, whether it does so or not: from then on graphs
// with memory nodes get no nodes of graphprof's. Where it is loaded after such a graph was timed in place, CUDA refuses to capture
// that one once more; its times stay, and a message says so. A program that includes the wrapper but has no call is timed as ever.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc -DCUDA_VERSION=13030 %t/copy.cu -o %t/never
// RUN: %simcc -DCUDA_VERSION=13030 -DCALLS %t/copy.cu -o %t/linked
// RUN: %simcc -DCUDA_VERSION=13030 -DPLUGIN -shared -fPIC %t/copy.cu -o %t/plugin.so
// RUN: env GRAPHPROF_OUTPUT=table:all %t/never 2>&1 | FileCheck %s --check-prefixes=TIMED
// RUN: env GRAPHPROF_OUTPUT=table:all %t/linked 2>&1 | FileCheck %s --check-prefixes=UNTIMED
// RUN: env GRAPHPROF_OUTPUT=table:all %t/never %t/plugin.so 2>&1 | FileCheck %s --check-prefixes=LATE
//
// TIMED: {{^ *}}memory {{.*}}us
// UNTIMED-DAG: once more: 0
// UNTIMED-DAG: set GRAPHPROF_IN_PLACE=1
// UNTIMED-NOT: {{^ *}}memory {{.*}}us
// LATE-DAG: once more: 901
// LATE-DAG: a graph that is timed in place is captured once more, which CUDA refuses
// LATE: {{^ *}}memory {{.*}}us

#include <cstdio>
#include <dlfcn.h>

#include <graphprof/cuda_driver.h>

static void work(cudaStream_t stream) {
  void *memory = nullptr;
  [[graphprof::time("memory")]] {
    if (cudaMallocAsync(&memory, 64, stream) == cudaSuccess)
      cudaFreeAsync(memory, stream);
  }
}

#if defined(PLUGIN) || defined(CALLS)
extern "C" int again(cudaStream_t stream, cudaGraph_t graph) {
  graphprof::cuda::cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph,
                                                 nullptr, nullptr);
  work(stream);
  return cudaStreamEndCapture(stream, &graph);
}
#endif

#ifndef PLUGIN
int main(int, char **arguments) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  work(stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  using Again = int(cudaStream_t, cudaGraph_t);
#ifdef CALLS
  Again *const once = again;
#else
  void *const plugin = arguments[1] ? dlopen(arguments[1], RTLD_NOW) : nullptr;
  Again *const once = plugin ? reinterpret_cast<Again *>(dlsym(plugin, "again")) : nullptr;
#endif
  if (once)
    std::fprintf(stderr, "once more: %d\n", once(stream, graph));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}
#endif
