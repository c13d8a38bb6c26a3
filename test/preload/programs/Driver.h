// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver functions of the tests' programs, found in the way that WAY selects, as real programs
// and runtimes find them.

#ifndef GRAPHPROF_TEST_PRELOAD_DRIVER_H
#define GRAPHPROF_TEST_PRELOAD_DRIVER_H

#include <cuda.h>

// A toolkit declares them in a header of their own.
extern "C" {
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
}

// (name, version, symbol)
#define FUNCTIONS(X)                                                                               \
  X(Init, 2000, cuInit)                                                                            \
  X(DevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain)                                        \
  X(CtxSetCurrent, 4000, cuCtxSetCurrent)                                                          \
  X(StreamCreate, 2000, cuStreamCreate)                                                            \
  X(StreamDestroy, 4000, cuStreamDestroy_v2)                                                       \
  X(StreamSynchronize, 2000, cuStreamSynchronize)                                                  \
  X(StreamWaitEvent, 3020, cuStreamWaitEvent)                                                      \
  X(EventCreate, 2000, cuEventCreate)                                                              \
  X(EventRecord, 2000, cuEventRecord)                                                              \
  X(MemAlloc, 3020, cuMemAlloc_v2)                                                                 \
  X(MemcpyDtoH, 3020, cuMemcpyDtoH_v2)                                                             \
  X(MemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2)                                                   \
  X(MemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2)                                                   \
  X(StreamBeginCapture, 10010, cuStreamBeginCapture_v2)                                            \
  X(StreamEndCapture, 10000, cuStreamEndCapture)                                                   \
  X(GraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags)                                 \
  X(GraphLaunch, 10000, cuGraphLaunch)                                                             \
  X(GraphExecDestroy, 10000, cuGraphExecDestroy)                                                   \
  X(GraphDestroy, 10000, cuGraphDestroy)                                                           \
  X(ProfilerStart, 4000, cuProfilerStart)                                                          \
  X(ProfilerStop, 4000, cuProfilerStop)

struct Driver {
#define MEMBER(name, version, symbol) decltype(&::symbol) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
};

/// Exits with status 99 if one is not found.
Driver findDriver(const char *way);

/// Captures a graph of two copies, replays it three times, and prints what was copied.
int replay(const Driver &driver);

#endif // GRAPHPROF_TEST_PRELOAD_DRIVER_H
