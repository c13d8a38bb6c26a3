// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// A name in the body of a macro of the file is redirected there, once, however often the macro is used.

#include <cuda_runtime.h>

#define LAUNCH(exec, stream) cudaGraphLaunch(exec, stream)
// CHECK: #define LAUNCH(exec, stream) ::graphprof::cuda::cudaGraphLaunch(exec, stream)
#define TWICE(exec, stream) (LAUNCH(exec, stream), LAUNCH(exec, stream))
// CHECK: #define TWICE(exec, stream) (LAUNCH(exec, stream), LAUNCH(exec, stream))
#define ALIAS cudaGraphUpload
// CHECK: #define ALIAS ::graphprof::cuda::cudaGraphUpload
#define UNUSED(exec) cudaGraphExecDestroy(exec)
// CHECK: #define UNUSED(exec) cudaGraphExecDestroy(exec)

void run(cudaGraphExec_t e, cudaStream_t s) {
  LAUNCH(e, s);
  TWICE(e, s);
  ALIAS(e, s);
}
