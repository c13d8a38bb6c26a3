// RUN: %instrument --auto functions %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto functions %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// --auto functions times the body of each host function that gives work to the GPU.
// SAID: 1 region, 1 step, 3 redirected calls, 5 functions timed, 2 not (1 constexpr, 1 in a macro's body)

#include <cuda_runtime.h>

__global__ void step(float *x) {}

namespace app {
void launches(float *x, cudaStream_t s) { step<<<1, 1, 0, s>>>(x); }
// CHECK: void launches(float *x, cudaStream_t s) { GRAPHPROF_SCOPE({{[0-9]+}}, "app::launches", ::graphprof::on_stream(s)); step<<<1, 1, 0, s>>>(x); }
struct Runner {
  cudaStream_t stream;
  void replay(cudaGraphExec_t exec) { cudaGraphLaunch(exec, stream); }
  // CHECK: void replay(cudaGraphExec_t exec) { GRAPHPROF_SCOPE({{[0-9]+}}, "app::Runner::replay", ::graphprof::on_stream(stream)); ::graphprof::cuda::cudaGraphLaunch(exec, stream); }
};
} // namespace app
// A default argument is the work of who calls.
void prototype(cudaError_t error = cudaGraphLaunch(nullptr, nullptr));
// CHECK: void prototype(cudaError_t error = ::graphprof::cuda::cudaGraphLaunch(nullptr, nullptr));
void copies(float *to, float *from, cudaStream_t s)
{ cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToDevice, s); }
// CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "copies", ::graphprof::on_stream(s)); ::graphprof::cuda::cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToDevice, s); }
template <class T> void inLambda(T *x) { auto run = [=](cudaStream_t s) { step<<<1, 1, 0, s>>>(x); }; run(0); }
// CHECK: template <class T> void inLambda(T *x) { GRAPHPROF_SCOPE({{[0-9]+}}, "inLambda", ::graphprof::on_capture()); auto run = {{.*}}
[[graphprof::step]] void iteration(float *x) {step<<<1, 1>>>(x); }
// CHECK: void iteration(float *x) { GRAPHPROF_STEP({{[0-9]+}}); GRAPHPROF_SCOPE({{[0-9]+}}, "iteration", ::graphprof::on_stream(0));step<<<1, 1>>>(x); }

void byDefault(float *x, cudaError_t error = cudaMemsetAsync(nullptr, 0, 0, 0));
// CHECK: void byDefault(float *x, cudaError_t error = cudaMemsetAsync(nullptr, 0, 0, 0));
void waits(cudaStream_t s) { cudaStreamSynchronize(s); }
// CHECK: void waits(cudaStream_t s) { cudaStreamSynchronize(s); }
constexpr int constant(bool launch, float *x) { if (launch) step<<<1, 1>>>(x); return 0; }
// CHECK: constexpr int constant(bool launch, float *x) { if (launch) step<<<1, 1>>>(x); return 0; }
#define FUNCTION(name) void name(float *x) { step<<<1, 1>>>(x); }
FUNCTION(written)
// CHECK: FUNCTION(written)
[[graphprof::time("mine")]] void annotated(float *x) { step<<<1, 1>>>(x); }
// CHECK: void annotated(float *x) { GRAPHPROF_SCOPE({{[0-9]+}}, "mine", ::graphprof::on_stream(0)); step<<<1, 1>>>(x); }
[[graphprof::ignore]] void ignored(float *x) { step<<<1, 1>>>(x); }
// CHECK: /*{{\[\[}}graphprof::ignore]]*/ void ignored(float *x) { step<<<1, 1>>>(x); }
