// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu
//
// The project's headers are not rewritten; that must not go unnoticed.

#include "project/header.h"

void run(cudaGraphExec_t e, cudaStream_t s) { LAUNCH_IN_HEADER(e, s); }
// CHECK: header.h:4:3: warning: headers are not rewritten: 1 annotation and 3 CUDA graph calls in this one have no effect
