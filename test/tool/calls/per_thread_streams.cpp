// RUN: %instrument %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %instrument %t.cpp -o %t.again.cpp -- %cxx
// RUN: cmp %t.cpp %t.again.cpp
//
// A macro that configures CUDA's headers is repeated in front of the include that would otherwise come before it. It also
// renames cudaGraphLaunch by macro: the name as written is what is redirected.

// CHECK:      #define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
// CHECK-NEXT: #include <graphprof/cuda.h>
// CHECK-NEXT: #line 1 "{{.*}}per_thread_streams.cpp"
#include <stddef.h>
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#define UNRELATED 1
#include <cuda_runtime_api.h>
#define CUDA_TOO_LATE 1

cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return cudaGraphLaunch(e, s); }
// CHECK: cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return ::graphprof::cuda::cudaGraphLaunch(e, s); }
