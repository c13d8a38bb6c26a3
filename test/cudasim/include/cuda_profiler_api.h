// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// cudaProfilerStart and cudaProfilerStop are declared in cuda_runtime_api.h.

#include "cuda_runtime_api.h"
