// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels. Everything else of the test is C++, so that sanitizers see it.

#include "Cells.h"

namespace graphprof::test {

namespace {

__global__ void graphprofStressFold(Result *cell, unsigned long long amount) {
  cell->chain = cell->chain * 31 + amount;
}
__global__ void graphprofStressAdd(Result *cell, unsigned long long amount) {
  atomicAdd(&cell->sum, amount);
}

} // namespace

void *kernelOf(Work work) {
  return work == Work::Fold ? reinterpret_cast<void *>(graphprofStressFold)
                            : reinterpret_cast<void *>(graphprofStressAdd);
}

cudaError_t launch(Work work, const Cell &cell, unsigned long long amount, cudaStream_t stream) {
  void *place = cell.place();
  void *params[] = {static_cast<void *>(&place), &amount};
  return cudaLaunchKernel(kernelOf(work), dim3(1), dim3(1), params, 0, stream);
}

} // namespace graphprof::test
