// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA C++ on the CPU: what a test's kernels and their timed twins need. The tool parses it as CUDA; then a plain C++ compiler
// compiles it, and runner.cpp runs each thread of a block on a stack of its own, blocks one after another.

#pragma once

#include "cuda_runtime_api.h"

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __host__
#define __device__
#define __global__
#define __shared__ thread_local // all threads of a block run on one thread of the host; `extern` may precede it
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#endif

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern __device__ uint3 threadIdx, blockIdx;
extern __device__ dim3 blockDim, gridDim;

extern "C" {
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned mask = 0xFFFFFFFF);
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ float onCpuExp(float x);
/// The value that lane `lane` gives, if it is one of the mask's; otherwise the own one.
__device__ unsigned onCpuExchange(unsigned mask, unsigned value, unsigned lane);
__device__ unsigned onCpuLane();
}

template <class T> __device__ T onCpuShuffle(unsigned mask, T value, unsigned lane) {
  static_assert(sizeof(T) == sizeof(unsigned));
  const unsigned got = onCpuExchange(mask, __builtin_bit_cast(unsigned, value), lane);
  return __builtin_bit_cast(T, got);
}
template <class T> __device__ T __shfl_sync(unsigned mask, T value, unsigned lane) {
  return onCpuShuffle(mask, value, lane % 32);
}
template <class T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned by) {
  return onCpuShuffle(mask, value, onCpuLane() + by);
}
template <class T> __device__ T __shfl_up_sync(unsigned mask, T value, unsigned by) {
  return onCpuShuffle(mask, value, onCpuLane() - by);
}
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T value, unsigned by) {
  return onCpuShuffle(mask, value, onCpuLane() ^ by);
}
template <class T> __device__ T atomicAdd(T *to, T value) {
  const T was = *to;
  *to += value;
  return was;
}
template <class T> __device__ T max(T a, T b) { return a < b ? b : a; }
template <class T> __device__ T min(T a, T b) { return b < a ? b : a; }
