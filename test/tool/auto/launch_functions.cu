// RUN: %instrument --auto launches %s -o %t.cu -- %simulated -DSIMULATED 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %simulated -DSIMULATED
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile -DSIMULATED %t.cu
// RUN: %if toolkit %{ %instrument --auto launches %s -o %t.toolkit.cu --strict -- -std=c++17 -arch=sm_90 && cmp %t.cu %t.toolkit.cu %}
//
// The functions that launch, each with the kernel and the stream where it takes them: the runtime's, its C++ overloads, the driver's.
// SAID-NOT: warning:
// SAID: 0 regions, 0 redirected calls, 14 launches timed (1 on a stream that is not known there: GPU times only inside captures);

#include <cuda.h>
#include <cuda_runtime.h>

#ifdef SIMULATED // which has all but this one
extern "C" {
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **);
}
#endif

__global__ void step(float *x) {}
template <class T> __global__ void scale(T *x) {}
const cudaLaunchConfig_t *configure();

void runtime(float *x, cudaStream_t s, const cudaLaunchConfig_t *given) {
  void *arguments[] = {&x};
  cudaLaunchConfig_t config = {}, configs[2] = {};
  cudaLaunchKernel((const void *)step, 1, 1, arguments, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), cudaLaunchKernel((const void *)step, 1, 1, arguments, 0, s));
  cudaLaunchKernel(scale<float>, 1, 1, arguments);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale<float>", ::graphprof::on_stream(0)), cudaLaunchKernel(scale<float>, 1, 1, arguments));
  cudaLaunchCooperativeKernel((const void *)step, 1, 1, arguments, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), cudaLaunchCooperativeKernel((const void *)step, 1, 1, arguments, 0, s));
  cudaLaunchCooperativeKernel(step, 1, 1, arguments);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(0)), cudaLaunchCooperativeKernel(step, 1, 1, arguments));
  cudaLaunchKernelExC(&config, (const void *)step, arguments);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(config.stream)), cudaLaunchKernelExC(&config, (const void *)step, arguments));
  cudaLaunchKernelEx(&config, step, x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(config.stream)), cudaLaunchKernelEx(&config, step, x));
  cudaLaunchKernelEx(given, scale<float>, x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale<float>", ::graphprof::on_stream(given->stream)), cudaLaunchKernelEx(given, scale<float>, x));
  if (cudaLaunchKernelEx(&configs[1], step, x) != cudaSuccess) return;
  // CHECK: if ((GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream((configs[1]).stream)), cudaLaunchKernelEx(&configs[1], step, x)) != cudaSuccess) return;
  cudaLaunchKernelEx(configure(), step, x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_capture()), cudaLaunchKernelEx(configure(), step, x));
}

template <class T> void dependent(const cudaLaunchConfig_t &config, T *x) {
  cudaLaunchKernelEx(&config, scale<T>, x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale<T>", ::graphprof::on_stream(config.stream)), cudaLaunchKernelEx(&config, scale<T>, x));
}

void driver(CUfunction function, CUstream s, void **arguments) {
  CUlaunchConfig config = {};
  cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, s, arguments, nullptr);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "function", ::graphprof::on_stream(s)), cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, s, arguments, nullptr));
  cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "function", ::graphprof::on_stream(0)), cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 0, s, arguments);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "function", ::graphprof::on_stream(s)), cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 0, s, arguments));
  cuLaunchKernelEx(&config, function, arguments, nullptr);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "function", ::graphprof::on_stream(config.hStream)), cuLaunchKernelEx(&config, function, arguments, nullptr));
}
