// RUN: %instrument %s -o %t.c -- %c11
// RUN: FileCheck %s --match-full-lines < %t.c
// RUN: %instrument %t.c -o %t.again.c -- %c11
// RUN: cmp %t.c %t.again.c
// RUN: %check_c %t.c
//
// C has no namespaces: calls of either API become C functions.

// CHECK:      #include <graphprof/c.h>
// CHECK-NEXT: #line 1 "{{.*}}c_source.c"
#include <cuda.h>
#include <cuda_runtime_api.h>

#define CHECK(call)                                                                                                    \
  if ((call) != 0)                                                                                                     \
    return 1;

struct Table {
  cudaError_t (*launch)(cudaGraphExec_t, cudaStream_t);
  CUresult (*destroy)(CUgraphExec);
};
static const struct Table table = {cudaGraphLaunch, &cuGraphExecDestroy};
// CHECK: static const struct Table table = {graphprof_cudaGraphLaunch, &graphprof_cuGraphExecDestroy};

int run(cudaStream_t s) {
  // CHECK-LABEL: int run({{.*}}
  cudaGraph_t g;
  cudaGraphExec_t e;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  // CHECK: CHECK(graphprof_cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamEndCapture(s, &g))
  // CHECK: CHECK(graphprof_cudaStreamEndCapture(s, &g))
  if (cudaGraphInstantiate(&e, g, 0) || cuGraphInstantiate(&e, g, 0))
    return 1;
  // CHECK: if (graphprof_cudaGraphInstantiate(&e, g, 0) || graphprof_cuGraphInstantiate(&e, g, 0))
  CHECK(cuGraphLaunch(e, s))
  // CHECK: CHECK(graphprof_cuGraphLaunch(e, s))
  CHECK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL))
  // CHECK: CHECK(graphprof_cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL))
  cudaGraphCreate(&g, 0);
  // CHECK: {{^}}  graphprof_cudaGraphCreate(&g, 0);
  cudaGraphGetNodes(g, 0, 0);
  // CHECK: {{^}}  graphprof_cudaGraphGetNodes(g, 0, 0);
  return table.launch(e, s) || table.destroy(e);
}
