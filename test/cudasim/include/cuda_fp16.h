// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Numbers of 16 bits with 5 bits of exponent: what CUDA has for the host computes as CUDA's own
// header does, what is for the device is declared.

#ifndef CUDASIM_CUDA_FP16_H
#define CUDASIM_CUDA_FP16_H

#include "cudasim/small_floats.h"
#include "vector_types.h"

#ifdef __cplusplus

#define CUDASIM_NAME half
#define CUDASIM_TYPE __half
#define CUDASIM_FORMAT cudasim_floats::Format<5, 10>
#include "cudasim/small_float_type.inc"
#undef CUDASIM_NAME
#undef CUDASIM_TYPE
#undef CUDASIM_FORMAT

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7C00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7FFFu))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7BFFu))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3C00u))

#endif // __cplusplus

#endif // CUDASIM_CUDA_FP16_H
