// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's function and variable attributes. Under `clang -x cuda` they are clang's own attributes,
// in plain C++ they vanish. Knows no CUDA type.

#ifndef CUDASIM_HOST_DEFINES_H
#define CUDASIM_HOST_DEFINES_H

#define CUDARTAPI
#define CUDART_CB
#define __device_builtin__
#define __cudart_builtin__
#define __align__(n) __attribute__((aligned(n)))

// clang knows __noinline__ itself; a macro of that name would break libstdc++.
#ifdef __CUDA__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __forceinline__ __inline__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif
#define __cluster_dims__(...)

#endif // CUDASIM_HOST_DEFINES_H
