// RUN: %instrument --verify %s -o %t.cpp -- %cxx
// RUN: FileCheck %s < %t.cpp
//
// --verify without graphprof's headers: what is redirected has the type that it has in the source.

#include <cuda_runtime_api.h>

template <auto Function> cudaError_t call(cudaGraphExec_t e, cudaStream_t s) { return Function(e, s); }

cudaError_t run(cudaGraphExec_t *e, cudaGraph_t g, cudaStream_t s) {
  // CHECK: {{^}}  auto launch = &::graphprof::cuda::cudaGraphLaunch;
  auto launch = &cudaGraphLaunch;
  decltype(&cudaGraphUpload) upload = cudaGraphUpload;
  return launch(*e, s) ? upload(*e, s) : call<&cudaGraphLaunch>(*e, s) ? cudaGraphInstantiate(e, g, 0) : cudaGraphDestroy(g);
}
