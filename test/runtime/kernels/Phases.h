// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A kernel with annotated statements and its timed twin, as graphprof-instrument writes them, on a
// GPU and on the simulation.

#ifndef GRAPHPROF_TEST_KERNELS_PHASES_H
#define GRAPHPROF_TEST_KERNELS_PHASES_H

#include <cuda_runtime.h>

namespace graphprof::test {

/// What the kernel writes, in pinned memory.
struct Written {
  int value;        // as given
  unsigned kernels; // how often the kernel has run
  unsigned twins;   // how often its twin has
};

constexpr unsigned phaseBlocks = 8, phaseThreads = 64;
// Of a thread, in each round: "load" takes so many cycles; "product" three times as many, half of
// that in "inner".
constexpr long long loadCycles = 19'800;

/// In blocks of phaseThreads threads.
void phases(cudaStream_t stream, Written *written, int value, int rounds,
            unsigned blocks = phaseBlocks);
void *phasesKernel();
/// A kernel like that, whose twin takes much more shared memory.
void tight(cudaStream_t stream, Written *written, int value, unsigned blocks);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_KERNELS_PHASES_H
