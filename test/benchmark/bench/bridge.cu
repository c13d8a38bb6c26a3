// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof::bench for Python (compare.py), which measures PyTorch's operations with it and with
// other tools in one process; and a single launch measured as nvbench does, for comparison.

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <vector>

#include <cuda_runtime.h>

#include <graphprof/bench.h>

namespace {

// The device memory of one candidate, which is rotated as a whole.
struct Buffers {
  std::vector<void *> pointers;
  std::vector<std::size_t> bytes;
};

__global__ void block(const volatile int *open) {
  while (*open == 0)
    ;
}

// Work of a few microseconds, which may begin before the previous kernel has ended.
__global__ void link(float *x) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  float value = x[threadIdx.x];
  for (int i = 0; i < 400; ++i)
    value = value * 1.000001F + 0.5F;
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

} // namespace

template <> struct graphprof::bench_argument<Buffers> {
  static void ranges(const Buffers &buffers, device_ranges &all) {
    for (std::size_t i = 0; i < buffers.pointers.size(); ++i)
      all.add(buffers.pointers[i], buffers.bytes[i]);
  }
  static Buffers moved(Buffers buffers, const device_moves &moves) {
    for (void *&pointer : buffers.pointers)
      pointer = moves(pointer);
    return buffers;
  }
};

extern "C" {

using Callback = void (*)(void *stream, void *const *pointers);

// A chain of eight kernels, on 132 * 256 floats.
void chain(cudaStream_t stream, float *x, int programmatic) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 132;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = programmatic ? 1 : 0;
  for (int i = 0; i < 8; ++i)
    cudaLaunchKernelEx(&config, link, x);
}

struct Summary {
  double medianMs, lowMs, highMs, mhz;
  int samples, discarded, copies, graphs, nodes, timer, method, warnings;
};

// timer: a bench_timer; method: -1 for warm, otherwise a cold_l2. Returns 0, or 1 with the reason
// in `error`.
int graphprofBench(Callback call, int count, void *const *pointers, const std::size_t *bytes,
                   int timer, int method, int iterations, int timeMs, Summary *summary, char *error,
                   std::size_t errorSize) {
  Buffers buffers;
  for (int i = 0; i < count; ++i) {
    buffers.pointers.push_back(pointers[i]);
    buffers.bytes.push_back(bytes[i]);
  }
  graphprof::bench_options options;
  options.cold_l2_cache = method >= 0;
  options.cold_method =
      method >= 0 ? static_cast<graphprof::cold_l2>(method) : graphprof::cold_l2::automatic;
  options.num_iters_within_graph = iterations;
  options.repeat_time_ms = timeMs;
  try {
    const graphprof::bench_result result = graphprof::bench(
        "python",
        [call](cudaStream_t stream, const Buffers &moved) { call(stream, moved.pointers.data()); },
        std::tuple(buffers), options, static_cast<graphprof::bench_timer>(timer));
    double mhz = 0;
    for (const double each : result.sm_clock_mhz)
      mhz += each / static_cast<double>(result.sm_clock_mhz.size());
    *summary = {result.median_ms,
                result.low_ms,
                result.high_ms,
                mhz,
                static_cast<int>(result.times_ms.size()),
                static_cast<int>(result.discarded),
                result.copies,
                result.graphs,
                static_cast<int>(result.node_count),
                static_cast<int>(result.timer),
                static_cast<int>(result.cold_method),
                static_cast<int>(result.warnings.size())};
    for (const std::string &warning : result.warnings)
      std::fprintf(stderr, "  graphprof: %s\n", warning.c_str());
    return 0;
  } catch (const std::exception &failure) {
    std::snprintf(error, errorSize, "%s", failure.what());
    return 1;
  }
}

// As nvbench does: one launch at a time, after a blocking kernel and, if cold, a memset of the
// cache's size. Returns the median of `samples` in ms.
double nvbenchWay(Callback call, void *const *pointers, int cold, int samples) {
  int l2 = 0;
  cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
  void *flushed = nullptr;
  cudaMalloc(&flushed, static_cast<std::size_t>(l2));
  int *open = nullptr;
  cudaMallocHost(&open, sizeof(int));
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < samples; ++i) {
    if (cold)
      cudaMemsetAsync(flushed, 0, static_cast<std::size_t>(l2), stream);
    cudaStreamSynchronize(stream);
    *open = 0;
    block<<<1, 1, 0, stream>>>(open);
    cudaEventRecord(begin, stream);
    call(stream, pointers);
    cudaEventRecord(end, stream);
    *const_cast<volatile int *>(open) = 1;
    cudaStreamSynchronize(stream);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  cudaFreeHost(open);
  cudaFree(flushed);
  return times[times.size() / 2];
}

} // extern "C"
