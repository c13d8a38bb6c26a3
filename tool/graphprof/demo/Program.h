// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The program that `graphprof demo` records: a decoder of four layers, as a CUDA graph that is
// replayed for each token. Its kernels only keep the GPU busy. It needs libcuda.so.1 and nothing
// else, and is no different from other programs: it runs without graphprof, too.

#ifndef GRAPHPROF_TOOL_DEMO_PROGRAM_H
#define GRAPHPROF_TOOL_DEMO_PROGRAM_H

namespace graphprof::demo {

/// Runs it, on the first GPU. Prints what it did, or why it could not; returns its exit status.
int runProgram();

} // namespace graphprof::demo

#endif // GRAPHPROF_TOOL_DEMO_PROGRAM_H
