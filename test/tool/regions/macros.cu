// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// Macros in and around a region: in the way only where they hold a part of it.

#include <cuda_runtime.h>

#define CHECK_CUDA(call)                                                                                               \
  do {                                                                                                                 \
    if ((call) != cudaSuccess)                                                                                         \
      throw 1;                                                                                                         \
  } while (0)
#define RUN(...) __VA_ARGS__
#define LAUNCH(e, s) cudaGraphLaunch(e, s);
#define BLOCK(e, s) { cudaGraphLaunch(e, s); }
#define TIMED(...) [[graphprof::time(__VA_ARGS__)]]
#define NAME "from a macro {}"

void macros(cudaGraphExec_t e, cudaStream_t s, int n) {
  // CHECK-LABEL: void macros({{.*}}
  [[graphprof::time("check")]] CHECK_CUDA(cudaGraphLaunch(e, s));
  // CHECK: { GRAPHPROF_SCOPE(1, "check", ::graphprof::on_stream(s)); CHECK_CUDA(::graphprof::cuda::cudaGraphLaunch(e, s)); }
  RUN([[graphprof::time("argument")]] { cudaGraphLaunch(e, s); })
  // CHECK: RUN({ GRAPHPROF_SCOPE(2, "argument", ::graphprof::on_stream(s)); ::graphprof::cuda::cudaGraphLaunch(e, s); })
  [[graphprof::time("semicolon inside")]] LAUNCH(e, s)
  // CHECK: { GRAPHPROF_SCOPE(3, "semicolon inside", ::graphprof::on_stream(s)); LAUNCH(e, s) }
  [[graphprof::time("braces inside")]] BLOCK(e, s)
  // CHECK: { GRAPHPROF_SCOPE(4, "braces inside", ::graphprof::on_stream(s)); BLOCK(e, s) }
  [[graphprof::time("argument first")]] RUN(cudaGraphLaunch(e, s));
  // CHECK: { GRAPHPROF_SCOPE(5, "argument first", ::graphprof::on_stream(s)); RUN(::graphprof::cuda::cudaGraphLaunch(e, s)); }
  TIMED("an attribute by macro {}", n, stream = s) { cudaGraphLaunch(e, s); }
  // CHECK: { GRAPHPROF_SCOPE(6, "an attribute by macro {}", ::graphprof::on_stream(s), n); ::graphprof::cuda::cudaGraphLaunch(e, s); }
  [[graphprof::time(NAME, n)]] cudaGraphLaunch(e, s);
  // CHECK: { GRAPHPROF_SCOPE(7, NAME, ::graphprof::on_stream(s), n); ::graphprof::cuda::cudaGraphLaunch(e, s); }
}
