/* Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE. */

#include "check.h"

int failures;
CUstream stream;
CUdeviceptr memory;

void useDevice(void) {
  CUcontext context;
  CHECK_CUDA(cuInit(0));
  CHECK_CUDA(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK_CUDA(cuCtxSetCurrent(context));
  CHECK_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK_CUDA(cuMemAlloc(&memory, memoryBytes));
}

void work(void) {
  CHECK_CUDA(cuMemsetD8Async(memory, 1, memoryBytes, stream));
  CHECK_CUDA(cuMemsetD8Async(memory, 2, memoryBytes, stream));
}

struct graphprof_capi_region_info inStream(const char *format) {
  struct graphprof_capi_region_info info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  info.site = graphprof_capi_site_of(format, __FILE__, __LINE__, __func__);
  info.stream = stream;
  return info;
}

CUgraphExec capturedIn(const char *name) {
  CUgraph graph;
  CUgraphExec exec;
  CHECK_CUDA(graphprof_cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const struct graphprof_capi_region_info info = inStream(name);
  graphprof_capi_region *const region = graphprof_capi_region_begin(&info);
  CHECK(region);
  work();
  graphprof_capi_region_end(region);
  CHECK_CUDA(graphprof_cuStreamEndCapture(stream, &graph));
  CHECK_CUDA(graphprof_cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

void replay(CUgraphExec exec, int times) {
  for (int i = 0; i < times; ++i)
    CHECK_CUDA(graphprof_cuGraphLaunch(exec, stream));
  CHECK_CUDA(cuStreamSynchronize(stream));
}

graphprof_capi_profile *profiled(void) {
  struct graphprof_capi_profile_options options = {sizeof options};
  graphprof_capi_profile *profile = NULL;
  CHECK(graphprof_capi_profile_create(&options, &profile) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_start(profile) == graphprof_capi_ok);
  return profile;
}

graphprof_capi_averages *averagesOf(graphprof_capi_profile *profile) {
  graphprof_capi_trace *trace = NULL;
  graphprof_capi_averages *averages = NULL;
  CHECK(graphprof_capi_profile_stop(profile, 10000) == graphprof_capi_ok);
  CHECK(graphprof_capi_profile_trace(profile, &trace) == graphprof_capi_ok);
  CHECK(graphprof_capi_trace_averages(trace, 0, 0, &averages) == graphprof_capi_ok);
  graphprof_capi_trace_release(trace);
  return averages;
}

struct graphprof_capi_average rowOf(const graphprof_capi_averages *averages, const char *key) {
  struct graphprof_capi_average row = {sizeof row};
  for (size_t i = 0; i < graphprof_capi_averages_size(averages); ++i)
    if (graphprof_capi_averages_row(averages, i, &row) == graphprof_capi_ok &&
        strcmp(row.key, key) == 0)
      return row;
  memset(&row, 0, sizeof row);
  return row;
}

struct graphprof_capi_event eventOf(graphprof_capi_trace *trace, const char *name) {
  struct graphprof_capi_event event = {sizeof event};
  for (size_t i = 0; graphprof_capi_trace_event(trace, i, &event) == graphprof_capi_ok; ++i)
    if (event.name_length == strlen(name) && memcmp(event.name, name, event.name_length) == 0)
      return event;
  memset(&event, 0, sizeof event);
  return event;
}
