// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_CHECK: says which host functions call CUDA. CUDA forbids that: the call fails, or waits
// for ever for the very work that waits for the host function.

#ifndef GRAPHPROF_CALLS_HOSTFUNCTIONCHECK_H
#define GRAPHPROF_CALLS_HOSTFUNCTIONCHECK_H

namespace graphprof::internal {

/// The program has handed `function` over, as a node of a graph or into a stream.
void noteHostFunction(const void *function);
/// This thread is about to call the driver's function `symbol`.
void checkHostFunction(const char *symbol);

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_HOSTFUNCTIONCHECK_H
