// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// Every form in which real programs refer to a listed function.

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != cudaSuccess)                                                                                         \
      throw cudaGetErrorString(call);                                                                                  \
  } while (0)
#define cuda_api(function, ...) (void)#function, function(__VA_ARGS__)
// CHECK: #define cuda_api(function, ...) (void)#function, GRAPHPROF_NAMED(function)(__VA_ARGS__)

void check(cudaError_t, const char *);
template <auto Function, class... T> void cudaTry(T... t) { Function(t...); }
template <class T> bool operator<<(T, cudaError_t);

cudaError_t forms(cudaGraphExec_t e, cudaGraph_t g, cudaStream_t s, bool b) {
  // CHECK-LABEL: cudaError_t forms({{.*}}
  cudaGraphLaunch(e, s);
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(e, s);
  ::cudaGraphLaunch(e, s);
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(e, s);
  :: /* the real one */ cudaGraphLaunch(e, s);
  // CHECK: ::graphprof::cuda::cudaGraphLaunch(e, s);
  (cudaGraphLaunch)(e, s);
  // CHECK: (::graphprof::cuda::cudaGraphLaunch)(e, s);
  cudaError_t result = cudaGraphUpload(e, s);
  // CHECK: cudaError_t result = ::graphprof::cuda::cudaGraphUpload(e, s);
  result = cudaGraphDestroy(g);
  // CHECK: result = ::graphprof::cuda::cudaGraphDestroy(g);
  CHECK(cudaGraphLaunch(e, s));
  // CHECK: CHECK(::graphprof::cuda::cudaGraphLaunch(e, s));
  check(cudaStreamEndCapture(s, &g), __FILE__);
  // CHECK: check(::graphprof::cuda::cudaStreamEndCapture(s, &g), __FILE__);
  cudaTry<cudaGraphLaunch>(e, s);
  // CHECK: cudaTry<::graphprof::cuda::cudaGraphLaunch>(e, s);
  cuda_api(cudaGraphLaunch, e, s);
  // CHECK: cuda_api(cudaGraphLaunch, e, s);
  cudaError_t (*pointer)(cudaGraphExec_t, cudaStream_t) = cudaGraphLaunch;
  // CHECK: cudaError_t (*pointer)(cudaGraphExec_t, cudaStream_t) = ::graphprof::cuda::cudaGraphLaunch;
  cudaError_t (*table[])(cudaGraphExec_t, cudaStream_t) = {&cudaGraphLaunch, cudaGraphUpload};
  // CHECK: cudaError_t (*table[])(cudaGraphExec_t, cudaStream_t) = {&::graphprof::cuda::cudaGraphLaunch, ::graphprof::cuda::cudaGraphUpload};
  1 << cudaGraphLaunch(e, s);
  // CHECK: 1 << ::graphprof::cuda::cudaGraphLaunch(e, s);
  result = b ? cudaGraphLaunch(e, s) : cudaGraphUpload(e, s);
  // CHECK: result = b ? ::graphprof::cuda::cudaGraphLaunch(e, s) : ::graphprof::cuda::cudaGraphUpload(e, s);
  result = b?cudaGraphLaunch(e, s):cudaGraphUpload(e, s);
  // CHECK: result = b?::graphprof::cuda::cudaGraphLaunch(e, s): ::graphprof::cuda::cudaGraphUpload(e, s);
  if (e) cudaGraphExecDestroy(e);
  // CHECK: if (e) ::graphprof::cuda::cudaGraphExecDestroy(e);
  auto launch = [=] { return cudaGraphLaunch(e, s); };
  // CHECK: auto launch = [=] { return ::graphprof::cuda::cudaGraphLaunch(e, s); };
  cudaGraph\
Launch(e, s);
  // CHECK:      ::graphprof::cuda::cudaGraphLaunch\
  // CHECK-NEXT: (e, s);
  cudaGraphInstantiate(&e, g);
  // CHECK: ::graphprof::cuda::cudaGraphInstantiate(&e, g);
  cudaGraphInstantiate(&e, g, nullptr, nullptr, 0);
  // CHECK: ::graphprof::cuda::cudaGraphInstantiate(&e, g, nullptr, nullptr, 0);
  cudaStreamWaitEvent(s, nullptr);
  // CHECK: ::graphprof::cuda::cudaStreamWaitEvent(s, nullptr);
  return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK: return ::graphprof::cuda::cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
}

template <class Exec> struct Runner {
  Exec exec;
  cudaStream_t stream;
  ~Runner() { cudaGraphExecDestroy(exec); }
  // CHECK: ~Runner() { ::graphprof::cuda::cudaGraphExecDestroy(exec); }
  // The argument depends on a template parameter: host and device overloads are still open.
  cudaError_t launch() { return cudaGraphLaunch(exec, stream); }
  // CHECK: cudaError_t launch() { return ::graphprof::cuda::cudaGraphLaunch(exec, stream); }
};
