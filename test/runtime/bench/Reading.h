// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A memory-bound kernel for the tests of benchmarks. On a GPU and on the simulation it takes longer
// if its data are not in the L2 cache.

#ifndef GRAPHPROF_TEST_BENCH_READING_H
#define GRAPHPROF_TEST_BENCH_READING_H

#include <cstddef>

#include <cuda_runtime.h>

namespace graphprof::test {

/// Reads `count` floats at `data`. Does not change `*sum`.
void read(cudaStream_t stream, const float *data, std::size_t count, float *sum);
/// Adds 1 to each of `count` floats.
void increment(cudaStream_t stream, float *data, std::size_t count);

/// The same, but may begin before the previous kernel has ended.
void incrementEarly(cudaStream_t stream, float *data, std::size_t count);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_BENCH_READING_H
