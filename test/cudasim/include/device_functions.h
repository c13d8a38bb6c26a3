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
__device__ void __brkpt(void);
__device__ unsigned int __isShared(const void *pointer);
__device__ unsigned int __isGlobal(const void *pointer);
__device__ size_t __cvta_generic_to_shared(const void *pointer);
__device__ size_t __cvta_generic_to_global(const void *pointer);
__device__ void cudaGridDependencySynchronize(void);
__device__ void cudaTriggerProgrammaticLaunchCompletion(void);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ int printf(const char *format, ...);
__device__ void __assert_fail(const char *assertion, const char *file, unsigned int line,
                              const char *function) noexcept; // of assert()
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
__device__ int __popcll(unsigned long long x);
__device__ int __clzll(long long x);
__device__ int __ffsll(long long x);
__device__ unsigned int __brev(unsigned int x);
__device__ unsigned long long __brevll(unsigned long long x);
__device__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector);
__device__ unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift);
__device__ int __mul24(int x, int y);
__device__ unsigned int __umul24(unsigned int x, unsigned int y);
__device__ int __mulhi(int x, int y);
__device__ unsigned int __umulhi(unsigned int x, unsigned int y);
__device__ long long __mul64hi(long long x, long long y);
__device__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y);
__device__ unsigned int __sad(int x, int y, unsigned int z);
__device__ int __rhadd(int x, int y);
__device__ int __dp4a(int a, int b, int c);
__device__ float __exp10f(float x);
__device__ float __log2f(float x);
__device__ float __log10f(float x);
__device__ float __tanf(float x);
__device__ void __sincosf(float x, float *sine, float *cosine);
__device__ float __frcp_rn(float x);
__device__ float __fsqrt_rn(float x);
__device__ float __frsqrt_rn(float x);
__device__ float __fadd_rn(float x, float y);
__device__ float __fsub_rn(float x, float y);
__device__ float __fmul_rn(float x, float y);
__device__ float __fdiv_rn(float x, float y);
__device__ float __fmaf_rn(float x, float y, float z);
__device__ double __dadd_rn(double x, double y);
__device__ double __dmul_rn(double x, double y);
__device__ double __fma_rn(double x, double y, double z);
__device__ unsigned int __float_as_uint(float x);
__device__ float __uint_as_float(unsigned int x);
__device__ long long __double_as_longlong(double x);
__device__ double __longlong_as_double(long long x);
__device__ int __double2hiint(double x);
__device__ int __double2loint(double x);
__device__ double __hiloint2double(int high, int low);
__device__ int __float2int_rn(float x);
__device__ int __float2int_rz(float x);
__device__ int __float2int_ru(float x);
__device__ int __float2int_rd(float x);
__device__ unsigned int __float2uint_rn(float x);
__device__ unsigned int __float2uint_rz(float x);
__device__ float __int2float_rn(int x);
__device__ float __uint2float_rn(unsigned int x);
__device__ float __double2float_rn(double x);
__device__ int __double2int_rn(double x);
__device__ int __double2int_rz(double x);
__device__ double __int2double_rn(int x);
} // extern "C"

__device__ long clock(void);
__device__ int __hadd(int x, int y); // cuda_fp16.h has overloads
__device__ void __syncwarp(unsigned int mask = 0xffffffffu);
__device__ int __all_sync(unsigned int mask, int predicate);
__device__ int __any_sync(unsigned int mask, int predicate);
__device__ unsigned int __ballot_sync(unsigned int mask, int predicate);
template <typename T> __device__ unsigned int __match_any_sync(unsigned int mask, T value);
template <typename T>
__device__ unsigned int __match_all_sync(unsigned int mask, T value, int *predicate);
__device__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int value);
__device__ int __reduce_add_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int value);
__device__ int __reduce_min_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int value);
__device__ int __reduce_max_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value);

template <typename T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <typename T>
__device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T>
__device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T>
__device__ T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32);
template <typename T> __device__ T __ldg(const T *address);
template <typename T> __device__ T __ldca(const T *address);
template <typename T> __device__ T __ldcg(const T *address);
template <typename T> __device__ T __ldcs(const T *address);
template <typename T> __device__ T __ldcv(const T *address);
template <typename T> __device__ T __ldlu(const T *address);
template <typename T> __device__ void __stwb(T *address, T value);
template <typename T> __device__ void __stcg(T *address, T value);
template <typename T> __device__ void __stcs(T *address, T value);
template <typename T> __device__ void __stwt(T *address, T value);

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
__device__ long long atomicMin(long long *address, long long value);
__device__ long long atomicMax(long long *address, long long value);
__device__ unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                                    unsigned short value);
__device__ float2 atomicAdd(float2 *address, float2 value);
__device__ float4 atomicAdd(float4 *address, float4 value);
// The same for the block and for the system.
#define CUDASIM_SCOPED(NAME)                                                                       \
  template <typename T> __device__ T NAME##_block(T *address, T value);                            \
  template <typename T> __device__ T NAME##_system(T *address, T value);
CUDASIM_SCOPED(atomicAdd)
CUDASIM_SCOPED(atomicSub)
CUDASIM_SCOPED(atomicExch)
CUDASIM_SCOPED(atomicMin)
CUDASIM_SCOPED(atomicMax)
CUDASIM_SCOPED(atomicAnd)
CUDASIM_SCOPED(atomicOr)
CUDASIM_SCOPED(atomicXor)
#undef CUDASIM_SCOPED
template <typename T> __device__ T atomicCAS_block(T *address, T compare, T value);
template <typename T> __device__ T atomicCAS_system(T *address, T compare, T value);
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
