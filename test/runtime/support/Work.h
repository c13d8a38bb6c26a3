// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Work for tests: two kernels of very different lengths, on a GPU and on the simulation.

#ifndef GRAPHPROF_TEST_SUPPORT_WORK_H
#define GRAPHPROF_TEST_SUPPORT_WORK_H

#include <cstdint>

#include <cuda_runtime.h>

namespace graphprof::test {

/// About 10 us.
void shortWork(cudaStream_t stream);
/// About ten times as long.
void longWork(cudaStream_t stream);
/// Half of what longWork takes on this device now, by the program's own events: more than shortWork
/// takes. Measured once.
std::int64_t halfLongWorkNs();
/// Subtracts 1 from `*counter`, in pinned memory, and sets `handle` to the result.
void countDown(cudaStream_t stream, unsigned *counter, cudaGraphConditionalHandle handle);
/// Writes `value` to `*counter` and sets `handle` to `given`.
void setCounter(cudaStream_t stream, unsigned *counter, unsigned value,
                cudaGraphConditionalHandle handle, unsigned given);
/// The kernels' addresses for cudaKernelNodeParams. They have no parameters, except
/// countDownKernel.
void *countDownKernel();
void *shortKernel();
void *longKernel();
void *roomyKernel(); // as long as shortWork, with 40 KiB of shared memory in each block

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_WORK_H
