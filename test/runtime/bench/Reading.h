// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A kernel that is bound by memory, for the tests of benchmarks: on a GPU and on the simulation
// alike it takes longer where what it reads is not in the L2 cache.

#ifndef GRAPHPROF_TEST_BENCH_READING_H
#define GRAPHPROF_TEST_BENCH_READING_H

#include <cstddef>

#include <cuda_runtime.h>

namespace graphprof::test {

/// Reads `count` floats from `data` on; `*sum` is left alone.
void read(cudaStream_t stream, const float *data, std::size_t count, float *sum);
/// Adds 1 to each of `count` floats.
void increment(cudaStream_t stream, float *data, std::size_t count);

/// The same, which the kernel before it need not have ended for.
void incrementEarly(cudaStream_t stream, float *data, std::size_t count);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_BENCH_READING_H
