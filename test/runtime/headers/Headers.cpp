// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Every public header for programs, in one unit without a warning, and what the tool makes of calls
// and guards. Compiled only.

#include "graphprof/cuda_driver.h"

#include "graphprof/backend.h"
#include "graphprof/bench.h"
#include "graphprof/capi.h"
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"

namespace {

// A program's own comma must not get at a guard.
struct Comma {
  template <class Right> Comma &operator,(Right &&) { return *this; }
};

[[maybe_unused]] CUresult driver(CUstream stream, CUgraph graph, CUgraphExec exec,
                                 CUgraphNode node) {
  CUgraphNodeParams params{};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  CUgraphExecUpdateResultInfo info{};
  const CUresult results[] = {
      ::graphprof::cuda::cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
      ::graphprof::cuda::cuStreamEndCapture(stream, &graph),
      ::graphprof::cuda::cuGraphInstantiate(&exec, graph, 0),
      ::graphprof::cuda::cuGraphInstantiateWithFlags(&exec, graph, 0),
      ::graphprof::cuda::cuGraphExecUpdate(exec, graph, &info),
      ::graphprof::cuda::cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params),
      ::graphprof::cuda::cuGraphAddDependencies(graph, &node, &node, nullptr, 1),
      ::graphprof::cuda::cuGraphExecKernelNodeSetParams(exec, node, &kernel),
      ::graphprof::cuda::cuDevicePrimaryCtxReset(0),
  };
  for (const CUresult result : results)
    if (result != CUDA_SUCCESS)
      return result;
  CUresult (*launch)(CUgraphExec, CUstream) = &::graphprof::cuda::cuGraphLaunch;
  return (GRAPHPROF_TIMED(1, "launch", ::graphprof::on_stream(stream)), launch(exec, stream));
}

// A benchmark with one argument of each kind.
[[maybe_unused]] void bench(std::size_t count) {
  float *const data = nullptr;
  const std::size_t sizes[2] = {count, 1};
  const std::ptrdiff_t strides[2] = {1, 1};
  graphprof::bench_options options;
  options.bytes = count * sizeof(float);
  (void)graphprof::bench(
      "one of each", [](cudaStream_t, float *, const float *, int) {},
      std::tuple(graphprof::DeviceSpan<float>(data, sizes, strides), data, 7), options);
  (void)graphprof::bench("none", [](cudaStream_t) {}, options);
  (void)graphprof::bench_gpu_time([] {}, options);
  (void)graphprof::bench_compare({graphprof::bench_candidate("one", [](cudaStream_t) {})}, options);
}

[[maybe_unused]] CUresult driverMemory(CUdeviceptr memory, const void *host, CUstream stream) {
  CUresult (*release)(CUdeviceptr) = &::graphprof::cuda::cuMemFree;
  const CUresult results[] = {
      ::graphprof::cuda::cuMemAlloc(&memory, 1),
      ::graphprof::cuda::cuMemcpyHtoD(memory, host, 1),
      ::graphprof::cuda::cuMemcpyHtoDAsync(memory, host, 1, stream),
      ::graphprof::cuda::cuMemFreeAsync(memory, stream),
  };
  return results[0] != CUDA_SUCCESS ? results[0] : release(memory);
}

// Without cuda_runtime.h, whose overloads are there all the same.
[[maybe_unused]] cudaError_t memory(void *untyped, const void *symbol, cudaStream_t stream) {
  int *typed = nullptr;
  cudaError_t (*allocate)(void **, size_t) = &::graphprof::cuda::cudaMalloc;
  cudaError_t (*allocateTyped)(int **, size_t) = &::graphprof::cuda::cudaMalloc;
  const cudaError_t results[] = {
      allocate(&untyped, 1),
      allocateTyped(&typed, 1),
      ::graphprof::cuda::cudaMalloc<int>(&typed, 1),
      ::graphprof::cuda::cudaMallocHost(&untyped, 1),
      ::graphprof::cuda::cudaMallocHost(&typed, 1, cudaHostAllocPortable),
      ::graphprof::cuda::cudaMallocManaged(&untyped, 1),
      ::graphprof::cuda::cudaMemcpyToSymbol(symbol, untyped, 1),
      ::graphprof::cuda::cudaMemcpyToSymbolAsync(symbol, untyped, 1, 0, cudaMemcpyHostToDevice),
      ::graphprof::cuda::cudaMemcpyAsync(untyped, symbol, 1, cudaMemcpyHostToDevice, stream),
  };
  return results[0] != cudaSuccess ? results[0] : ::graphprof::cuda::cudaFree(typed);
}

// Each wrapper has the type of CUDA's function, also where it is one of several.
[[maybe_unused]] void types() {
#define SAME(wrapper, function)                                                                    \
  (void)static_cast<decltype(&::function)>(&::graphprof::cuda::wrapper);
#define GRAPHPROF_RUNTIME(name, form, where, ...) GRAPHPROF_RUNTIME_IN_##where(SAME(name, name))
#define GRAPHPROF_DRIVER(name, form, where, ...) GRAPHPROF_DRIVER_IN_##where(SAME(name, name))
#if CUDART_VERSION >= 13000
#define GRAPHPROF_RUNTIME_EDGES(name, ...) SAME(name, name)
#else
#define GRAPHPROF_RUNTIME_EDGES(name, ...) SAME(name, name##_v2)
#endif
#if CUDA_VERSION >= 13000
#define GRAPHPROF_DRIVER_EDGES(name, ...) SAME(name, name)
#else
#define GRAPHPROF_DRIVER_EDGES(name, ...) SAME(name, name##_v2)
#endif
#include "graphprof/detail/calls.def"
#undef SAME
}

template <class T>
[[maybe_unused]] cudaError_t runtime(cudaStream_t stream, cudaGraphExec_t exec, T value) {
  GRAPHPROF_STEP(1);
  GRAPHPROF_SCOPE(2, "scope {}", ::graphprof::on_stream(stream), value);
  if ((GRAPHPROF_TIMED(3, "condition", ::graphprof::on_stream(stream), value),
       ::graphprof::cuda::cudaGraphLaunch(exec, stream)) != cudaSuccess)
    return cudaErrorUnknown;
  (GRAPHPROF_TIMED(4, "comma", ::graphprof::on_capture()), Comma());
  const auto inLambda = [&] {
    return (GRAPHPROF_TIMED(5, "lambda", ::graphprof::on_stream(stream),
                            ::graphprof::key("value", value)),
            ::graphprof::cuda::cudaGraphLaunch(exec, stream));
  };
  return inLambda();
}
template cudaError_t runtime(cudaStream_t, cudaGraphExec_t, int);

} // namespace
