// RUN: %instrument --project %inputs --no-headers %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu
//
// Headers that are not rewritten must not go unnoticed.

#include "project/header.h"

void run(cudaGraphExec_t e, cudaStream_t s) { LAUNCH_IN_HEADER(e, s); }
// CHECK: header.h:4:3: warning: this header is not rewritten, so 1 annotation and 3 CUDA graph calls in it have no effect; leave out --no-headers
