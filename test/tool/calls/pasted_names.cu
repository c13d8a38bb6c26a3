// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu
//
// A qualified name cannot be pasted together: such calls stay, and the tool says so.

#include <cuda_runtime.h>

#define GRAPH_CALL(name, ...) cudaGraph##name(__VA_ARGS__)
#define TRACED(name, ...) (traced_##name++, name(__VA_ARGS__))
int traced_cudaGraphUpload;

void run(cudaGraphExec_t e, cudaStream_t s) {
  GRAPH_CALL(Launch, e, s);
  // CHECK: :[[#@LINE-1]]:3: warning: 'cudaGraphLaunch' is not redirected: a macro pastes its name together; write it out
  TRACED(cudaGraphUpload, e, s);
  // CHECK: :[[#@LINE-1]]:10: warning: 'cudaGraphUpload' is not redirected: a macro pastes it onto another token; write it out
}
// CHECK: 0 redirected calls, 2 warnings
