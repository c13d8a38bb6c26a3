// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Work for the tests to time: two kernels whose lengths are far apart, on a GPU and on the
// simulation alike.

#ifndef GRAPHPROF_TEST_SUPPORT_WORK_H
#define GRAPHPROF_TEST_SUPPORT_WORK_H

#include <cuda_runtime.h>

namespace graphprof::test {

/// About 10 us.
void shortWork(cudaStream_t stream);
/// About ten times as long.
void longWork(cudaStream_t stream);
/// Takes 1 from `*counter`, in pinned memory, and gives the result to `handle`.
void countDown(cudaStream_t stream, unsigned *counter, cudaGraphConditionalHandle handle);
/// Writes `value` to `*counter`, and `given` to `handle`.
void setCounter(cudaStream_t stream, unsigned *counter, unsigned value,
                cudaGraphConditionalHandle handle, unsigned given);
/// The kernels' addresses, as cudaKernelNodeParams takes them. They have no parameters.
void *countDownKernel(); // but this one
void *shortKernel();
void *longKernel();
void *roomyKernel(); // as long as the short one, with 40 KiB of shared memory a block

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_WORK_H
