// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_CHECK: says which work a capture misses, and which call it does not survive. Knows what
// threads call, not what the graph will hold.

#ifndef GRAPHPROF_CALLS_CAPTURECHECK_H
#define GRAPHPROF_CALLS_CAPTURECHECK_H

#include "cuda/DriverApi.h"

namespace graphprof::internal {

/// This thread is about to launch a kernel in `stream`, or, where `kernel` is null, a copy or
/// memset. If it captures another stream meanwhile, says that the work is not in that graph, and
/// where the call is: once for each call and kernel. `kernel`: what cuLaunchKernel takes, a
/// function or a kernel.
void checkAdding(driver::Stream stream, driver::Function kernel) noexcept;
/// This thread has begun a capture.
void checkCaptureBegan() noexcept;
/// The driver's function `symbol` returned an error to this thread. If a capture is why, says what
/// it did to the capture, and what to do.
void checkRefused(const char *symbol, driver::Result result) noexcept;

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_CAPTURECHECK_H
