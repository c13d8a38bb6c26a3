// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Numbers of 16 bits with float's exponent: what CUDA has for the host computes as CUDA's own
// header does, what is for the device is declared.

#ifndef CUDASIM_CUDA_BF16_H
#define CUDASIM_CUDA_BF16_H

#include "cudasim/small_floats.h"
#include "vector_types.h"

#ifdef __cplusplus

#define CUDASIM_NAME bfloat16
#define CUDASIM_TYPE __nv_bfloat16
#define CUDASIM_FORMAT cudasim_floats::Format<8, 7>
#include "cudasim/small_float_type.inc"
#undef CUDASIM_NAME
#undef CUDASIM_TYPE
#undef CUDASIM_FORMAT

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7FFFu))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F7Fu))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3F80u))

#endif // __cplusplus

#endif // CUDASIM_CUDA_BF16_H
