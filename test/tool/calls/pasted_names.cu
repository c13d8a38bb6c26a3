// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
//
// A name that a macro pastes together is spelled nowhere, so such a call stays, and the tool says so.

#include <cuda_runtime.h>

#define GRAPH_CALL(name, ...) cudaGraph##name(__VA_ARGS__)

void run(cudaGraphExec_t e, cudaStream_t s) {
  GRAPH_CALL(Launch, e, s);
  // CHECK: :[[#@LINE-1]]:3: warning: 'cudaGraphLaunch' is not redirected: a macro pastes its name together; write it out
}
// CHECK: 0 redirected calls, 1 warning
