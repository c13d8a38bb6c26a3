// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Functions of device code: barriers, shuffles, atomics, timers, and the device side of the math
// library. Declared so that kernels can be parsed on the host. None is ever called.

#ifndef CUDASIM_DEVICE_FUNCTIONS_H
#define CUDASIM_DEVICE_FUNCTIONS_H

#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"

#include <stddef.h>

#ifdef __CUDA__

extern "C" {
__device__ void __syncthreads(void);
__device__ int __syncthreads_count(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_or(int predicate);
__device__ void __threadfence(void);
__device__ void __threadfence_block(void);
__device__ void __threadfence_system(void);
__device__ void __nanosleep(unsigned int ns);
__device__ void __trap(void);
__device__ unsigned int __activemask(void);
__device__ long long clock64(void);
__device__ void cudaGridDependencySynchronize(void);
__device__ void cudaTriggerProgrammaticLaunchCompletion(void);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size);
__device__ void free(void *pointer);

// The single and double precision functions of math.h.
#define CUDASIM_MATH1(NAME)                                                                        \
  __device__ double NAME(double x);                                                                \
  __device__ float NAME##f(float x);
#define CUDASIM_MATH2(NAME)                                                                        \
  __device__ double NAME(double x, double y);                                                      \
  __device__ float NAME##f(float x, float y);
CUDASIM_MATH1(sqrt)
CUDASIM_MATH1(rsqrt)
CUDASIM_MATH1(cbrt)
CUDASIM_MATH1(exp)
CUDASIM_MATH1(exp2)
CUDASIM_MATH1(exp10)
CUDASIM_MATH1(expm1)
CUDASIM_MATH1(log)
CUDASIM_MATH1(log2)
CUDASIM_MATH1(log10)
CUDASIM_MATH1(log1p)
CUDASIM_MATH1(sin)
CUDASIM_MATH1(cos)
CUDASIM_MATH1(tan)
CUDASIM_MATH1(asin)
CUDASIM_MATH1(acos)
CUDASIM_MATH1(atan)
CUDASIM_MATH1(sinh)
CUDASIM_MATH1(cosh)
CUDASIM_MATH1(tanh)
CUDASIM_MATH1(asinh)
CUDASIM_MATH1(acosh)
CUDASIM_MATH1(atanh)
CUDASIM_MATH1(erf)
CUDASIM_MATH1(erfc)
CUDASIM_MATH1(fabs)
CUDASIM_MATH1(floor)
CUDASIM_MATH1(ceil)
CUDASIM_MATH1(round)
CUDASIM_MATH1(trunc)
CUDASIM_MATH1(rint)
CUDASIM_MATH1(nearbyint)
CUDASIM_MATH1(tgamma)
CUDASIM_MATH1(lgamma)
CUDASIM_MATH1(normcdf)
CUDASIM_MATH1(sinpi)
CUDASIM_MATH1(cospi)
CUDASIM_MATH2(pow)
CUDASIM_MATH2(fmod)
CUDASIM_MATH2(fmin)
CUDASIM_MATH2(fmax)
CUDASIM_MATH2(atan2)
CUDASIM_MATH2(hypot)
CUDASIM_MATH2(copysign)
CUDASIM_MATH2(remainder)
CUDASIM_MATH2(fdim)
#undef CUDASIM_MATH1
#undef CUDASIM_MATH2
__device__ double fma(double x, double y, double z);
__device__ float fmaf(float x, float y, float z);
__device__ int abs(int x);
__device__ long labs(long x);
__device__ long long llabs(long long x);
__device__ void sincosf(float x, float *sine, float *cosine);
__device__ void sincos(double x, double *sine, double *cosine);
__device__ float __expf(float x);
__device__ float __logf(float x);
__device__ float __sinf(float x);
__device__ float __cosf(float x);
__device__ float __powf(float x, float y);
__device__ float __fdividef(float x, float y);
__device__ float __saturatef(float x);
__device__ float __int_as_float(int x);
__device__ int __float_as_int(float x);
__device__ int __popc(unsigned int x);
__device__ int __clz(int x);
__device__ int __ffs(int x);
} // extern "C"

__device__ long clock(void);
__device__ void __syncwarp(unsigned int mask = 0xffffffffu);
__device__ int __all_sync(unsigned int mask, int predicate);
__device__ int __any_sync(unsigned int mask, int predicate);
__device__ unsigned int __ballot_sync(unsigned int mask, int predicate);

template <typename T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <typename T>
__device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T>
__device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T>
__device__ T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32);
template <typename T> __device__ T __ldg(const T *address);

#define CUDASIM_ATOMICS(T)                                                                         \
  __device__ T atomicAdd(T *address, T value);                                                     \
  __device__ T atomicSub(T *address, T value);                                                     \
  __device__ T atomicExch(T *address, T value);                                                    \
  __device__ T atomicMin(T *address, T value);                                                     \
  __device__ T atomicMax(T *address, T value);                                                     \
  __device__ T atomicAnd(T *address, T value);                                                     \
  __device__ T atomicOr(T *address, T value);                                                      \
  __device__ T atomicXor(T *address, T value);                                                     \
  __device__ T atomicInc(T *address, T value);                                                     \
  __device__ T atomicDec(T *address, T value);                                                     \
  __device__ T atomicCAS(T *address, T compare, T value);
CUDASIM_ATOMICS(int)
CUDASIM_ATOMICS(unsigned int)
CUDASIM_ATOMICS(unsigned long long)
#undef CUDASIM_ATOMICS
__device__ float atomicAdd(float *address, float value);
__device__ double atomicAdd(double *address, double value);
__device__ float atomicExch(float *address, float value);

// nvcc gives device and host code global min and max.
template <typename T> __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <typename T> __device__ constexpr T max(T a, T b) { return a < b ? b : a; }

// The overloads that <cmath> adds for float, on the device side.
#define CUDASIM_OVERLOAD1(NAME)                                                                    \
  static __inline__ __device__ float NAME(float x) { return NAME##f(x); }
CUDASIM_OVERLOAD1(sqrt)
CUDASIM_OVERLOAD1(exp)
CUDASIM_OVERLOAD1(log)
CUDASIM_OVERLOAD1(sin)
CUDASIM_OVERLOAD1(cos)
CUDASIM_OVERLOAD1(tan)
CUDASIM_OVERLOAD1(tanh)
CUDASIM_OVERLOAD1(fabs)
CUDASIM_OVERLOAD1(floor)
CUDASIM_OVERLOAD1(ceil)
CUDASIM_OVERLOAD1(round)
#undef CUDASIM_OVERLOAD1
static __inline__ __device__ float abs(float x) { return fabsf(x); }
static __inline__ __device__ double abs(double x) { return fabs(x); }
static __inline__ __device__ float pow(float x, float y) { return powf(x, y); }

#endif // __CUDA__

#endif // CUDASIM_DEVICE_FUNCTIONS_H
