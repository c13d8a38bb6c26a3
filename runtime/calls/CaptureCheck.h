// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_CHECK: says which work a capture misses. Knows what a thread launches, not what the
// graph will hold.

#ifndef GRAPHPROF_CALLS_CAPTURECHECK_H
#define GRAPHPROF_CALLS_CAPTURECHECK_H

#include "cuda/DriverApi.h"

namespace graphprof::internal {

/// This thread is about to launch a kernel in `stream`, or, where `kernel` is null, a copy. If it
/// captures another stream meanwhile, says that the work is not in that graph, and where the call
/// is: once for each call and kernel. `kernel`: what cuLaunchKernel takes, a function or a kernel.
void checkAdding(driver::Stream stream, driver::Function kernel) noexcept;

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_CAPTURECHECK_H
