// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graphprof/c.h"

#include "calls.h"

const struct RuntimeCalls runtimeCalls = {
    graphprof_cudaStreamBeginCapture,
    graphprof_cudaStreamEndCapture,
    graphprof_cudaGraphInstantiate,
    graphprof_cudaGraphUpload,
    graphprof_cudaGraphLaunch,
    graphprof_cudaGraphExecUpdate,
    graphprof_cudaGraphExecMemsetNodeSetParams,
    graphprof_cudaGraphMemsetNodeSetParams,
    graphprof_cudaGraphAddEmptyNode,
    graphprof_cudaGraphClone,
    graphprof_cudaGraphExecDestroy,
    graphprof_cudaGraphDestroy,
};

const struct DriverCalls driverCalls = {
    graphprof_cuStreamBeginCapture,
    graphprof_cuStreamEndCapture,
    graphprof_cuGraphInstantiate,
    graphprof_cuGraphLaunch,
    graphprof_cuGraphExecMemsetNodeSetParams,
    graphprof_cuGraphExecDestroy,
    graphprof_cuGraphDestroy,
};
