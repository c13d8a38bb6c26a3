// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The only kernel, which is empty.

#include <cuda_runtime.h>

namespace benchmark::host {

namespace {
__global__ void nothing() {}
} // namespace

void launchNothing(cudaStream_t stream) { nothing<<<1, 1, 0, stream>>>(); }

} // namespace benchmark::host
