// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For programs of this folder: a call of CUDA that fails ends the program, with its place.

#ifndef GRAPHPROF_TEST_GPU_RUN_CHECK_H
#define GRAPHPROF_TEST_GPU_RUN_CHECK_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do                                                                                               \
    if (const cudaError_t error = (call); error != cudaSuccess) {                                  \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));        \
      std::exit(1);                                                                                \
    }                                                                                              \
  while (0)

#endif // GRAPHPROF_TEST_GPU_RUN_CHECK_H
