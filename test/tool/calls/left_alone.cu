// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SUMMARY
// RUN: cmp %s %t.cu
//
// What only looks like a call to redirect. A file without an edit is copied byte for byte.

#include <cuda_runtime.h>

namespace mine {
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t, int);
}
struct Graph {
  cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
};
cudaError_t cudaGraphLaunch(Graph &, int); // an overload of the program's own

// A kernel launches a graph by the device's function of that name.
__global__ void kernel(cudaGraphExec_t e) { cudaGraphLaunch(e, cudaStreamGraphFireAndForget); }
__device__ void device(cudaGraphExec_t e) { cudaGraphLaunch(e, cudaStreamGraphFireAndForget); }

void calls(cudaGraphExec_t e, cudaEvent_t event, cudaStream_t s, Graph &mineToo) {
  mine::cudaGraphLaunch(e, s, 1);
  mineToo.cudaGraphUpload(e, s);
  cudaGraphLaunch(mineToo, 1);
  cudaEventRecord(event, s); // not a listed function
  const char *text = "cudaGraphLaunch(e, s)";
  // cudaGraphLaunch(e, s)
#if 0
  cudaGraphLaunch(e, s);
#endif
}
// SUMMARY: left_alone.cu -> {{.*}}: 0 regions, 0 redirected calls{{$}}
