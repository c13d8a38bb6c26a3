// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// cudaProfilerStart and cudaProfilerStop are declared with the rest of the runtime API.

#include "cuda_runtime_api.h"
