// RUN: not %instrument %s -o %t.cpp -- %cxx 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: %instrument --allow-unredirected %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
//
// A weak function may be missing, and graphprof's function never is. So its null tests stay, and so does its address, which the
// program may test anywhere. A call is redirected.

#include <cuda_runtime_api.h>

#pragma weak cudaGraphExecDestroy
extern "C" cudaError_t cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s) __attribute__((weak));

void *updater = reinterpret_cast<void *>(cudaGraphExecDestroy);
// ADDRESS: weak.cpp:[[@LINE-1]]:42: error: 'cudaGraphExecDestroy' is not redirected: it is weak, so its address may be null
// CHECK: void *updater = reinterpret_cast<void *>(cudaGraphExecDestroy);
cudaError_t (*uploader)(cudaGraphExec_t, cudaStream_t) = &cudaGraphUpload;
// ADDRESS: weak.cpp:[[@LINE-1]]:59: warning: 'cudaGraphUpload' is not redirected: it is weak
// CHECK: cudaError_t (*uploader)(cudaGraphExec_t, cudaStream_t) = &cudaGraphUpload;
cudaError_t (*launcher)(cudaGraphExec_t, cudaStream_t) = &cudaGraphLaunch;
// CHECK: cudaError_t (*launcher)(cudaGraphExec_t, cudaStream_t) = &::graphprof::cuda::cudaGraphLaunch;
cudaError_t end(cudaGraphExec_t e) {
  if (!cudaGraphExecDestroy || (void *)cudaGraphExecDestroy == nullptr)
    // CHECK:   if (!cudaGraphExecDestroy || (void *)cudaGraphExecDestroy == nullptr)
    return cudaSuccess;
  return cudaGraphExecDestroy ? cudaGraphExecDestroy(e) : cudaSuccess;
  // CHECK:   return cudaGraphExecDestroy ? ::graphprof::cuda::cudaGraphExecDestroy(e) : cudaSuccess;
}
// ADDRESS-NOT: {{warning|error}}:
