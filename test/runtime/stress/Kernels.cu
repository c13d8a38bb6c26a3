// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels' handles. Everything else of the test is C++, so that sanitizers see it.

#include "Cells.h"

namespace graphprof::test {

namespace {

__global__ void graphprofStressFold(Cell *, unsigned long long) {}
__global__ void graphprofStressAdd(Cell *, unsigned long long) {}

} // namespace

void *kernelOf(Work work) {
  return work == Work::Fold ? reinterpret_cast<void *>(graphprofStressFold)
                            : reinterpret_cast<void *>(graphprofStressAdd);
}

} // namespace graphprof::test
