// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// dim3 and the short vectors, with CUDA's sizes and alignments, and their make_ functions.

#ifndef CUDASIM_VECTOR_TYPES_H
#define CUDASIM_VECTOR_TYPES_H

#include "host_defines.h"

// C has the types only.
#ifdef __cplusplus
#define CUDASIM_MAKE(NAME, PARAMETERS, ...)                                                        \
  static __inline__ __host__ __device__ NAME make_##NAME PARAMETERS { return NAME __VA_ARGS__; }
#else
#define CUDASIM_MAKE(NAME, PARAMETERS, ...)
#endif
#define CUDASIM_VECTOR1(T, NAME)                                                                   \
  typedef struct NAME##1 { T x; }                                                                  \
  NAME##1;                                                                                         \
  CUDASIM_MAKE(NAME##1, (T x), {x})
#define CUDASIM_VECTOR2(T, NAME, ALIGN)                                                            \
  typedef struct __align__(ALIGN) NAME##2 { T x, y; }                                              \
  NAME##2;                                                                                         \
  CUDASIM_MAKE(NAME##2, (T x, T y), {x, y})
#define CUDASIM_VECTOR3(T, NAME)                                                                   \
  typedef struct NAME##3 { T x, y, z; }                                                            \
  NAME##3;                                                                                         \
  CUDASIM_MAKE(NAME##3, (T x, T y, T z), {x, y, z})
#define CUDASIM_VECTOR4(T, NAME, ALIGN)                                                            \
  typedef struct __align__(ALIGN) NAME##4 { T x, y, z, w; }                                        \
  NAME##4;                                                                                         \
  CUDASIM_MAKE(NAME##4, (T x, T y, T z, T w), {x, y, z, w})
#define CUDASIM_VECTORS(T, NAME, ALIGN2, ALIGN4)                                                   \
  CUDASIM_VECTOR1(T, NAME)                                                                         \
  CUDASIM_VECTOR2(T, NAME, ALIGN2)                                                                 \
  CUDASIM_VECTOR3(T, NAME)                                                                         \
  CUDASIM_VECTOR4(T, NAME, ALIGN4)

CUDASIM_VECTORS(signed char, char, 2, 4)
CUDASIM_VECTORS(unsigned char, uchar, 2, 4)
CUDASIM_VECTORS(short, short, 4, 8)
CUDASIM_VECTORS(unsigned short, ushort, 4, 8)
CUDASIM_VECTORS(int, int, 8, 16)
CUDASIM_VECTORS(unsigned int, uint, 8, 16)
CUDASIM_VECTORS(long, long, 16, 16)
CUDASIM_VECTORS(unsigned long, ulong, 16, 16)
CUDASIM_VECTORS(long long, longlong, 16, 16)
CUDASIM_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDASIM_VECTORS(float, float, 8, 16)
CUDASIM_VECTORS(double, double, 16, 16)

#undef CUDASIM_VECTORS
#undef CUDASIM_VECTOR4
#undef CUDASIM_VECTOR3
#undef CUDASIM_VECTOR2
#undef CUDASIM_VECTOR1
#undef CUDASIM_MAKE

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif // CUDASIM_VECTOR_TYPES_H
