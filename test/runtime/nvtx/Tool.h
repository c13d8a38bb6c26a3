// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_TEST_RUNTIME_NVTX_TOOL_H
#define GRAPHPROF_TEST_RUNTIME_NVTX_TOOL_H

#include <string>
#include <vector>

/// The calls that the tool received since the last time.
extern "C" void graphprofTestNvtxCalls(std::vector<std::string> *taken);

#endif // GRAPHPROF_TEST_RUNTIME_NVTX_TOOL_H
