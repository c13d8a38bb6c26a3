// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// A name that a using-declaration brings in goes with its qualifier; the declaration itself stays.

#include <cuda_runtime.h>

namespace rt {
// CHECK: using ::cudaGraphLaunch;
using ::cudaGraphLaunch;
namespace inner {
cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return cudaGraphLaunch(e, s); }
// CHECK: cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return ::graphprof::cuda::cudaGraphLaunch(e, s); }
} // namespace inner
} // namespace rt
void run(cudaGraphExec_t e, cudaStream_t s) { rt::cudaGraphLaunch(e, s); }
// CHECK: void run(cudaGraphExec_t e, cudaStream_t s) { ::graphprof::cuda::cudaGraphLaunch(e, s); }
