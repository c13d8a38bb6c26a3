// Programs for CUDA 13.3, against headers that declare what a toolkit of that version does. The driver's part of the result is
// compiled with the simulation's headers, which have these functions, too.
//
// RUN: %instrument %s -o %t.cpp -- -I%inputs/cuda13 %cxx -DRUNTIME
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %instrument %s -o %t.ptsz.cpp -- -I%inputs/cuda13 %cxx -DRUNTIME -DCUDA_API_PER_THREAD_DEFAULT_STREAM
// RUN: FileCheck %s --match-full-lines < %t.ptsz.cpp
// RUN: %compile -DCUDA_VERSION=13030 %t.cpp
//
// A function that makes graphs undefined cannot stay where it cannot be redirected.
// RUN: %status 1 %instrument %s -o %t.no.cpp -- -I%inputs/cuda13 %cxx -DPASTED 2>&1 | FileCheck %s --check-prefix=PASTED

#include <cuda.h>
#ifdef RUNTIME
#include <cuda_runtime_api.h>
#endif

CUresult update(CUgraphNode, CUstream stream, CUgraph graph, CUgraphRecaptureCallback changed, void *data) {
  return cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, changed, data);
  // CHECK: {{^}}  return ::graphprof::cuda::cuStreamBeginRecaptureToGraph(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, changed, data);
}

CUresult list(CUstream stream, CUstreamCigCaptureParams *params) {
  const CUresult begun = cuStreamBeginCaptureToCig(stream, params);
  // CHECK: {{^}}  const CUresult begun = ::graphprof::cuda::cuStreamBeginCaptureToCig(stream, params);
  return begun == CUDA_SUCCESS ? cuStreamEndCaptureToCig(stream) : begun;
  // CHECK: {{^}}  return begun == CUDA_SUCCESS ? ::graphprof::cuda::cuStreamEndCaptureToCig(stream) : begun;
}

void end(CUcontext context, CUgreenCtx green) {
  cuCtxDestroy(context);
  // CHECK: {{^}}  ::graphprof::cuda::cuCtxDestroy(context);
  cuGreenCtxDestroy(green);
  // CHECK: {{^}}  ::graphprof::cuda::cuGreenCtxDestroy(green);
  cuDevicePrimaryCtxRelease(0);
  // CHECK: {{^}}  ::graphprof::cuda::cuDevicePrimaryCtxRelease(0);
}

#ifdef RUNTIME
cudaError_t update(cudaStream_t stream, cudaGraph_t graph) {
  return cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeGlobal, graph);
  // CHECK: {{^}}  return ::graphprof::cuda::cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeGlobal, graph);
}
#endif

#ifdef PASTED
#define OF_STREAM(name) cuStream##name
CUresult pasted(CUstream stream, CUgraph graph) {
  return OF_STREAM(BeginRecaptureToGraph)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, graph, nullptr, nullptr);
  // PASTED: toolkit_13_3.cpp:[[#@LINE-1]]:{{.*}}cuStreamBeginRecaptureToGraph
}
#endif
