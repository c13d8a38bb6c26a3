/* Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

   What the tests of graphprof/capi.h share: checks, and a small graph on the simulated driver. */

#ifndef GRAPHPROF_TEST_CAPI_CHECK_H
#define GRAPHPROF_TEST_CAPI_CHECK_H

#include <stdio.h>
#include <string.h>

#include <cuda.h>

#include "graphprof/c.h"
#include "graphprof/capi.h"

/* Notes a failure, and goes on. */
#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (void)(++failures, fprintf(stderr, "%s:%d: not so: %s; last error: %s\n", __FILE__,       \
                                    __LINE__, #condition, graphprof_capi_last_error())))
#define CHECK_CUDA(call) CHECK((call) == CUDA_SUCCESS)
/* It failed with that status, and its text has those words. */
#define CHECK_FAILS(status, words, call)                                                           \
  (CHECK((call) == (status)), CHECK(strstr(graphprof_capi_last_error(), words)))

extern int failures;
extern CUstream stream;
extern CUdeviceptr memory;
enum { memoryBytes = 64 };

/* Makes a context current, and the stream and the memory. */
void useDevice(void);
/* Two memsets into the stream. */
void work(void);
/* What region_begin() takes, for the stream. */
struct graphprof_capi_region_info inStream(const char *format);
/* Captures a graph whose work is in a region with that name, and instantiates it. */
CUgraphExec capturedIn(const char *name);
void replay(CUgraphExec exec, int times);

/* A profile of everything, started. */
graphprof_capi_profile *profiled(void);
/* Stops it, and returns its trace's averages. */
graphprof_capi_averages *averagesOf(graphprof_capi_profile *profile);
/* The row with that key; with size 0 if there is none. */
struct graphprof_capi_average rowOf(const graphprof_capi_averages *averages, const char *key);
/* The trace's event of that name. */
struct graphprof_capi_event eventOf(graphprof_capi_trace *trace, const char *name);

/* Cases of benchmarks.c */
void graph(void);
void callable(void);
void compared(void);
void failing(void);
void options(void);

#endif
