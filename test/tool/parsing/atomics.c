// RUN: %instrument %s -o - --strict -- %c11 | FileCheck %s
// RUN: %instrument %s -o - --strict -- -x c++ %cxx | FileCheck %s
//
// <stdatomic.h> is clang's own: gcc's needs what only gcc has.

#include <cuda_runtime_api.h>
#include <stdatomic.h>

static atomic_int launches;

int run(cudaGraphExec_t exec, cudaStream_t stream) {
  atomic_fetch_add(&launches, 1);
  // CHECK: {{^}}  {{(::graphprof::cuda::|graphprof_)}}cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  return atomic_load(&launches);
}
