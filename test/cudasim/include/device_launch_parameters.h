// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The built-in variables of device code. The simulation never executes device code: they are
// declared so that it parses.

#ifndef CUDASIM_DEVICE_LAUNCH_PARAMETERS_H
#define CUDASIM_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#ifdef __CUDA__
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
#endif

#endif // CUDASIM_DEVICE_LAUNCH_PARAMETERS_H
